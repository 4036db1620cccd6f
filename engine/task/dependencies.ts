import type { TreeId } from '../../specs/digest.ts'
import type { EventBody } from '../../specs/journal.ts'
import { dependencyChange } from '../pure/dependency-change.ts'
import { changedDependencyFiles } from '../trees/dependency-files.ts'
import type { GitTreeStore } from '../trees/git-tree-store.ts'
import type { PreparedTask } from './prepare-task.ts'

type Dependencies = Extract<EventBody, { type: 'opened' }>['dependencies']

/** What an output does to what would be installed, from its changed manifests and lockfiles. */
export async function dependenciesOf(
  output: TreeId,
  { base, installed }: PreparedTask,
  store: GitTreeStore,
  signal: AbortSignal,
): Promise<Dependencies> {
  const files = await changedDependencyFiles(store, base, output, signal)
  const change = dependencyChange(files, installed)
  switch (change.kind) {
    case 'none':
      return { kind: 'none' }
    case 'named':
      return { kind: 'named', paths: [...change.paths] }
    case 'changed':
      return {
        kind: 'changed',
        paths: [...change.paths],
        satisfied: change.satisfied,
        missing: change.missing
          .slice(0, 100)
          .map(
            ({ name, wanted, installed: has }) =>
              `${name}@${wanted}${has === undefined ? '' : ` (image has ${has})`}`,
          ),
      }
  }
}
