/** What a host has. */
export interface Host {
  readonly cores: number
  /** Bytes that programs could take now. */
  readonly freeBytes: number
}

/** What one run takes at its peak. */
export interface RunNeeds {
  /** Bytes of one worker box. */
  readonly workerBytes: number
  /** Bytes of the boxes that one grade has open. */
  readonly gradeBytes: number
  readonly attempts: number
}

/** Of what is free, the part that boxes may have: the rest is the engine's, git's and ours. */
const SHARE = 0.75

/**
 * How many runs a host can work at side by side: one more than it has cores, since a run that waits for the engine or for a
 * model leaves one idle, but no more than fit into its memory with all of their workers at work.
 */
export function runsAtOnce(
  { cores, freeBytes }: Host,
  { workerBytes, gradeBytes, attempts }: RunNeeds,
): number {
  const room = freeBytes * SHARE - gradeBytes
  return Math.max(1, Math.min(cores + 1, Math.floor(room / (workerBytes * attempts))))
}
