import type { Gap, HoldCause } from '../../specs/decision.ts'
import type { Grade } from '../../specs/grade.ts'
import type { Report } from '../pure/report.ts'
import { isAcceptable, needsChoice } from '../state/resolve.ts'
import type { StateDirectory } from '../state-directory.ts'
import { listRuns } from './list-runs.ts'
import { readRun } from './read-run.ts'

/** A claim that a hold is about. */
interface HeldClaim {
  readonly claim: string
  readonly statement: string
  /** The sentence of the request that it comes from. */
  readonly spec_ref: string
  readonly verdict: 'verified' | 'refuted' | 'unverifiable'
  readonly missing?: string
}

/** Everything that a person needs to answer a hold. */
export interface HeldRun {
  readonly run: string
  readonly task: string
  readonly title: string
  readonly cause: HoldCause
  readonly gap?: Gap
  /** What would settle it. */
  readonly missing: string
  /** Whose output it is about. */
  readonly attempt?: number
  /** Attempts that can be chosen, where several are verified and differ. */
  readonly choices?: readonly number[]
  /** Claims that are not verified, of the output that it is about. */
  readonly claims: readonly HeldClaim[]
  /** Whether `--accept` means something. */
  readonly acceptable: boolean
  readonly at: string
  readonly directory: string
  /** Command lines that show more, or answer. */
  readonly commands: readonly string[]
}

/** The runs that wait for a person, the oldest first. */
export async function listHeld(state: StateDirectory): Promise<readonly HeldRun[]> {
  const held: HeldRun[] = []
  for (const { run, outcome } of await listRuns(state)) {
    if (outcome !== 'held') continue
    const one = await heldRun(state, run)
    if (one !== undefined) held.push(one)
  }
  return held
}

/**
 * What is known of a held run; undefined of a run that is not held.
 * @throws Fault `config/…` when it cannot be read.
 */
export async function heldRun(state: StateDirectory, run: string): Promise<HeldRun | undefined> {
  const { report, directory, lines } = await readRun(state, run)
  const { outcome } = report
  if (outcome?.outcome !== 'held') return undefined
  const { cause, gap, missing, attempt } = outcome.decision
  const compared = lines.findLast(({ body }) => body.type === 'compared')?.body
  const choices = needsChoice(cause) && compared?.type === 'compared' ? compared.attempts : undefined
  const about = report.attempts.find((one) => one.attempt === (attempt ?? choices?.[0]))
  const acceptable = isAcceptable(cause)
  return {
    run: report.run,
    task: report.task,
    title: report.title,
    cause,
    ...(gap === undefined ? {} : { gap }),
    missing,
    ...(attempt === undefined ? {} : { attempt }),
    ...(choices === undefined ? {} : { choices }),
    claims: claimsOf(about?.grade),
    acceptable,
    at: lines.at(-1)?.at ?? '',
    directory,
    commands: commandsOf(report, state, acceptable, choices),
  }
}

function claimsOf(grade: Grade | undefined): HeldClaim[] {
  return (grade?.claims ?? [])
    .filter(({ verdict }) => verdict !== 'verified')
    .map(({ claim, statement, spec_ref, verdict, missing }) => ({
      claim,
      statement,
      spec_ref,
      verdict,
      ...(missing === undefined ? {} : { missing }),
    }))
}

function commandsOf(
  { run, baseTree, attempts }: Report,
  { store }: StateDirectory,
  acceptable: boolean,
  choices: readonly number[] | undefined,
): string[] {
  const diffs = attempts
    .filter(({ tree }) => tree !== undefined)
    .map(({ tree = '' }) => `git --git-dir=${store} diff ${baseTree.slice(0, 12)} ${tree.slice(0, 12)}`)
  const whose = choices === undefined ? '' : ` --attempt ${choices.join('|')}`
  return [
    `assay report ${run}`,
    ...diffs,
    ...(acceptable ? [`assay held resolve ${run} --accept${whose} --reason TEXT`] : []),
    `assay held resolve ${run} --reject --reason TEXT`,
    `assay held resolve ${run} --retry --reason TEXT`,
  ]
}
