/** What a tree may be at most. Bytes are bytes of content or of UTF-8; lengths of paths are without a final NUL. */
export interface TreeCaps {
  /** Files and links of a tree. */
  readonly entries: number
  /** Bytes of all files of a tree together. */
  readonly totalBytes: number
  /** Bytes of one file. */
  readonly fileBytes: number
  readonly pathBytes: number
  /** Bytes between two slashes. Most file systems end at 255. */
  readonly segmentBytes: number
  /** Segments of a path. */
  readonly depth: number
  readonly linkTargetBytes: number
  /** Entries of a tar stream, folders and what is left out included. */
  readonly tarEntries: number
  /** Bytes of a tar stream, what is left out included. */
  readonly tarBytes: number
  /** Bytes of a patch file. */
  readonly patchBytes: number
}

const MIB = 2 ** 20

export const DEFAULT_TREE_CAPS: TreeCaps = {
  entries: 100_000,
  totalBytes: 1024 * MIB,
  fileBytes: 100 * MIB,
  pathBytes: 1024,
  segmentBytes: 255,
  depth: 64,
  linkTargetBytes: 1024,
  tarEntries: 1_000_000,
  tarBytes: 16_384 * MIB,
  patchBytes: 64 * MIB,
}
