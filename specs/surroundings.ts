import { z } from 'zod'
import { USUAL_TIMEOUT_MS, type Probe } from './check-set.ts'
import { digestOf } from './digest.ts'
import type { FrameworkName } from './suite.ts'

/**
 * What a user's machine might differ in, and a product should not care about unless it is asked to: for each dimension
 * its values, the plain one first. See `specs/surroundings.md`.
 */
const VALUES = {
  timeZone: [
    'UTC',
    'America/St_Johns',
    'Asia/Kolkata',
    'Asia/Kathmandu',
    'Pacific/Auckland',
    'America/Los_Angeles',
  ],
  language: ['C.UTF-8', 'de_DE.UTF-8', 'fr_FR.UTF-8', 'ja_JP.UTF-8', 'pt_BR.UTF-8', 'tr_TR.UTF-8'],
  nodeEnv: ['', 'production', 'development'],
  ci: ['', 'true', '1'],
  terminal: ['', 'xterm-256color', 'dumb'],
  folders: ['short', 'long'],
  workdir: ['empty', 'in use'],
  umask: ['022', '002', '077'],
  load: ['require', 'import', 'at use'],
  calls: ['1', '2', '3', '8'],
  // Days ahead. Who is right until some day is found out by any later one; these also differ in weekday and season.
  clock: ['0', '27400', '27900'],
  runtime: ['own', 'node-22'],
  user: ['of a box', '501', '1000', '1001', '10001'],
  tty: ['no', 'yes'],
  place: ['workdir', 'projects', 'with a space'],
  uses: ['few', '50', '300'],
  overlap: ['alone', 'beside another'],
  variables: ['set', 'bare', 'C'],
  main: ['module', 'script'],
  interpreter: ['isolated', 'usual', 'optimized'],
  // Seconds: more than an hour, more than a week.
  age: ['0', '4000', '700000'],
} as const

export type Dimension = keyof typeof VALUES
export const DIMENSIONS = Object.keys(VALUES) as readonly Dimension[]
const dimensionSchema = z.enum(Object.keys(VALUES) as [Dimension, ...Dimension[]])

export type Surroundings = Readonly<Record<Dimension, string>>
/** What is not plain. */
export type Varied = Readonly<Partial<Record<Dimension, string>>>

export const pinnedSchema = z
  .array(dimensionSchema)
  .min(1)
  .describe('dimensions of the surroundings that stay plain for this row')

export const variedSchema = z
  .partialRecord(dimensionSchema, z.string())
  .describe('what of the surroundings was not plain')

export const PLAIN = Object.fromEntries(
  DIMENSIONS.map((dimension) => [dimension, VALUES[dimension][0]]),
) as unknown as Surroundings

/** The values of a dimension that are not plain. */
export function othersOf(dimension: Dimension): readonly string[] {
  return VALUES[dimension].slice(1)
}

type Subject = Pick<Probe, 'row' | 'mechanism' | 'scenario' | 'writable' | 'timeoutMs' | 'suite' | 'turn'>

/** One in eight runs keeps a dimension plain, so that the others are also met without it. */
const PLAIN_SHARE = 32

/**
 * The surroundings of one run of a row (D18, D19). The first run is plain; of every later one the sealed seed decides, so nobody
 * who has not seen the seal can foresee them, and a grade made again has the same. Rows of one suite run as one, so they
 * have the same.
 * @param pinned dimensions that stay plain for this row, see {@link pinsFor}.
 */
export function surroundingsOf(
  nonceSeed: string,
  probe: Subject,
  run: number,
  pinned: readonly Dimension[] = [],
): Surroundings {
  if (run === 0) return PLAIN
  const ofRun = bytesOf({ nonceSeed, ...subjectOf(probe), run })
  const [ofSeal = 0, ofTurns = 0] = bytesOf({ nonceSeed })
  const plainShare = isTriedOnce(probe, run) ? 0 : PLAIN_SHARE
  // What loads at use has no other calls. So that a few rows meet both, they take turns, and those that have calls have all.
  const inTurns = probe.mechanism === 'scenario' && !isPython(probe.scenario) && !pinned.includes('load')
  const picked = DIMENSIONS.map((dimension, index): readonly [Dimension, string | undefined] => {
    const [plain, ...others] = VALUES[dimension]
    if (pinned.includes(dimension) || !applies(dimension, probe)) return [dimension, plain]
    // One person for all rows, since boxes go from one user to another once only; in every run, so that no grade is without.
    if (dimension === 'user') return [dimension, others[ofSeal % others.length]]
    if (inTurns && dimension === 'load') {
      return [dimension, others[(ofTurns + (probe.turn ?? 0) + run) % others.length]]
    }
    const byte = ofRun[index] ?? 0
    const isNeverPlain = inTurns && OTHER_CALLS.includes(dimension)
    return [dimension, byte < plainShare && !isNeverPlain ? plain : others[byte % others.length]]
  })
  const all = Object.fromEntries(picked) as Surroundings
  // The call that counts is to be the one that loads.
  const { calls, uses, overlap } = PLAIN
  return all.load === 'at use' && !isPython(probe.scenario) ? { ...all, calls, uses, overlap } : all
}

/** What is said by calls of a scenario besides the one that counts. */
const OTHER_CALLS: readonly Dimension[] = ['calls', 'uses', 'overlap']

/** What a digest draws. */
function bytesOf(value: Readonly<Record<string, string | number>>): readonly number[] {
  const digits = digestOf(value).slice('sha256:'.length).match(/../g) ?? []
  return digits.map((pair) => Number.parseInt(pair, 16))
}

function subjectOf({ row, suite }: Subject): { readonly row: string } | { readonly suite: string } {
  return suite === undefined ? { row } : { suite: suite.id }
}

/** The other rows of a check make up for a dimension that one of them keeps plain; a suite is alone with its second run. */
function isTriedOnce({ suite }: Subject, run: number): boolean {
  return suite !== undefined && run === 1
}

/**
 * Dimensions that a framework settles: tests meet `NODE_ENV=test` there, `CI` decides about their snapshots, and what they
 * print is caught; what is not Node.js has one version, and a program in Go is told the time by nobody but the kernel.
 */
const SETTLED_BY: Readonly<Partial<Record<FrameworkName, readonly Dimension[]>>> = {
  jest: ['nodeEnv', 'ci', 'tty'],
  vitest: ['nodeEnv', 'ci', 'tty'],
  pytest: ['runtime', 'tty'],
  'go-test': ['clock', 'runtime'],
}

/** Whether a dimension says anything of a probe, and whether the probe stays what it is under it. */
function applies(
  dimension: Dimension,
  { mechanism, scenario, writable, timeoutMs, suite }: Subject,
): boolean {
  if (suite !== undefined && SETTLED_BY[suite.framework]?.includes(dimension) === true) return false
  switch (dimension) {
    case 'load':
      return mechanism === 'scenario'
    case 'main':
      return mechanism === 'scenario' && !isPython(scenario)
    case 'interpreter':
      return mechanism === 'scenario' && isPython(scenario)
    case 'calls':
    case 'uses':
    case 'overlap':
    case 'age':
      // What is slow by nature is not called more often.
      return mechanism === 'scenario' && !writable && timeoutMs <= USUAL_TIMEOUT_MS
    case 'workdir':
      // Tests are started where their framework starts them.
      return mechanism !== 'suite'
    default:
      return true
  }
}

function isPython(scenario: string | undefined): boolean {
  return scenario?.endsWith('.py') === true
}

/**
 * The dimensions that stay plain for a probe: its row's own. A suite runs as one, so what one of its rows depends on stays
 * plain for all of them.
 * @param pins by row, those of all rows of the set.
 */
export function pinsFor(
  { row, suite }: Pick<Probe, 'row' | 'suite'>,
  pins: ReadonlyMap<string, readonly Dimension[] | undefined>,
): readonly Dimension[] {
  const rows = suite === undefined ? [row] : suite.listed.map((listed) => listed.row)
  const pinned = new Set(rows.flatMap((one) => pins.get(one) ?? []))
  return DIMENSIONS.filter((dimension) => pinned.has(dimension))
}

/** How often a scenario is called in its process before the call that counts, if there is time. */
export function callsBefore({ calls, uses }: Pick<Surroundings, 'calls' | 'uses'>): number {
  return Math.max(Number(calls), uses === PLAIN.uses ? 1 : Number(uses)) - 1
}

/** What of these surroundings is not plain. */
export function variedIn(surroundings: Surroundings): Varied {
  return Object.fromEntries(
    Object.entries(surroundings).filter(([key, value]) => value !== PLAIN[key as Dimension]),
  )
}

/** Plain surroundings but for some dimensions. */
export function plainBut(surroundings: Varied, dimensions: readonly Dimension[]): Surroundings {
  const kept = dimensions.flatMap((dimension) => {
    const value = surroundings[dimension]
    return value === undefined ? [] : [[dimension, value] as const]
  })
  return { ...PLAIN, ...Object.fromEntries(kept) }
}

/** For people: `TZ=Asia/Kolkata, NODE_ENV=production`, or what is named `only`. */
export function describeSurroundings(
  varied: Varied,
  only: readonly Dimension[] = DIMENSIONS.filter((dimension) => varied[dimension] !== undefined),
): string {
  const words = only.map((dimension) => WORDS[dimension](varied[dimension] ?? PLAIN[dimension]))
  return words.length === 0 ? 'plain surroundings' : words.join(', ')
}

/** The dimensions in which two surroundings differ. */
export function differingDimensions(a: Varied, b: Varied): readonly Dimension[] {
  return DIMENSIONS.filter((dimension) => a[dimension] !== b[dimension])
}

const PYTHON_CALLED: Readonly<Record<string, string>> = {
  isolated: 'python3 -I',
  usual: 'python3 without -I',
  optimized: 'python3 -O',
}
const variable = (name: string) => (value: string) => (value === '' ? `${name} unset` : `${name}=${value}`)
const WORDS: Readonly<Record<Dimension, (value: string) => string>> = {
  timeZone: variable('TZ'),
  language: variable('LANG'),
  nodeEnv: variable('NODE_ENV'),
  ci: variable('CI'),
  terminal: variable('TERM'),
  folders: (value) =>
    value === 'long' ? 'HOME and TMPDIR deep, with spaces and umlauts' : 'HOME and TMPDIR short',
  workdir: (value) => `working directory ${value}`,
  umask: (value) => `umask ${value}`,
  load: (value) => (value === 'at use' ? 'loaded in the turn that uses it' : `loaded by ${value}`),
  calls: (value) => (value === '1' ? 'the first call' : `call ${value} in one process`),
  clock: (value) => (value === '0' ? 'the clock right' : `the clock ${value} days ahead`),
  runtime: (value) => (value === 'own' ? "the image's own runtime" : value.replace(/^node-/, 'Node.js ')),
  user: (value) => (value === PLAIN.user ? 'a user of the box' : `uid ${value}`),
  tty: (value) => (value === 'yes' ? 'on a terminal' : 'on no terminal'),
  place: (value) =>
    value === PLAIN.place
      ? 'the tree in its usual place'
      : `a copy of the tree in ${value === 'projects' ? 'another folder' : 'a folder with a space'}`,
  uses: (value) => (value === 'few' ? 'a process in little use' : `call ${value} of a process in use`),
  overlap: (value) => (value === 'alone' ? 'one call at a time' : 'a call beside another'),
  variables: (value) =>
    value === 'set'
      ? 'TMPDIR and LC_CTYPE set'
      : `${value === 'C' ? 'LC_CTYPE=C and TMPDIR' : 'TMPDIR and LC_CTYPE'} unset, TZ and LANG where plain`,
  main: (value) => (value === 'module' ? 'no main module' : 'a main module that is the script'),
  interpreter: (value) => PYTHON_CALLED[value] ?? value,
  age: (value) => (value === '0' ? 'a process that just began' : `a process ${value} s old`),
}
