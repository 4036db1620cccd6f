import { rm } from 'node:fs/promises'
import type { TreeId } from '../../specs/digest.ts'
import { Fault } from '../../specs/fault.ts'
import type { PatchOutcome } from '../../specs/trees.ts'
import type { TreeCaps } from '../pure/tree-caps.ts'
import { isTroubleOfTheHost } from '../pure/git-trouble.ts'
import { cutText } from '../pure/well-formed.ts'
import { git, runGit } from './git.ts'
import { listTree } from './list-tree.ts'
import { openQuarantine, release } from './quarantine.ts'

/** For a patch that is not through by then `infra/git-timeout` is thrown. Honest ones take well under a second. */
const TIMEOUT_MS = 120_000
/** Beyond twice the largest tree: what git needs for itself. */
const OWN_MEMORY_BYTES = 256 * 2 ** 20
const MAX_REASON_LENGTH = 2000

/**
 * Applies a patch to an index of its own, never to files: all or nothing. The reason of a refusal is git's own.
 * Where the host can limit memory, a patch that unpacks to more than a tree may hold ends git and nothing else;
 * everywhere, what came out is measured before it becomes a tree of ours.
 * @throws Fault `infra/…` when git was killed, took too long or met a full or broken disk: that says nothing of the patch.
 */
export async function applyPatchToTree(
  storeDirectory: string,
  base: TreeId,
  patch: Uint8Array,
  caps: TreeCaps,
  signal?: AbortSignal,
): Promise<PatchOutcome> {
  if (patch.length > caps.patchBytes) {
    return refused(`the patch has ${patch.length} bytes; at most ${caps.patchBytes} are taken`)
  }
  const claimed = claimedBytes(patch)
  if (claimed > caps.totalBytes) {
    return refused(`the patch unpacks to ${claimed} bytes; a tree may have ${caps.totalBytes}`)
  }
  const quarantine = await openQuarantine(storeDirectory)
  try {
    const { gitDirectory } = quarantine
    await git(['read-tree', base], { gitDirectory, signal })
    const applied = await runGit(['apply', '--cached', '--whitespace=nowarn', '-'], {
      gitDirectory,
      signal,
      stdin: patch,
      memoryBytes: 2 * caps.totalBytes + OWN_MEMORY_BYTES,
      timeoutMs: TIMEOUT_MS,
    })
    if (isTroubleOfTheHost(applied)) {
      throw new Fault('infra/git', `git apply: ${applied.stderr.slice(0, 300) || 'it was killed'}`)
    }
    // Behind a part that it could read, git drops the rest of a patch that it cannot, says so, and ends with 0.
    if (applied.code !== 0 || /^error: /m.test(applied.stderr)) {
      return refused(applied.stderr || 'git apply ended without a word')
    }
    const tree = (await git(['write-tree'], { gitDirectory, signal })).toString('utf8').trim()
    const listing = await listTree(gitDirectory, tree, signal)
    if (listing.kind === 'unreadable') return refused(`${listing.path}: the name is not UTF-8`)
    const bytes = listing.entries.reduce((sum, entry) => sum + entry.sizeBytes, 0)
    if (bytes > caps.totalBytes) {
      return refused(`the patched tree has ${bytes} bytes; at most ${caps.totalBytes} are taken`)
    }
    await release(quarantine, storeDirectory)
    return { kind: 'applied', tree }
  } finally {
    await rm(quarantine.scratch, { recursive: true, force: true })
  }
}

function refused(reason: string): PatchOutcome {
  return { kind: 'refused', reason: cutText(reason, MAX_REASON_LENGTH) }
}

/**
 * Bytes that binary hunks say they unpack to: `literal N` and `delta N` lines. Lines of content start with a space,
 * `+` or `-`, so only such headers (or words in a preamble) can look like this.
 */
function claimedBytes(patch: Uint8Array): number {
  const text = Buffer.from(patch.buffer, patch.byteOffset, patch.byteLength).toString('latin1')
  let sum = 0
  for (const match of text.matchAll(/^(?:literal|delta) (\d{1,18})$/gm)) sum += Number(match[1])
  return sum
}
