import { resolve } from 'node:path'
import { digestOf, type TreeId } from '../../specs/digest.ts'
import { Fault } from '../../specs/fault.ts'
import type { Grade } from '../../specs/grade.ts'
import type { EventBody } from '../../specs/journal.ts'
import type { Seal } from '../../specs/seal.ts'
import { gradeFacts, sealedEvent } from '../pure/event-facts.ts'
import { passGate, treeOfPatch, type BuiltTree } from '../run/open-delivery.ts'
import { obtainSeal, type ObtainedSeal, type SealWatch } from '../seal/obtain-seal.ts'
import { prepareTask, type PreparedTask } from '../task/prepare-task.ts'
import type { LoadedTask } from '../task/load-task.ts'
import type { BaseSource } from '../../specs/task.ts'
import { resolveBase, type BaseContext } from '../trees/base/resolve-base.ts'
import { readPatch } from '../workers/patch-worker.ts'
import type { Workshop } from '../workshop.ts'
import { decideChange, outcomeOf, type ChangeOutcome } from './decide-change.ts'
import { gradeOutput } from './grade-output.ts'
import { withExaminer } from './open-examiner.ts'

/** A change that exists already, from whatever source. */
export type Change =
  | { readonly diff: string }
  | { readonly tree: string }
  /** Of the base's repository; of a base that is a directory, of the repository that one stands in. */
  | { readonly rev: string }
  /** Anything that a base can come from: a package at an exact version, a tar archive, … */
  | { readonly source: BaseSource }
  /** Base itself. */
  | { readonly base: true }

type Opened = Extract<EventBody, { type: 'opened' }>

export interface GradedChange extends ChangeOutcome {
  readonly task: string
  /** Why it is not sealed; then there is no grade. */
  readonly notSealed?: readonly string[]
  readonly seal?: Seal
  /** Absent when nothing was sealed: nothing is opened then. */
  readonly opened?: Opened
  /** Absent when the gate refused, what would be installed changed, or nothing was sealed. */
  readonly grade?: Grade
  readonly cached: boolean
}

export interface GradeChangeOptions {
  /** Grades anew, whatever the cache has. */
  readonly fresh?: boolean
}

/**
 * Grades a change that exists already with the task's sealed checks (made now if there are none yet). It is decided
 * by the rules of a run, with one attempt that has been delivered and hears no feedback.
 * @throws Fault `config/…` for what cannot be read and a diff that does not apply, `infra/…` when the engine failed.
 */
export async function gradeChange(
  workshop: Workshop,
  loaded: LoadedTask,
  change: Change,
  watch: SealWatch,
  options: GradeChangeOptions = {},
): Promise<GradedChange> {
  const { signal } = watch
  const prepared = await prepareTask(loaded, workshop, watch.note, signal)
  // Before the oracle is asked, so that a change that cannot be read ends this at once; the oracle never sees it.
  const built = await treeOf(change, prepared, workshop, signal)
  return withExaminer(prepared, workshop, async (examiner, run) => {
    let sealed: Extract<ObtainedSeal, { kind: 'sealed' }> | undefined
    let found: Pick<GradedChange, 'notSealed' | 'seal' | 'opened' | 'grade' | 'cached'> = { cached: false }
    const state = await decideChange(loaded.task.policy, {
      async seal() {
        const outcome = await obtainSeal(run, prepared, examiner, workshop, watch, { reuse: true })
        if (outcome.kind === 'not-admitted') {
          found = { ...found, notSealed: outcome.reasons }
          return { type: 'not-sealed', reasons: [...outcome.reasons], gap: outcome.gap }
        }
        sealed = outcome
        found = { ...found, seal: outcome.seal }
        return sealedEvent(outcome.seal)
      },
      async open() {
        const passed = await passGate(built, prepared, workshop.store, signal)
        const opened: Opened = { type: 'opened', attempt: 1, round: 1, ...passed }
        found = { ...found, opened }
        return opened
      },
      async grade() {
        const tree = found.opened?.tree
        if (sealed === undefined || tree === undefined) throw new Fault('bug/grade', 'nothing to grade')
        const { grade, cached } = await gradeOutput(
          sealed,
          tree,
          prepared,
          examiner,
          workshop,
          signal,
          options,
        )
        found = { ...found, grade, cached }
        return { type: 'graded', attempt: 1, round: 1, ...gradeFacts(grade), grade: digestOf(grade), cached }
      },
    })
    return { task: loaded.task.id, ...found, ...outcomeOf(state.end) }
  })
}

/** A diff that the user gave has to apply: otherwise there is nothing to grade, and it is the input that is wrong. */
async function treeOfDiff(
  file: string,
  base: TreeId,
  workshop: Workshop,
  signal: AbortSignal,
): Promise<BuiltTree> {
  const built = await treeOfPatch(await readPatch(resolve(file)), base, workshop, signal)
  if (built.kind === 'tree') return built
  const why = built.refusals[0]?.detail.trim().replaceAll(/\s*\n\s*/g, '; ') ?? ''
  throw new Fault('config/patch', `${file}: the patch does not apply to base: ${why}`)
}

async function treeOf(
  change: Change,
  prepared: PreparedTask,
  workshop: Workshop,
  signal: AbortSignal,
): Promise<BuiltTree> {
  const { base, loaded } = prepared
  const { store, state } = workshop
  if ('base' in change) return { kind: 'tree', tree: base, ignored: [] }
  if ('diff' in change) return treeOfDiff(change.diff, base, workshop, signal)
  const context = { taskDirectory: process.cwd(), store, cacheDirectory: state.cache }
  if ('tree' in change) {
    const leaveOut = loaded.directory
    return blaming('--tree', built({ from: 'directory', path: change.tree }, { ...context, leaveOut }))
  }
  if ('source' in change) return built(change.source, { ...context, taskDirectory: loaded.directory })
  const source = loaded.task.base
  const repository = source.from === 'git' ? source.repository : '.'
  const taskDirectory = source.from === 'git' ? loaded.directory : process.cwd()
  if (source.from !== 'git' && source.from !== 'directory') {
    throw new Fault(
      'config/change',
      `--rev: base comes from ${source.from}; give the change as --diff or --tree`,
    )
  }
  const subdirectory = source.from === 'git' ? source.subdirectory : undefined
  return blaming(
    '--rev',
    built(
      {
        from: 'git',
        repository,
        revision: change.rev,
        ...(subdirectory === undefined ? {} : { subdirectory }),
      },
      { ...context, taskDirectory },
    ),
  )

  async function built(from: BaseSource, where: BaseContext): Promise<BuiltTree> {
    const { tree } = await resolveBase(from, where, signal)
    return { kind: 'tree', tree, ignored: [] }
  }
}

/** A change is read as a base is, but what is wrong with it is not the task's. */
async function blaming(option: string, built: Promise<BuiltTree>): Promise<BuiltTree> {
  try {
    return await built
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== 'config/base') throw error
    const message = error.message.replace(/^task\.yaml: base\.\w+: /, '')
    throw new Fault('config/change', `${option}: ${message}`, { cause: error })
  }
}
