/** The kernel's words for what is wrong with a disk or a process table, as git ends its line with them (LC_ALL=C). */
const WORDS =
  /: (?:No space left on device|Disk quota exceeded|Input\/output error|Read-only file system|Too many open files(?: in system)?|Structure needs cleaning)$/m

/**
 * Whether git failed by the host and not by what it was given: it was killed (by the memory killer of the host, say),
 * or the disk is full or broken. A patch that needs more memory than a tree may take is git's own `Out of memory`, and
 * that is the patch's doing.
 */
export function isTroubleOfTheHost(end: { readonly code: number | null; readonly stderr: string }): boolean {
  if (end.code === 0) return false
  return end.code === null || WORDS.test(end.stderr)
}
