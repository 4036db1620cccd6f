import type Docker from 'dockerode'

/** What everything in `images/` is given. */
export interface ImageDeps {
  readonly docker: Docker
  /** Holds the machine's lock, lock files and scratch space. */
  readonly stateDir: string
  readonly signal: AbortSignal
  /** `host[:port]/prefix` of a registry that may hold our images. */
  readonly registry?: string
  /** Our images have runtimes that can be read, because the kernel of the boxes executes nothing else (gVisor). */
  readonly readableRuntimes?: boolean
  /** One line per step. */
  readonly progress?: (line: string) => void
}

/** An image, pinned: boxes are made from `id`, never from a name. */
export interface PinnedImage {
  readonly name: string
  /** The engine's image id, `sha256:…`. */
  readonly id: string
  /** Digest of what it was built from. */
  readonly recipe: string
}

/** Tells the caller about a step. */
export function say(deps: ImageDeps, line: string): void {
  deps.progress?.(line)
}
