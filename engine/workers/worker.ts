import type { Digest, TreeId } from '../../specs/digest.ts'
import type { EventBody } from '../../specs/journal.ts'

/** What a worker may know of its round: the request, a tree, and after the first round k of n. */
export interface Round {
  readonly attempt: number
  readonly round: number
  /** Base in the first round, then what the worker itself left. */
  readonly tree: TreeId
  readonly feedback: { readonly failed: number; readonly of: number } | undefined
  /** What is left of the attempt's time, in milliseconds; absent where it has no bound of its own. */
  readonly leftMs?: number
}

/** How a round ended and its unopened output. */
export interface Delivery {
  readonly end: Extract<EventBody, { type: 'delivered' }>['end']
  readonly parcel: Digest
  /** What it printed, capped; for people. */
  readonly log?: Digest
}

/**
 * The port of a worker. Outcomes are values: a worker that crashes or runs out of time delivers what it left.
 * Only infrastructure throws (`Fault('infra/…')`).
 */
export interface Worker {
  readonly label: string
  /** Whether another round makes sense: a patch file cannot hear. */
  readonly hearsFeedback: boolean
  /** Of a patch: what it delivers. */
  readonly parcel?: Digest
  /** Of a command: the tree of its program folder. */
  readonly program?: TreeId
  /** Puts what was read for it into the run's record; before the run's first event. */
  keep?(): Promise<void>
  work(round: Round, signal: AbortSignal): Promise<Delivery>
}
