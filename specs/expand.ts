import { z } from 'zod'
import type {
  CaseRow,
  Check,
  CheckSetDocument,
  CommandSpec,
  ListedTest,
  Probe,
  RowRule,
  Sibling,
  SuiteRun,
} from './check-set.ts'
import { siblingsByRow } from './siblings.ts'
import { SUITE_PASS } from './suite.ts'

/** What a row's `input` may say when its check is a command: the parts of the command that differ in this row. */
export const commandInputSchema = z.strictObject({
  argv: z.array(z.string()).min(1).max(100).optional(),
  stdin: z.string().max(1_000_000).optional(),
  env: z.record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/), z.string()).optional(),
  files: z.record(z.string(), z.string()).optional(),
  observe: z.array(z.string()).max(50).optional(),
})
export type CommandInput = z.infer<typeof commandInputSchema>

/** A check set as what runs (probes) and what is expected of it (rules), in the order of the document. */
export interface ExpandedCheckSet {
  readonly probes: readonly Probe[]
  readonly rules: readonly RowRule[]
}

/** The id of a row: `check`, or `check#case`. Neither part can hold a `#`. */
export function rowId(check: string, row?: string): string {
  return row === undefined ? check : `${check}#${row}`
}

/**
 * Splits a check set into its two halves, row by row: probes hold no expectation, rules never enter a product box.
 * `probes[i]` and `rules[i]` are of the same row. A row's own `input`, `claim`, `expect` and `judge` replace the check's.
 * @throws Error for a command row whose `input` is no {@link CommandInput}, and a row of a suite that is not there: the
 * rules of a check set refuse both earlier.
 */
export function expandCheckSet(document: Pick<CheckSetDocument, 'checks' | 'suites'>): ExpandedCheckSet {
  const rows = document.checks.flatMap((check) => {
    const cases: readonly (CaseRow | undefined)[] = check.cases ?? [undefined]
    return cases.map((row) => ({ check, row }))
  })
  const suites = suiteRuns(document, rows)
  const siblings = siblingsByRow(rows, ({ check, row }) => {
    const input = inputOf(check, row)
    return { row: rowId(check.id, row?.id), ...(input === undefined ? {} : { input }) }
  })
  return {
    probes: rows.map(({ check, row }) => probeOf(check, row, suites, siblings)).map(withTurns()),
    rules: rows.map(({ check, row }) => ruleOf(check, row)),
  }
}

/** Numbers the rows of scenarios, one after the other. */
function withTurns(): (probe: Probe) => Probe {
  let turn = 0
  return (probe) => (probe.mechanism === 'scenario' ? { ...probe, turn: turn++ } : probe)
}

interface Row {
  readonly check: Check
  readonly row: CaseRow | undefined
}

function suiteRuns(
  { suites = [] }: Pick<CheckSetDocument, 'suites'>,
  rows: readonly Row[],
): ReadonlyMap<string, SuiteRun> {
  return new Map(
    suites.map(({ id, framework, files, timeoutMs, others }) => {
      const listed = rows.filter(({ check }) => check.suite === id).map(listedTest)
      return [id, { id, framework, folder: files, timeoutMs, others, listed }]
    }),
  )
}

function listedTest({ check, row }: Row): ListedTest {
  return { row: rowId(check.id, row?.id), test: testOf(check, row), role: check.role }
}

function testOf(check: Check, row: CaseRow | undefined): string {
  return row?.test ?? check.test ?? ''
}

/** The command of one row: `argv`, `stdin` and `observe` replace the check's, `env` and `files` are merged over it. */
export function mergeCommand(command: CommandSpec, input: CommandInput): CommandSpec {
  const env = merged(command.env, input.env)
  const files = merged(command.files, input.files)
  return {
    ...command,
    ...(input.argv === undefined ? {} : { argv: input.argv }),
    ...(input.stdin === undefined ? {} : { stdin: input.stdin }),
    ...(input.observe === undefined ? {} : { observe: input.observe }),
    ...(env === undefined ? {} : { env }),
    ...(files === undefined ? {} : { files }),
  }
}

function merged(
  under: Record<string, string> | undefined,
  over: Record<string, string> | undefined,
): Record<string, string> | undefined {
  return under === undefined && over === undefined ? undefined : { ...under, ...over }
}

function inputOf(check: Check, row: CaseRow | undefined): unknown {
  return row?.input === undefined ? check.input : row.input
}

function probeOf(
  check: Check,
  row: CaseRow | undefined,
  suites: ReadonlyMap<string, SuiteRun>,
  siblingsOf: ReadonlyMap<string, readonly Sibling[]>,
): Probe {
  const input = inputOf(check, row)
  const id = rowId(check.id, row?.id)
  const common = {
    row: id,
    check: check.id,
    writable: check.writable,
    timeoutMs: check.timeoutMs,
    seed: check.seed,
  }
  if (check.suite !== undefined) {
    const suite = suites.get(check.suite)
    if (suite === undefined) throw new Error(`there is no suite ${check.suite}`)
    return { ...common, mechanism: 'suite', suite, test: testOf(check, row), timeoutMs: suite.timeoutMs }
  }
  if (check.command !== undefined) {
    const command =
      input === undefined ? check.command : mergeCommand(check.command, commandInputSchema.parse(input))
    return { ...common, mechanism: 'command', command }
  }
  const siblings = siblingsOf.get(id)
  return {
    ...common,
    ...(siblings === undefined ? {} : { siblings }),
    mechanism: check.service === undefined ? 'scenario' : 'service',
    ...(check.scenario === undefined ? {} : { scenario: check.scenario }),
    ...(check.service === undefined ? {} : { service: check.service }),
    ...(input === undefined ? {} : { input }),
  }
}

function ruleOf(check: Check, row: CaseRow | undefined): RowRule {
  const claim = row?.claim ?? check.claim
  const input = inputOf(check, row)
  const judgedBy = row?.expect === undefined && row?.judge === undefined ? check : row
  return {
    row: rowId(check.id, row?.id),
    check: check.id,
    role: check.role,
    split: check.split,
    seed: check.seed,
    ...(claim === undefined ? {} : { claim }),
    ...(judgedBy.expect === undefined ? {} : { expect: judgedBy.expect }),
    ...(check.suite === undefined
      ? {}
      : { expect: { returns: SUITE_PASS }, strength: 'in_process' as const }),
    ...(judgedBy.judge === undefined ? {} : { judge: judgedBy.judge }),
    ...(input === undefined ? {} : { input }),
  }
}
