import type { BoxLimit } from '../../specs/sandbox.ts'
import type { Admission } from '../../specs/seal.ts'

/** What an author is told about its last set. Reasons are sentences with the place; the rest is there to work with. */
export interface Reply {
  readonly try: number
  readonly reasons: readonly string[]
  /** Absent when the set could not even be read. */
  readonly admission?: Admission
}

/** One try of an author, as a value. `log` is the end of what it wrote to stderr, escaped. */
export type HandIn =
  | { readonly kind: 'handed-in'; readonly files: ReadonlyMap<string, Uint8Array>; readonly log?: string }
  | { readonly kind: 'nothing'; readonly log?: string }
  | { readonly kind: 'timeout'; readonly timeoutMs: number; readonly log?: string }
  | { readonly kind: 'limit'; readonly limit: BoxLimit; readonly log?: string }
  | { readonly kind: 'refused'; readonly reason: string; readonly log?: string }

/** Whoever writes the checks, from the request and base alone. */
export interface Author {
  readonly label: string
  /** Whether a reply can change what it hands in; one that cannot is asked once. */
  readonly hearsReasons: boolean
  /**
   * @param request.reply what became of the try before; absent at the first.
   * @throws Fault `infra/…` when the engine or the disk failed, `config/…` when what the user named is not there.
   */
  handIn(request: { readonly reply?: Reply; readonly signal: AbortSignal }): Promise<HandIn>
}

/** Caps on the files of a set, before anything in them is read. */
export interface FileCaps {
  readonly files: number
  /** Of one file. */
  readonly fileBytes: number
  /** Of all files together. */
  readonly totalBytes: number
}

export type FilesOutcome =
  | { readonly kind: 'read'; readonly files: ReadonlyMap<string, Uint8Array> }
  | { readonly kind: 'refused'; readonly reason: string }
