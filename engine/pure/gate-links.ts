import { hasDotGit, isDotGitmodules } from './dot-git.ts'
import type { GateReason, GateRefusal, GateTree } from './gate-outcome.ts'
import { hasControlCharacter, utf8Length } from './names.ts'
import { followLink } from './symlinks.ts'
import type { TreeCaps } from './tree-caps.ts'
import type { TreeChange } from './tree-changes.ts'

/** Steps that following all links together may take. An honest link takes a few. */
const LINK_STEPS = 500_000

/**
 * Links that are new or changed, and links of base that leave the tree only now, because a link on their way has
 * come, gone or changed.
 */
export function refusedLinks(
  base: GateTree,
  output: GateTree,
  changes: readonly TreeChange[],
  caps: TreeCaps,
): readonly GateRefusal[] {
  if (!changes.some(concernsLink)) return []
  const touched = new Set(changes.map((change) => change.path))
  const links = output.entries.filter((entry) => entry.mode === '120000').map((entry) => entry.path)
  let stepsLeft = LINK_STEPS
  return links.flatMap((path): GateRefusal[] => {
    const target = output.linkTargets.get(path) ?? ''
    const isTouched = touched.has(path)
    const refusal = (reason: GateReason, detail: string): GateRefusal[] => [{ path, reason, detail }]
    const problem = isTouched ? problemOfTarget(path, target, caps) : undefined
    if (problem !== undefined) return refusal(...problem)
    const end = followLink(path, output.linkTargets, stepsLeft)
    stepsLeft -= end.steps
    if (end.kind === 'exhausted') {
      return refusal('symlinks-too-tangled', 'the links of the tree lead through too many others')
    }
    if (end.kind === 'leaves') {
      const before = isTouched ? undefined : followLink(path, base.linkTargets, LINK_STEPS)
      if (before?.kind === 'leaves') return []
      return refusal('symlink-leaves-tree', `${end.reason}: its target is ${JSON.stringify(target)}`)
    }
    if (end.kind === 'inside' && isTouched && hasDotGit(end.path)) {
      return refusal('symlink-into-git', `it leads to ${JSON.stringify(end.path)}`)
    }
    return []
  })
}

function concernsLink(change: TreeChange): boolean {
  const before = change.change === 'added' ? undefined : change.before.mode
  const after = change.change === 'deleted' ? undefined : change.after.mode
  return before === '120000' || after === '120000'
}

function problemOfTarget(path: string, target: string, caps: TreeCaps): [GateReason, string] | undefined {
  if (target === '') return ['symlink-empty', 'it has no target']
  if (hasControlCharacter(target)) return ['control-character', 'its target has a control character']
  const bytes = utf8Length(target)
  if (bytes > caps.linkTargetBytes) {
    return ['symlink-target-too-long', `${bytes} bytes; at most ${caps.linkTargetBytes}`]
  }
  if (isDotGitmodules(path.split('/').at(-1) ?? '')) {
    return ['symlink-gitmodules', 'git does not take .gitmodules as a link']
  }
  return undefined
}
