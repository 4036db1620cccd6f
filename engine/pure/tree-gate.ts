import type { TreeEntry } from '../../specs/trees.ts'
import { hasDotGit } from './dot-git.ts'
import { refusedLinks } from './gate-links.ts'
import type { GateNote, GateOutcome, GateReason, GateRefusal, GateTree } from './gate-outcome.ts'
import { collisionsOf } from './name-collisions.ts'
import { hasControlCharacter, utf8Length } from './names.ts'
import type { TreeCaps } from './tree-caps.ts'
import { changesBetween, comparePaths, type TreeChange } from './tree-changes.ts'

const LARGE_FILE_BYTES = 2 ** 20
const INVISIBLE = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/u

/**
 * The tree gate (D2): may this output be graded and landed at all? It looks only at what is new or changed against base:
 * what base already had is base's affair. Whatever it refuses it names, all at once.
 */
export function gateTree(base: GateTree, output: GateTree, caps: TreeCaps): GateOutcome {
  const changes = changesBetween(base.entries, output.entries)
  const touched = changes.filter((change) => change.change !== 'deleted')
  const refusals = [
    ...duplicatesIn(output.entries),
    ...touched.flatMap((change) => refusalsOfEntry(change.after, change.change === 'added', caps)),
    ...refusedLinks(base, output, changes, caps),
    ...collisionsOf(base.entries, output.entries).map(({ path, other }): GateRefusal => ({
      path,
      reason: 'name-collision',
      detail: `differs from ${JSON.stringify(other)} only in case or Unicode form`,
    })),
    ...refusedTotals(base.entries, output.entries, caps),
  ]
  if (refusals.length > 0) {
    return {
      kind: 'refused',
      refusals: refusals.sort((a, b) => comparePaths(a.path, b.path) || comparePaths(a.reason, b.reason)),
    }
  }
  return { kind: 'passed', changes, notes: touched.flatMap(notesOf) }
}

function refusalsOfEntry(entry: TreeEntry, isNew: boolean, caps: TreeCaps): GateRefusal[] {
  const refusals: GateRefusal[] = []
  const refuse = (reason: GateReason, detail: string): void => {
    refusals.push({ path: entry.path, reason, detail })
  }
  if (entry.mode === '160000') refuse('gitlink', 'a submodule has no content of its own')
  if (entry.sizeBytes > caps.fileBytes && entry.mode !== '120000') {
    refuse('file-too-large', `${entry.sizeBytes} bytes; at most ${caps.fileBytes}`)
  }
  // A name that base already has is not the output's doing.
  if (!isNew) return refusals
  const segments = entry.path.split('/')
  if (hasControlCharacter(entry.path)) refuse('control-character', 'its name has a control character')
  if (segments.concat(entry.path.split(/[/\\]/)).some((segment) => segment === '..' || segment === '.')) {
    refuse('malformed-path', 'its name has a . or .. segment')
  } else if (segments.includes('')) refuse('malformed-path', 'its name has an empty segment')
  if (hasDotGit(entry.path)) refuse('dot-git', 'its name is .git on some file system')
  const pathBytes = utf8Length(entry.path)
  if (pathBytes > caps.pathBytes) refuse('path-too-long', `${pathBytes} bytes; at most ${caps.pathBytes}`)
  if (segments.length > caps.depth)
    refuse('path-too-deep', `${segments.length} segments; at most ${caps.depth}`)
  if (segments.some((segment) => utf8Length(segment) > caps.segmentBytes)) {
    refuse('segment-too-long', `a segment has more than ${caps.segmentBytes} bytes`)
  }
  return refusals
}

function duplicatesIn(entries: readonly TreeEntry[]): GateRefusal[] {
  const seen = new Set<string>()
  const twice = new Set<string>()
  for (const { path } of entries) {
    if (seen.has(path)) twice.add(path)
    seen.add(path)
  }
  return [...twice].map((path) => ({ path, reason: 'duplicate-path', detail: 'the tree has it twice' }))
}

/** A cap that base is over already is only refused when the output goes further. */
function refusedTotals(
  base: readonly TreeEntry[],
  output: readonly TreeEntry[],
  caps: TreeCaps,
): GateRefusal[] {
  const refusals: GateRefusal[] = []
  if (output.length > Math.max(caps.entries, base.length)) {
    refusals.push({
      path: '',
      reason: 'too-many-entries',
      detail: `${output.length} entries; at most ${caps.entries}`,
    })
  }
  const bytes = totalBytes(output)
  if (bytes > Math.max(caps.totalBytes, totalBytes(base))) {
    refusals.push({
      path: '',
      reason: 'tree-too-large',
      detail: `${bytes} bytes; at most ${caps.totalBytes}`,
    })
  }
  return refusals
}

/** What a person should look at: shown, and never a reason to refuse (D21). */
function notesOf(change: Exclude<TreeChange, { change: 'deleted' }>): GateNote[] {
  const { path, after } = change
  const before = change.change === 'added' ? undefined : change.before
  const notes: GateNote[] = []
  if (after.mode === '120000') notes.push({ path, note: 'new-symlink' })
  if (after.mode === '100755' && before?.mode !== '100755') notes.push({ path, note: 'became-executable' })
  if (after.sizeBytes > LARGE_FILE_BYTES) notes.push({ path, note: 'large-file' })
  if (before === undefined && INVISIBLE.test(path)) notes.push({ path, note: 'invisible-characters' })
  return notes
}

function totalBytes(entries: readonly TreeEntry[]): number {
  return entries.reduce((sum, entry) => sum + entry.sizeBytes, 0)
}
