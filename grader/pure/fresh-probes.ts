import type { Probe } from '../../specs/check-set.ts'
import { canonicalJson, digestOf } from '../../specs/digest.ts'
import { commandInputSchema, mergeCommand } from '../../specs/expand.ts'
import type { Json } from '../../specs/json.ts'
import { freshInput } from './fresh-inputs.ts'
import { seededRandom } from './shuffle.ts'

/** A scenario that no output was graded with, and the sealed row that it was made from. */
export interface FreshProbe {
  readonly from: string
  readonly probe: Probe
}

/** Tries to find an input that no row has. */
const TRIES = 20
/** Bytes of an input, so that what grows does not grow without end. */
const MAX_INPUT_BYTES = 100_000

/**
 * Draws scenarios from the sealed seed: rows of the set with inputs, and seeds of `random()`, that no row has. The same
 * seal gives the same ones everywhere. Rows of suites are none: their inputs stand in test files.
 * @param probes of rows that decide.
 * @param nonceSeed of the seal.
 * @param count how many, at most.
 * @param asksRandom whether a scenario asks for `random()`: another seed alone is another scenario only then.
 */
export function freshProbes(
  probes: readonly Probe[],
  nonceSeed: string,
  count: number,
  asksRandom: (scenario: string) => boolean,
): readonly FreshProbe[] {
  const usable = probes.filter(
    ({ mechanism, input, command, scenario = '' }) =>
      mechanism !== 'suite' && (input !== undefined || command !== undefined || asksRandom(scenario)),
  )
  if (usable.length === 0) return []
  const random = seededRandom(Number.parseInt(digestOf({ fresh: nonceSeed }).slice(7, 15), 16))
  const used = new Set(probes.map(identity))
  const fresh: FreshProbe[] = []
  for (let turn = 0; fresh.length < count && turn < count * 2; turn++) {
    const row = usable[turn % usable.length] as Probe
    const made = freshOf(row, othersOf(row, usable), used, random)
    if (made === undefined) continue
    used.add(identity(made))
    fresh.push({ from: row.row, probe: { ...made, row: `fresh#${fresh.length + 1}` } })
  }
  return fresh
}

function freshOf(
  row: Probe,
  others: readonly Json[],
  used: ReadonlySet<string>,
  random: () => number,
): Probe | undefined {
  for (let tries = 0; tries < TRIES; tries++) {
    const seed = Math.floor(random() * 0xffffffff)
    const made = withInput({ ...withoutSiblings(row), seed }, others, random)
    if (made !== undefined && !used.has(identity(made))) return made
  }
  return undefined
}

/** Calls of other rows before it would be those of other inputs: it is called alone. */
function withoutSiblings(probe: Probe): Probe {
  const { siblings, ...alone } = probe
  return siblings === undefined ? probe : alone
}

/** Undefined where there is nothing that could be another: the seed alone, of a program that never asks for it, is none. */
function withInput(probe: Probe, others: readonly Json[], random: () => number): Probe | undefined {
  if (probe.command !== undefined) {
    const { argv, stdin } = probe.command
    const [program, ...rest] = argv
    // Places and options are the scenario's own: only what is data is changed.
    const isData = (text: string) => !/[{}]|^-/.test(text)
    const data = { argv: rest.filter(isData), ...(stdin === undefined || !isData(stdin) ? {} : { stdin }) }
    if (data.argv.length === 0 && data.stdin === undefined) return undefined
    const made = freshInput(data, others, random) as typeof data
    const next = [...made.argv]
    const changed = rest.map((text) => (isData(text) ? (next.shift() ?? text) : text))
    if (changed.some((text) => text.includes('\0'))) return undefined
    const input = commandInputSchema.safeParse({
      argv: [program, ...changed],
      ...(made.stdin === undefined ? {} : { stdin: made.stdin }),
    })
    return input.success && !isTooLarge(made)
      ? { ...probe, command: mergeCommand(probe.command, input.data) }
      : undefined
  }
  if (probe.input === undefined) return probe
  const input = freshInput(probe.input as Json, others, random)
  return isTooLarge(input) ? undefined : { ...probe, input }
}

function isTooLarge(input: Json): boolean {
  return Buffer.byteLength(JSON.stringify(input)) > MAX_INPUT_BYTES
}

/** Inputs of other rows over the same scenario, or of the same form of a command. */
function othersOf({ row, scenario, command }: Probe, probes: readonly Probe[]): readonly Json[] {
  return probes
    .filter(
      (one) =>
        one.row !== row && one.scenario === scenario && (command === undefined || one.command !== undefined),
    )
    .map((one) =>
      command === undefined
        ? (one.input as Json | undefined)
        : {
            argv: one.command?.argv.slice(1) ?? [],
            ...(one.command?.stdin === undefined ? {} : { stdin: one.command.stdin }),
          },
    )
    .filter((input) => input !== undefined)
}

/** What makes two probes the same question. A seed counts where there is no input to tell them apart. */
function identity({ scenario, command, service, input, seed }: Probe): string {
  return canonicalJson({
    scenario: scenario ?? null,
    command: command ?? null,
    service: service ?? null,
    input: input ?? null,
    ...(input === undefined && command === undefined ? { seed } : {}),
  })
}
