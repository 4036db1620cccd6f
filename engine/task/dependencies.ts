import type { TreeId } from '../../specs/digest.ts'
import type { EventBody } from '../../specs/journal.ts'
import { dependencyChange } from '../pure/dependency-change.ts'
import { changedDependencyFiles } from '../trees/dependency-files.ts'
import type { GitTreeStore } from '../trees/git-tree-store.ts'
import type { PreparedTask } from './prepare-task.ts'

type Dependencies = Extract<EventBody, { type: 'opened' }>['dependencies']

/** Missing dependencies that the journal lists. */
const MAX_MISSING = 100

/** What an output does to what would be installed, from its changed manifests and lockfiles. */
export async function dependenciesOf(
  output: TreeId,
  { base, installed }: PreparedTask,
  store: GitTreeStore,
  signal: AbortSignal,
): Promise<Dependencies> {
  const change = dependencyChange(await changedDependencyFiles(store, base, output, signal), installed)
  if (change.kind === 'none') return { kind: 'none' }
  if (change.kind === 'named') return { kind: 'named', paths: [...change.paths] }
  const missing = change.missing.slice(0, MAX_MISSING).map(({ name, wanted, installed: has }) => {
    return `${name}@${wanted}${has === undefined ? '' : ` (image has ${has})`}`
  })
  return { kind: 'changed', paths: [...change.paths], satisfied: change.satisfied, missing }
}
