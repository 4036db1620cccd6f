import { PREDICATE_TYPE, type Statement } from '../../specs/attestation.ts'
import { Fault } from '../../specs/fault.ts'
import { DEFAULT_PROTECTED_PATHS } from '../../specs/policy.ts'
import { globMatches } from '../../specs/protected-paths.ts'
import { landingMessage } from '../pure/landing-message.ts'
import type { PreparedTask } from '../task/prepare-task.ts'
import type { Workshop } from '../workshop.ts'
import type { Actions } from './decided-work.ts'
import type { LandingDesk } from './landing-desk.ts'
import { lastEvent } from './last-event.ts'
import { passGate } from './open-delivery.ts'
import type { Journal } from '../journal/journal.ts'

interface LandingDeps {
  readonly run: string
  readonly journal: Journal
  readonly prepared: PreparedTask
  readonly workshop: Workshop
  readonly desk: LandingDesk | undefined
}

/** Paths that an event names; the trees have all. */
const MAX_PATHS = 100

/** What the decisions of a landing do: merge, commit, land. Regrading is grading, which stands in actions.ts. */
export function landingActions(deps: LandingDeps): Pick<Actions, 'merge' | 'commit' | 'land'> {
  const { journal, prepared, workshop } = deps
  return {
    async merge(attempt, signal) {
      const { landing, ...desk } = deskOf(deps)
      await desk.enter(signal)
      const output = lastEvent(journal, 'opened', attempt).tree
      if (output === undefined) throw new Fault('bug/no-tree', `attempt ${attempt} has no tree to land`)
      const tip = await landing.tip(signal)
      const merge = await landing.merge(prepared.base, tip, output, signal)
      if (merge.kind === 'conflict') {
        const paths = merge.paths.slice(0, MAX_PATHS)
        return { type: 'merge-conflict', attempt, tip: tip.commit, paths }
      }
      const { tree, graded, before, changed } = merge
      const built = { kind: 'tree', tree: graded, ignored: [] } as const
      const { gate, dependencies } = await passGate(built, prepared, workshop.store, signal, before)
      const patterns = prepared.loaded.task.policy.protectedPaths ?? DEFAULT_PROTECTED_PATHS
      const guarded = changed.filter((path) => patterns.some((pattern) => globMatches(pattern, path)))
      return {
        type: 'merged',
        attempt,
        tip: tip.commit,
        tree,
        graded,
        gate,
        dependencies,
        changed: changed.length,
        ...(guarded.length === 0 ? {} : { protected: guarded.slice(0, MAX_PATHS) }),
      }
    },
    async commit({ attempt, tree, tip }, signal) {
      const { landing, request } = deskOf(deps)
      const { author, committer } = request
      const message = landingMessage(prepared.loaded.request, trailersOf(deps, attempt))
      const at = workshop.now()
      const commit = await landing.commit({ tip, tree, message, author, committer, at }, signal)
      return { type: 'committed', attempt, tree, tip, commit }
    },
    async land({ attempt, commit, tip }, signal) {
      const { landing, ...desk } = deskOf(deps)
      await desk.enter(signal)
      // A process that was killed may have pushed it, and others may have landed on top of it since.
      const pushed = (await landing.has(commit, signal))
        ? ({ kind: 'landed' } as const)
        : await landing.push(tip, commit, signal)
      switch (pushed.kind) {
        case 'landed':
          await desk.attest(statementOf(deps, attempt, commit), signal)
          desk.leave()
          return { type: 'landed', attempt, commit }
        case 'moved':
          return { type: 'target-moved', attempt, tip: pushed.tip }
        case 'refused':
          return { type: 'land-refused', attempt, why: pushed.why }
      }
    },
  }
}

/** What landing rests on: the seal, the last grade, and what a person let pass. */
function groundsOf({ journal }: LandingDeps, attempt: number) {
  const { lines } = journal
  const sealed = lines.findLast(({ body }) => body.type === 'sealed')?.body
  const grade = lines.findLast(
    ({ body }) => (body.type === 'graded' || body.type === 'regraded') && body.attempt === attempt,
  )?.body
  if (sealed?.type !== 'sealed' || (grade?.type !== 'graded' && grade?.type !== 'regraded'))
    throw new Fault('bug/journal', 'something is to land that was never graded')
  const accepted = lines.flatMap(({ body }) =>
    body.type === 'resolved' && body.how === 'accept' ? [{ cause: body.cause, by: body.by }] : [],
  )
  return { seal: sealed.seal, verdict: grade.verdict, grade: grade.grade, accepted }
}

/** What a commit says of how it came about. */
function trailersOf(deps: LandingDeps, attempt: number) {
  const { accepted, ...grounds } = groundsOf(deps, attempt)
  return {
    task: deps.prepared.loaded.task.id,
    run: deps.run,
    ...grounds,
    accepted: accepted.map(({ cause, by }) => `${cause} by ${by}`),
  }
}

function statementOf(deps: LandingDeps, attempt: number, commit: string): Statement {
  const { run, journal, prepared } = deps
  const { accepted, ...grounds } = groundsOf(deps, attempt)
  const { tree, graded } = lastEvent(journal, 'merged', attempt)
  const first = journal.lines[0]?.body
  if (first?.type !== 'run-started') throw new Fault('bug/journal', 'a journal begins with run-started')
  const causes = accepted.map(({ cause }) => cause)
  return {
    _type: 'https://in-toto.io/Statement/v1',
    subject: [
      { name: 'commit', digest: { gitCommit: commit } },
      { name: 'tree', digest: { gitTree: tree } },
    ],
    predicateType: PREDICATE_TYPE,
    predicate: {
      task: prepared.loaded.task.id,
      run,
      ...grounds,
      graded,
      base: prepared.base,
      image: prepared.product.id,
      runner: first.runner,
      ...(causes.length === 0 ? {} : { accepted: causes }),
    },
  }
}

function deskOf({ desk }: LandingDeps): LandingDesk {
  if (desk === undefined) throw new Fault('bug/landing', 'the run lands nowhere')
  return desk
}
