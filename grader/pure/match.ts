import type { Expectation, Pattern } from '../../specs/expectation.ts'
import { Fault } from '../../specs/fault.ts'
import type { EncodedValue, Observation, StreamText } from '../../specs/observation.ts'
import { isObject, isTruncated, own, render } from './encoded.ts'
import { sameEncoded } from './equal.ts'
import { matchPattern, type Mismatch } from './match-pattern.ts'
import { TooManyPairs } from './pairing.ts'

export type MatchResult =
  | { readonly pass: true }
  /** `unanswered`: it would have taken too long to tell. */
  | { readonly pass: false; readonly mismatch: string; readonly unanswered?: true }

const MISMATCH_CHARS = 1000

/**
 * Compares what a product did with what its row expects: here, where no product ever runs (D4).
 * @param base what base showed in the same row: the meaning of `asBase`.
 * @returns a mismatch that names path, expected and observed, cut to a readable length.
 * @throws Fault `oracle/pattern` for a pattern that `validatePattern` refuses.
 */
export function matchObservation(
  expectation: Expectation,
  observation: Observation,
  base?: Observation,
): MatchResult {
  try {
    const mismatch = matchExpectation(expectation, observation, base)
    if (mismatch === undefined) return { pass: true }
    return { pass: false, mismatch: mismatch.slice(0, MISMATCH_CHARS).toWellFormed() }
  } catch (error) {
    if (error instanceof TooManyPairs) {
      return { pass: false, mismatch: `too much to compare in any order: ${error.message}`, unanswered: true }
    }
    if (!isOverflow(error)) throw error
    throw new Fault('oracle/pattern', 'an expectation that is nested too deeply to be compared', {
      cause: error,
    })
  }
}

/** A pattern that is nested deeper than the stack goes is a fault of the set, and not one of ours. */
function isOverflow(error: unknown): boolean {
  return error instanceof RangeError && error.message.includes('call stack')
}

function matchExpectation(
  expectation: Expectation,
  seen: Observation,
  base: Observation | undefined,
): Mismatch {
  if ('any' in expectation) {
    const found = expectation.any.map((one) => matchExpectation(one, seen, base))
    return found.includes(undefined) ? undefined : `none of ${found.length}: ${found.join(' | ')}`
  }
  if ('all' in expectation) {
    for (const one of expectation.all) {
      const found = matchExpectation(one, seen, base)
      if (found !== undefined) return found
    }
    return undefined
  }
  if ('not' in expectation) {
    // What cannot be told never counts as "does not match".
    if (isTruncated(asValue(seen))) return 'observation: too large to tell that it does not match'
    return matchExpectation(expectation.not, seen, base) === undefined
      ? `expected not ${render(expectation.not)}, observed ${describe(seen)}`
      : undefined
  }
  if ('asBase' in expectation) return matchBase(seen, base)
  return matchOutcome(expectation, seen) ?? matchSteps(expectation.steps, seen)
}

function matchSteps(pattern: Pattern | undefined, seen: Observation): Mismatch {
  if (pattern === undefined) return undefined
  const steps = seen.steps.map(({ name, value }) => ({ name, value }))
  return matchPattern(pattern, steps, 'steps')
}

function matchOutcome(
  expectation: Exclude<
    Expectation,
    { any: unknown } | { all: unknown } | { not: unknown } | { asBase: unknown }
  >,
  seen: Observation,
): Mismatch {
  if ('returns' in expectation) {
    return seen.outcome === 'returned'
      ? matchPattern(expectation.returns, seen.value, 'value')
      : otherOutcome('a returned value', seen)
  }
  if ('throws' in expectation) {
    return seen.outcome === 'threw'
      ? matchPattern(expectation.throws, seen.error, 'error')
      : otherOutcome('a thrown error', seen)
  }
  if ('exits' in expectation) {
    return seen.outcome === 'exited' ? matchExit(expectation.exits, seen) : otherOutcome('an exit', seen)
  }
  if ('outcome' in expectation) {
    return seen.outcome === expectation.outcome ? undefined : otherOutcome(expectation.outcome, seen)
  }
  return undefined
}

type Exits = Extract<Expectation, { exits: unknown }>['exits']
type Exited = Extract<Observation, { outcome: 'exited' }>

function matchExit(expected: Exits, seen: Exited): Mismatch {
  const parts = [
    ['code', expected.code, seen.code],
    ['signal', expected.signal, seen.signal],
    ['stdout', expected.stdout, streamValue('stdout', seen.stdout)],
    ['stderr', expected.stderr, streamValue('stderr', seen.stderr)],
  ] as const
  for (const [path, pattern, value] of parts) {
    const found = pattern === undefined ? undefined : matchPattern(pattern, value, path)
    if (found !== undefined) return found
  }
  for (const [path, pattern] of Object.entries(expected.files ?? {})) {
    const found = matchFile(pattern, Object.hasOwn(seen.files, path) ? seen.files[path] : undefined, path)
    if (found !== undefined) return found
  }
  return undefined
}

/** Text as a string; bytes that are no UTF-8 as encoded bytes. */
function streamValue(of: string, stream: StreamText): EncodedValue {
  return stream.text ?? { $t: 'bytes', of, base64: stream.base64 ?? '' }
}

function matchFile(pattern: Pattern, file: Exited['files'][string] | undefined, path: string): Mismatch {
  const where = `files[${render(path)}]`
  if (file === undefined) return `${where}: the check does not observe it`
  const names = isObject(pattern) ? own(pattern, '$directory') : undefined
  if (names !== undefined) {
    return file.kind === 'directory'
      ? matchPattern(names, file.entries, where)
      : `${where}: expected a directory, observed ${render(file)}`
  }
  if (file.kind === 'absent') return matchPattern(pattern, undefined, where)
  if (file.kind === 'file') return matchPattern(pattern, streamValue('file', file.content), where)
  return `${where}: expected ${render(pattern)}, observed ${render(file)}`
}

function matchBase(seen: Observation, base: Observation | undefined): Mismatch {
  if (base === undefined) return 'asBase: nothing is known of base'
  return sameEncoded(asValue(base), asValue(seen), true)
    ? undefined
    : `expected as on base ${describe(base)}, observed ${describe(seen)}`
}

/** An observation holds nothing but JSON. */
function asValue(observation: Observation): EncodedValue {
  return observation as unknown as EncodedValue
}

function otherOutcome(expected: string, seen: Observation): string {
  return `outcome: expected ${expected}, observed ${describe(seen)}`
}

/** One line about what happened, for people. */
export function describe(seen: Observation): string {
  switch (seen.outcome) {
    case 'returned':
      return `returned ${render(seen.value)}`
    case 'threw':
    case 'unreachable':
      return `${seen.outcome} ${render(seen.error)}`
    case 'exited':
      return `exit ${seen.code ?? seen.signal ?? '?'}, stdout ${render(seen.stdout.text ?? seen.stdout.base64)}, stderr ${render(seen.stderr.text ?? seen.stderr.base64)}`
    case 'crashed':
      return `crashed (${seen.code ?? seen.signal ?? '?'})${seen.error === undefined ? '' : ` ${render(seen.error)}`}`
    case 'limit':
      return `limit (${seen.limit})`
    case 'timeout':
      return 'timeout'
    case 'rewrote':
      return `a call that made ${render(seen.before)}, which an earlier one had returned, into ${render(seen.after)}`
  }
}
