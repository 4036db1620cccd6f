import type { CaseRow, Check, CheckSetDocument, Claim } from '../../specs/check-set.ts'
import { commandInputSchema } from '../../specs/expand.ts'
import { expectationProblems, type ValidateExpectation } from './expectation-rules.ts'
import { checksProblem as problem, CHECKS_FILE, type Path, type Problem } from './problem.ts'
import { suiteProblems } from './suite-rules.ts'
import { occursIn } from './quotation.ts'
import { schemaProblems } from './schema-problems.ts'

/** What the rules look at beside the document. */
export interface RuleContext {
  /** Paths of the set's files. */
  readonly files: ReadonlySet<string>
  readonly request: string
  readonly validateExpectation: ValidateExpectation
}

/**
 * The rules of a check set that its schema cannot say. No problems: the set can be tried on base.
 * @returns every problem, in the order of the document.
 */
export function checkRules(document: CheckSetDocument, context: RuleContext): readonly Problem[] {
  const claims = new Map(document.claims.map((claim) => [claim.id, claim]))
  return [
    ...document.claims.flatMap((claim, index) => claimProblems(claim, ['claims', index], context)),
    ...duplicates(document.claims, ['claims']),
    ...document.checks.flatMap((check, index) => checkProblems(check, ['checks', index], claims, context)),
    ...duplicates(document.checks, ['checks']),
    ...suiteProblems(document, context.files),
    ...duplicates(document.suites ?? [], ['suites']),
    ...unverifiableProblems(document, claims),
    ...document.trials.flatMap((trial, index) => [
      ...fileProblems(trial.diff, ['trials', index, 'diff'], context),
      ...textProblems({ why: trial.why }, ['trials', index]),
    ]),
    ...duplicates(document.trials, ['trials']),
  ]
}

function duplicates(list: readonly { readonly id: string }[], path: Path): readonly Problem[] {
  const first = new Map<string, number>()
  return list.flatMap(({ id }, index) => {
    const earlier = first.get(id)
    if (earlier === undefined) {
      first.set(id, index)
      return []
    }
    return [
      problem(
        'duplicate-id',
        [...path, index, 'id'],
        `${JSON.stringify(id)} is already the id of [${earlier}]`,
      ),
    ]
  })
}

function textProblems(fields: Readonly<Record<string, string | undefined>>, path: Path): readonly Problem[] {
  return Object.entries(fields).flatMap(([field, text]) =>
    text === undefined || text.isWellFormed()
      ? []
      : [problem('text', [...path, field], 'half a surrogate pair')],
  )
}

function claimProblems(claim: Claim, path: Path, context: RuleContext): readonly Problem[] {
  const { statement, spec_ref } = claim
  const text = textProblems({ statement, spec_ref }, path)
  if (text.length > 0 || occursIn(context.request, spec_ref)) return text
  return [
    problem(
      'quotation',
      [...path, 'spec_ref'],
      'not found in the request: expected words of it, two or more, as they stand',
    ),
  ]
}

type Claims = ReadonlyMap<string, Claim>

function checkProblems(check: Check, path: Path, claims: Claims, context: RuleContext): readonly Problem[] {
  const rows = check.cases ?? []
  return [
    ...textProblems({ title: check.title }, path),
    ...mechanismProblems(check, path),
    ...(check.scenario === undefined ? [] : scenarioProblems(check.scenario, [...path, 'scenario'], context)),
    ...commandProblems(check, path),
    ...claimOfProblems(check, check, path, claims),
    ...settledByProblems(check, check, path, context),
    ...rows.flatMap((row, index) => {
      const at = [...path, 'cases', index]
      return [...claimOfProblems(check, row, at, claims), ...settledByProblems(check, row, at, context)]
    }),
    ...duplicates(rows, [...path, 'cases']),
  ]
}

function mechanismProblems(check: Check, path: Path): readonly Problem[] {
  const named = (['scenario', 'command', 'service', 'suite'] as const).filter(
    (key) => check[key] !== undefined,
  )
  const ways = named.join(' + ')
  if (ways === 'scenario' || ways === 'command' || ways === 'scenario + service' || ways === 'suite')
    return []
  const found = ways === '' ? 'none of them' : ways
  return [
    problem('mechanism', path, `expected scenario, command, service with scenario, or suite; found ${found}`),
  ]
}

function scenarioProblems(scenario: string, path: Path, context: RuleContext): readonly Problem[] {
  if (/\.(mjs|cjs|js|py)$/.test(scenario)) return fileProblems(scenario, path, context)
  return [problem('file-kind', path, 'expected a node module (.mjs, .cjs, .js) or a Python file (.py)')]
}

function fileProblems(file: string, path: Path, context: RuleContext): readonly Problem[] {
  return context.files.has(file) ? [] : [problem('file-missing', path, `the set has no file ${file}`)]
}

/** A relative path that stays where it starts. */
function isPathBelow(path: string): boolean {
  return path !== '' && !path.startsWith('/') && !path.includes('\0') && !path.split('/').includes('..')
}

function commandProblems(check: Check, path: Path): readonly Problem[] {
  const service = check.service === undefined ? [] : pathProblems(check.service, [...path, 'service'])
  if (check.command === undefined) return service
  const inputs: readonly { readonly input: unknown; readonly at: Path }[] = [
    { input: check.input, at: [...path, 'input'] },
    ...(check.cases ?? []).map((row, index) => ({
      input: row.input,
      at: [...path, 'cases', index, 'input'],
    })),
  ]
  return [
    ...service,
    ...pathProblems(check.command, [...path, 'command']),
    ...inputs.flatMap(({ input, at }) => {
      if (input === undefined) return []
      const parsed = commandInputSchema.safeParse(input)
      if (parsed.success) return pathProblems(parsed.data, at)
      return schemaProblems(CHECKS_FILE, parsed.error.issues, at).map((found) => ({
        ...found,
        code: 'command-input' as const,
        message: `${found.message} (the input of a command's row holds argv, stdin, env, files, observe)`,
      }))
    }),
  ]
}

interface WithPaths {
  readonly files?: Readonly<Record<string, string>> | undefined
  readonly observe?: readonly string[] | undefined
}

function pathProblems({ files, observe }: WithPaths, path: Path): readonly Problem[] {
  const places: readonly { readonly name: string; readonly at: Path }[] = [
    ...Object.keys(files ?? {}).map((name) => ({ name, at: [...path, 'files', name] })),
    ...(observe ?? []).map((name, index) => ({
      name: name.replace(/^\{(?:tree|tmp)\}\//, ''),
      at: [...path, 'observe', index],
    })),
  ]
  return places.flatMap(({ name, at }) =>
    isPathBelow(name) ? [] : [problem('command-path', at, 'expected a relative path without ..')],
  )
}

function claimOfProblems(check: Check, row: Check | CaseRow, path: Path, claims: Claims): readonly Problem[] {
  const { claim: id } = row
  const at = [...path, 'claim']
  if (check.role === 'canary') {
    return id === undefined
      ? []
      : [problem('canary-with-claim', at, 'a canary settles no claim: leave it out')]
  }
  if (id === undefined) {
    if (row !== check) return []
    return [problem('claim-missing', path, `a ${check.role} names the claim it is about`)]
  }
  return claims.has(id) ? [] : [problem('claim-unknown', at, `there is no claim ${JSON.stringify(id)}`)]
}

/** `expect` or `judge`: on the row, else on its check. */
function settledByProblems(
  check: Check,
  row: Check | CaseRow,
  path: Path,
  context: RuleContext,
): readonly Problem[] {
  const { expect, judge } = row
  // What a row of a suite expects is its test: see suiteProblems.
  if (check.suite !== undefined) return []
  if (expect !== undefined && judge !== undefined) {
    return [problem('expect-or-judge', path, 'has both expect and judge: expected one of them')]
  }
  if (expect !== undefined) {
    return expectationProblems(expect, check.role, context.validateExpectation).map((found) =>
      problem(found.code, [...path, 'expect', ...found.path], found.message),
    )
  }
  if (judge !== undefined) {
    const at = [...path, 'judge']
    if (!/\.(mjs|cjs|js)$/.test(judge)) {
      return [problem('file-kind', at, 'expected a node module (.mjs, .cjs, .js)')]
    }
    return fileProblems(judge, at, context)
  }
  const isLeftToRows = row === check && check.cases !== undefined
  const isLeftToCheck = row !== check && (check.expect !== undefined || check.judge !== undefined)
  if (isLeftToRows || isLeftToCheck) return []
  return [problem('expect-or-judge', path, 'has neither expect nor judge: expected one of them')]
}

function unverifiableProblems(document: CheckSetDocument, claims: Claims): readonly Problem[] {
  const decided = new Set(
    document.checks
      .filter(({ role }) => role === 'behaviour' || role === 'guard')
      .flatMap((check) => (check.cases ?? [check]).map((row) => row.claim ?? check.claim)),
  )
  const seen = new Set<string>()
  return document.unverifiable.flatMap(({ claim, missing }, index) => {
    const path = ['unverifiable', index, 'claim']
    const text = textProblems({ missing }, ['unverifiable', index])
    if (!claims.has(claim)) {
      return [...text, problem('claim-unknown', path, `there is no claim ${JSON.stringify(claim)}`)]
    }
    if (decided.has(claim)) {
      return [
        ...text,
        problem(
          'unverifiable-decided',
          path,
          `${claim} has a behaviour or guard row that decides it: expected none`,
        ),
      ]
    }
    if (seen.has(claim)) return [...text, problem('unverifiable-decided', path, `${claim} is listed twice`)]
    seen.add(claim)
    return text
  })
}
