import type { CheckSet, RowRule } from '../../specs/check-set.ts'
import type { Expectation, Pattern } from '../../specs/expectation.ts'
import { expandCheckSet } from '../../specs/expand.ts'
import { readable } from './readable.ts'

/** Shorter ones, and those of few different characters, occur by chance: words, small numbers, rows of dashes. */
const TEXT_CHARS = 8
const DIFFERENT_CHARS = 5
const DIGITS = 5
/** Of one kind, for people; an author who embeds answers does it often. */
const MOST_NAMED = 5

/**
 * Where a set holds an answer in the half that the product can see: a literal that a row expects and its scenario or
 * input holds. Literals that the request itself states are no secret. A label that a scenario gives its own result is one,
 * too, so this is for people to look at.
 */
export function embeddedAnswers(set: CheckSet, request: string): readonly string[] {
  const { probes, rules } = expandCheckSet(set.document)
  const probeOf = new Map(probes.map((probe) => [probe.row, probe]))
  const given = new Map<string, string>()
  const found = rules.flatMap((rule) => {
    const probe = probeOf.get(rule.row)
    const literals = secretsOf(rule, request)
    if (probe === undefined || literals.length === 0) return []
    const source = sourceOf(set, probe.scenario)
    const inputs = JSON.stringify([probe.input, probe.command, probe.service])
    return literals.flatMap((literal) => {
      const shown = readable(JSON.stringify(literal), 60)
      if (source !== undefined && holds(source, literal)) {
        return [`${probe.scenario ?? ''} holds ${shown}, which ${rule.row} expects`]
      }
      // A guard keeps things as they are: what goes in may well come out again.
      if (rule.role === 'behaviour' && inputs.includes(JSON.stringify(literal))) given.set(rule.row, shown)
      return []
    })
  })
  return named('answer-embedded', [...new Set(found), ...inInputs(given)])
}

/** In one line: what goes in and has to come out again cannot be told from an answer in disguise. */
function inInputs(given: ReadonlyMap<string, string>): readonly string[] {
  const [first] = given
  if (first === undefined) return []
  const [row, shown] = first
  const others = given.size === 1 ? '' : `, and so do ${given.size - 1} more rows`
  return [`the input of ${row} holds ${shown}, which it expects${others}`]
}

/** Expectations that a right change may miss: messages to the letter, and ways into the product, that the request does not name. */
export function overSpecified(set: CheckSet, request: string): readonly string[] {
  const { rules } = expandCheckSet(set.document)
  const messages = rules
    .filter(({ role }) => role === 'behaviour')
    .flatMap(({ row, expect }) =>
      messagesOf(expect)
        .filter((message) => message.length >= TEXT_CHARS && !request.includes(message))
        .map(
          (message) =>
            `${row} expects the message ${readable(JSON.stringify(message), 80)} to the letter, and the request does not have it`,
        ),
    )
  const paths = [...set.files]
    .filter(([path]) => path.startsWith('scenarios/'))
    .flatMap(([path, bytes]) =>
      [...new TextDecoder().decode(bytes).matchAll(/\bload\(\s*['"`](\.\/[^'"`]{1,200})['"`]/g)]
        .map(([, file = '']) => file)
        .filter((file) => !request.includes(file.slice(2)))
        .map(
          (file) =>
            `${path} loads ${readable(file, 80)}, a file that the request does not name: a right change may move it`,
        ),
    )
  return named('over-specified', [...messages, ...new Set(paths)])
}

function named(name: string, all: readonly string[]): readonly string[] {
  const left = all.length - MOST_NAMED
  const shown = all.slice(0, MOST_NAMED).map((one) => `${name}: ${one}`)
  return left > 0 ? [...shown, `${name}: and ${left} more`] : shown
}

function secretsOf({ expect, role }: RowRule, request: string): readonly (string | number)[] {
  if (expect === undefined || role === 'canary') return []
  return literalsOf(expect).filter((literal) =>
    typeof literal === 'number'
      ? Math.abs(literal) >= 10 ** (DIGITS - 1) && !request.includes(String(literal))
      : literal.length >= TEXT_CHARS &&
        new Set(literal).size >= DIFFERENT_CHARS &&
        !request.includes(literal),
  )
}

function sourceOf({ files }: CheckSet, scenario: string | undefined): string | undefined {
  const bytes = scenario === undefined ? undefined : files.get(scenario)
  return bytes === undefined ? undefined : new TextDecoder().decode(bytes)
}

/** A literal as a scenario would write it, with whatever quotes. */
function holds(source: string, literal: string | number): boolean {
  if (typeof literal === 'number') return new RegExp(`(?<![\\w.])${literal}(?![\\w.])`).test(source)
  return source.includes(literal) || source.includes(JSON.stringify(literal).slice(1, -1))
}

/** Texts and numbers that a product must produce; not what merely describes it, such as a regular expression. */
function literalsOf(expect: Expectation): readonly (string | number)[] {
  if ('any' in expect) return expect.any.flatMap(literalsOf)
  if ('all' in expect) return expect.all.flatMap(literalsOf)
  if ('not' in expect || 'asBase' in expect) return []
  return patternsOf(expect).flatMap((pattern) => [...leaves(pattern)])
}

function patternsOf(
  expect: Exclude<Expectation, { any: unknown } | { all: unknown } | { not: unknown } | { asBase: unknown }>,
): readonly Pattern[] {
  const main: readonly (Pattern | undefined)[] =
    'returns' in expect
      ? [expect.returns]
      : 'throws' in expect
        ? [expect.throws]
        : 'exits' in expect
          ? [expect.exits.stdout, expect.exits.stderr, ...Object.values(expect.exits.files ?? {})]
          : []
  return [...main, expect.steps].filter((pattern) => pattern !== undefined)
}

const DESCRIPTIONS: readonly string[] = [
  '$matches',
  '$not',
  '$type',
  '$schema',
  '$near',
  '$gt',
  '$gte',
  '$lt',
  '$lte',
]

function* leaves(pattern: Pattern): Generator<string | number> {
  if (typeof pattern === 'string' || typeof pattern === 'number') yield pattern
  else if (typeof pattern === 'object' && pattern !== null) {
    for (const [key, part] of Object.entries(pattern)) if (!DESCRIPTIONS.includes(key)) yield* leaves(part)
  }
}

/** Whole messages that an expectation asks for: a text where a pattern could stand. */
function messagesOf(expect: Expectation | undefined): readonly string[] {
  if (expect === undefined || 'not' in expect || 'asBase' in expect) return []
  if ('any' in expect) return expect.any.flatMap(messagesOf)
  if ('all' in expect) return expect.all.flatMap(messagesOf)
  if ('exits' in expect) return typeof expect.exits.stderr === 'string' ? [expect.exits.stderr] : []
  return patternsOf(expect).flatMap((pattern) => [...messages(pattern)])
}

function* messages(pattern: Pattern): Generator<string> {
  if (typeof pattern !== 'object' || pattern === null) return
  for (const [key, part] of Object.entries(pattern)) {
    if (key === '$error' && typeof part === 'object' && part !== null && !Array.isArray(part)) {
      const { message } = part as Readonly<Record<string, Pattern>>
      if (typeof message === 'string') yield message
    } else yield* messages(part as Pattern)
  }
}
