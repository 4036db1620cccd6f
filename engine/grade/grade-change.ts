import { resolve } from 'node:path'
import type { TreeId } from '../../specs/digest.ts'
import { Fault } from '../../specs/fault.ts'
import type { Grade } from '../../specs/grade.ts'
import type { EventBody } from '../../specs/journal.ts'
import type { Seal } from '../../specs/seal.ts'
import { passGate, treeOfPatch, type BuiltTree } from '../run/open-delivery.ts'
import { obtainSeal, type SealWatch } from '../seal/obtain-seal.ts'
import { prepareTask, type PreparedTask } from '../task/prepare-task.ts'
import type { LoadedTask } from '../task/load-task.ts'
import type { BaseSource } from '../../specs/task.ts'
import { resolveBase, type BaseContext } from '../trees/base/resolve-base.ts'
import { readPatch } from '../workers/patch-worker.ts'
import type { Workshop } from '../workshop.ts'
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

type Opened = Omit<Extract<EventBody, { type: 'opened' }>, 'type' | 'attempt' | 'round'>

export interface GradedChange {
  readonly task: string
  /** Why it is not sealed; then there is no grade. */
  readonly notSealed?: readonly string[]
  readonly seal?: Seal
  readonly opened: Opened
  /** Absent when the gate refused or nothing was sealed. */
  readonly grade?: Grade
  readonly cached: boolean
  readonly verdict: 'verified' | 'refuted' | 'unverifiable'
  /** Why a verified grade is not enough: tampering, or what would be installed changed. */
  readonly heldFor?: 'tampered' | 'dependencies' | 'not-sealed'
  readonly exitCode: number
}

/**
 * Grades a change that exists already with the task's sealed checks (made now if there are none yet).
 * @throws Fault `config/…` for what cannot be read and a diff that does not apply, `infra/…` when the engine failed.
 */
export async function gradeChange(
  workshop: Workshop,
  loaded: LoadedTask,
  change: Change,
  watch: SealWatch,
): Promise<GradedChange> {
  const { signal } = watch
  const prepared = await prepareTask(loaded, workshop, watch.note, signal)
  // Before the oracle is asked, so that a change that cannot be read ends this at once; the oracle never sees it.
  const built = await treeOf(change, prepared, workshop, signal)
  return withExaminer(prepared, workshop, async (examiner, run) => {
    const sealed = await obtainSeal(run, prepared, examiner, workshop, watch, { reuse: true })
    const opened = await passGate(built, prepared, workshop.store, signal)
    const about = { task: loaded.task.id, opened, cached: false }
    if (sealed.kind === 'not-admitted') {
      return {
        ...about,
        notSealed: sealed.reasons,
        verdict: 'unverifiable',
        heldFor: 'not-sealed',
        exitCode: 3,
      }
    }
    const { seal } = sealed
    if (opened.tree === undefined) return { ...about, seal, verdict: 'refuted', exitCode: 1 }
    if (isHeldForDependencies(opened, prepared)) {
      return { ...about, seal, verdict: 'unverifiable', heldFor: 'dependencies', exitCode: 3 }
    }
    const { grade, cached } = await gradeOutput(sealed, opened.tree, prepared, examiner, workshop, signal)
    const done = { ...about, seal, grade, cached, verdict: grade.verdict }
    if (grade.findings.length > 0) return { ...done, heldFor: 'tampered', exitCode: 3 }
    return { ...done, exitCode: { verified: 0, refuted: 1, unverifiable: 3 }[grade.verdict] }
  })
}

function isHeldForDependencies({ dependencies }: Opened, { loaded }: PreparedTask): boolean {
  if (dependencies.kind !== 'changed') return false
  return !(loaded.task.policy.dependencyChanges === 'allow-installed' && dependencies.satisfied)
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
  if ('tree' in change) return built({ from: 'directory', path: change.tree }, context)
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
  return built(
    {
      from: 'git',
      repository,
      revision: change.rev,
      ...(subdirectory === undefined ? {} : { subdirectory }),
    },
    { ...context, taskDirectory },
  )

  async function built(from: BaseSource, where: BaseContext): Promise<BuiltTree> {
    const { tree } = await resolveBase(from, where, signal)
    return { kind: 'tree', tree, ignored: [] }
  }
}
