import type { Probe } from '../../specs/check-set.ts'
import type { Observation } from '../../specs/observation.ts'
import { PLAIN, type Surroundings } from '../../specs/surroundings.ts'
import type { TreeEntry } from '../../specs/trees.ts'

/** Where a product finds its tree in one run. */
export interface TreePlace {
  readonly at: string
  /** The run's own, which can be written, and is gone with the run. */
  readonly isCopy: boolean
}

/** Projects of people, below a folder of theirs. */
const PROJECTS: Readonly<Record<string, string>> = {
  projects: 'projects/app',
  'with a space': 'my projects/app',
}
/** What is copied for each run without being noticed, of a box's /tmp at most a quarter. */
const MOVABLE = { entries: 1000, bytes: 20_000_000 }

/**
 * @param workdir where the tree itself stands, read-only.
 * @param folders the run's own, and that of a person where the box has one.
 */
export function treePlace(
  workdir: string,
  { root, people = root }: { readonly root: string; readonly people?: string | undefined },
  { writable }: Pick<Probe, 'writable'>,
  { place }: Pick<Surroundings, 'place'> = PLAIN,
): TreePlace {
  const folder = PROJECTS[place]
  if (folder !== undefined) return { at: `${people}/${folder}`, isCopy: true }
  return writable ? { at: `${root}/${baseName(workdir)}`, isCopy: true } : { at: workdir, isCopy: false }
}

/** What was seen, as if the tree had stood at `to`: a path in a message is no other behaviour. */
export function asIfAt(observation: Observation, from: string, to: string): Observation {
  if (from === to) return observation
  const text = JSON.stringify(observation).replaceAll(from, to).replaceAll(encodeURI(from), encodeURI(to))
  return JSON.parse(text) as Observation
}

/** Whether a tree is small enough to be copied for a run. */
export function isMovable(entries: readonly Pick<TreeEntry, 'sizeBytes'>[], tmpBytes: number): boolean {
  const bytes = entries.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
  return entries.length <= MOVABLE.entries && bytes <= Math.min(MOVABLE.bytes, tmpBytes / 4)
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}
