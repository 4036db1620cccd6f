import { z } from 'zod'
import type { ListedTest, SuiteRun } from '../../../specs/check-set.ts'
import type { CanarySeen, Observed } from '../../../specs/examiner.ts'
import { Fault } from '../../../specs/fault.ts'
import type { Finding } from '../../../specs/grade.ts'
import type { Observation } from '../../../specs/observation.ts'
import { placeOfTest } from '../../../specs/suite.ts'
import type { SuiteExit, SuiteFramework, SuiteReport, TestResult } from '../framework.ts'
import type { Canary } from './plan-suite.ts'

/** What a host answers about a suite that came to its end: the report, and how the runner ended. */
const answerSchema = z.strictObject({
  report: z.base64(),
  code: z.number().int().nullable(),
  signal: z.string().nullable(),
  /** Sealed files that were others when everything had ended. */
  rewritten: z.array(z.string()),
})

/** What a host says when it found no program to start. Other things that it could not do are the tree's doing. */
const missingSchema = z.looseObject({ name: z.literal('SuiteRunnerMissing'), message: z.string() })

/** What one run of a suite says of each of its rows. */
export interface SuiteReading {
  readonly observed: readonly Observed[]
  readonly findings: readonly Finding[]
  /** Of the planted ones; none where there is no whole report. */
  readonly canaries: readonly CanarySeen[]
}

const MAX_FINDINGS = 20

/**
 * Makes an observation of each asked row out of one run of its suite. Whatever is not a whole, agreeing report with a
 * result of that test once, under a canary that failed, is no pass; what no honest product can do to a report is a finding.
 * @param observation of the run as a whole, as the host gave it.
 * @param about.isBase whether it ran on base: there a report that the image cannot run the framework is believed. On any
 * other tree, in the image that the set was sealed with, only somebody who forged it can say that.
 * @throws Fault `config/suite-runner` when the image cannot run the framework.
 */
export function readSuite(
  observation: Observation,
  about: {
    readonly suite: SuiteRun
    readonly framework: Pick<SuiteFramework, 'name' | 'read' | 'agrees'>
    readonly canaries: readonly Canary[]
    readonly nonce: string
    readonly isBase: boolean
  },
  asked: readonly ListedTest[],
): SuiteReading {
  const { framework } = about
  const all = (one: Observation, findings: readonly Finding[] = []): SuiteReading => ({
    observed: asked.map(({ row }) => ({ row, observation: one })),
    findings,
    canaries: [],
  })
  const missing = missingRunner(observation)
  if (missing !== undefined && about.isBase) throw notRun(framework.name, missing)
  if (observation.outcome !== 'returned') return all(observation)
  const answer = answerSchema.safeParse(observation.value)
  if (!answer.success) return all(observation, [forged('an answer that no host of ours gives')])
  const { report: bytes, rewritten, ...exit } = answer.data
  const report = framework.read(Buffer.from(bytes, 'base64'), about.nonce)
  if (report.unavailable !== undefined && report.problems.length === 0) {
    if (about.isBase) throw notRun(framework.name, report.unavailable)
    const shown = JSON.stringify(report.unavailable.slice(0, 200))
    return all(endedWith(exit), [forged(`it says that there is no runner where base had one: ${shown}`)])
  }
  const findings = [
    ...[
      ...report.problems,
      ...rewritten.map((file) => `its tests were rewritten while they ran: ${file}`),
    ].map(forged),
    ...(report.shadowed ?? []).slice(0, MAX_FINDINGS).map(shadowing),
  ]
  if (report.end === undefined) return all(endedWith(exit), findings)
  if (!framework.agrees(exit, report)) {
    const how = exit.signal ?? `exit ${String(exit.code)}`
    return all(endedWith(exit), [...findings, forged(`${how} does not go with what the report says`)])
  }
  return readResults(report, about, asked, findings)
}

function readResults(
  { results }: SuiteReport,
  { suite, canaries }: { readonly suite: SuiteRun; readonly canaries: readonly Canary[] },
  asked: readonly ListedTest[],
  findings: readonly Finding[],
): SuiteReading {
  const byTest = Map.groupBy(results, ({ test }) => test)
  const seen = canariesIn(suite.framework, canaries, results)
  const known = new Set([...suite.listed, ...seen.flatMap((one) => one.results)].map(({ test }) => test))
  const unknown = suite.others === 'ignore' ? [] : [...byTest.keys()].filter((test) => !known.has(test))
  const doubtful = new Map(seen.map((one) => [one.canary.place, doubt(one)] as const).filter(isDoubt))
  return {
    observed: asked.map((listed) => ({
      row: listed.row,
      observation: observationOf(
        byTest.get(listed.test) ?? [],
        listed.role === 'canary' ? undefined : doubtful.get(placeOfTest(suite.framework, listed.test) ?? ''),
      ),
    })),
    findings: [
      ...findings,
      ...seen
        .filter((one) => one.canary.planted !== undefined && hasPassed(one))
        .map(({ canary }): Finding => ({
          kind: 'canary-passed',
          detail: `a test that must fail passed: ${canary.test}`,
        })),
      ...unknown.slice(0, MAX_FINDINGS).map((test): Finding => ({
        kind: 'unknown-row',
        detail: `a test that no row lists: ${test.slice(0, 200)}`,
      })),
      ...suite.listed
        .filter(({ test }) => (byTest.get(test)?.length ?? 0) > 1)
        .map(({ row, test }): Finding => ({
          kind: 'duplicate-row',
          row,
          detail: `reported more than once: ${test}`,
        })),
    ],
    canaries: seen.flatMap((one): readonly CanarySeen[] => {
      const { planted } = one.canary
      if (planted === undefined) return []
      return [
        { ...planted, state: hasPassed(one) ? 'passed' : doubt(one) === undefined ? 'failed' : 'silent' },
      ]
    }),
  }
}

/** A canary with all that came of it: more than one result where it has parameters. */
interface SeenCanary {
  readonly canary: Canary
  readonly results: readonly TestResult[]
}

function canariesIn(
  framework: SuiteRun['framework'],
  canaries: readonly Canary[],
  results: readonly TestResult[],
): readonly SeenCanary[] {
  const nameOf = (test: string) => (framework === 'pytest' ? pytestName(test) : test)
  const byName = Map.groupBy(results, ({ test }) => nameOf(test))
  return canaries.map((canary) => ({
    canary,
    results:
      canary.planted === undefined
        ? results.filter(({ test }) => test === canary.test)
        : (byName.get(nameOf(canary.test)) ?? []),
  }))
}

/** File and function, whatever the parameters are and whichever class inherited it: a canary's name is its file's only one. */
function pytestName(test: string): string {
  const plain = test.replace(/\[.*$/s, '')
  return `${plain.slice(0, plain.indexOf('::'))}::${plain.slice(plain.lastIndexOf('::') + 2)}`
}

function hasPassed({ results }: SeenCanary): boolean {
  return results.some(({ status }) => status === 'passed' || status === 'xpassed')
}

/** Why the results beside a canary prove nothing, or undefined when it failed as it must. */
function doubt({ canary, results }: SeenCanary): string | undefined {
  if (results.length === 0) return 'missing'
  if (canary.planted === undefined && results.length > 1) return 'reported more than once'
  return results.find(({ status }) => status !== 'failed' && status !== 'error')?.status
}

function isDoubt(entry: readonly [string, string | undefined]): entry is readonly [string, string] {
  return entry[1] !== undefined
}

function observationOf(results: readonly TestResult[], canary: string | undefined): Observation {
  const [first] = results
  if (first === undefined) return NO_RESULT
  const times = results.length === 1 ? {} : { times: results.length }
  const beside = canary === undefined ? {} : { canary }
  return { outcome: 'returned', value: { status: first.status, ...times, ...beside }, steps: [] }
}

const NO_RESULT: Observation = {
  outcome: 'unreachable',
  error: {
    $t: 'error',
    name: 'TestMissing',
    message: 'the report has no such test: its file could not be loaded, or has none of that name',
    classes: ['Error'],
  },
  steps: [],
}

/** A runner that ended without a report that counts. */
function endedWith({ code, signal }: SuiteExit): Observation {
  return { outcome: 'crashed', code, signal, steps: [] }
}

function forged(detail: string): Finding {
  return { kind: 'forged-frame', detail: `the report of the tests: ${detail}` }
}

function shadowing(name: string): Finding {
  return {
    kind: 'shadowed-library',
    detail: `the output adds a module ${name.slice(0, 200)}, and the image has a library of that name, which tests may mean`,
  }
}

function missingRunner(observation: Observation): string | undefined {
  if (observation.outcome !== 'unreachable') return undefined
  const parsed = missingSchema.safeParse(observation.error)
  return parsed.success ? parsed.data.message : undefined
}

function notRun(framework: string, why: string): Fault {
  return new Fault('config/suite-runner', `the image cannot run ${framework}: ${why.slice(0, 400)}`)
}
