import type { TreeEntry } from '../../specs/trees.ts'
import type { TreeChange } from './tree-changes.ts'

/** Why a path is refused. */
export type GateReason =
  | 'gitlink'
  | 'symlink-leaves-tree'
  | 'symlink-into-git'
  | 'symlink-empty'
  | 'symlink-gitmodules'
  | 'symlink-target-too-long'
  | 'symlinks-too-tangled'
  | 'control-character'
  | 'malformed-path'
  | 'duplicate-path'
  | 'dot-git'
  | 'name-collision'
  | 'path-too-long'
  | 'segment-too-long'
  | 'path-too-deep'
  | 'file-too-large'
  | 'too-many-entries'
  | 'tree-too-large'

export interface GateRefusal {
  /** '' where it is the whole tree. */
  readonly path: string
  readonly reason: GateReason
  readonly detail: string
}

/** What a person who looks at the change should know, though it is allowed. */
export interface GateNote {
  readonly path: string
  readonly note: 'new-symlink' | 'became-executable' | 'large-file' | 'invisible-characters'
}

export type GateOutcome =
  | { readonly kind: 'passed'; readonly changes: readonly TreeChange[]; readonly notes: readonly GateNote[] }
  | { readonly kind: 'refused'; readonly refusals: readonly GateRefusal[] }

/** What the gate looks at of one tree. */
export interface GateTree {
  readonly entries: readonly TreeEntry[]
  /** Targets of its links, by path. */
  readonly linkTargets: ReadonlyMap<string, string>
}
