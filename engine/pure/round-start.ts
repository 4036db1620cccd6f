import type { TreeId } from '../../specs/digest.ts'
import type { EventBody } from '../../specs/journal.ts'

/** What a worker starts its round from. */
export interface RoundStart {
  readonly tree: TreeId
  readonly feedback: { readonly failed: number; readonly of: number } | undefined
}

/**
 * Its own last tree and the last reply, or base and nothing. The reply is taken from the decision to give it: its bits
 * were counted with that, and a run that was killed before the reply was given goes on to the next round with it.
 * @param base the tree of the first round.
 */
export function roundStart(events: readonly EventBody[], attempt: number, base: TreeId): RoundStart {
  let tree = base
  let feedback: RoundStart['feedback']
  for (const event of events) {
    if (event.type === 'opened' && event.attempt === attempt) tree = event.tree ?? base
    if (event.type !== 'decided' || event.decision.do !== 'feedback') continue
    const { decision } = event
    if (decision.attempt === attempt) feedback = { failed: decision.failed, of: decision.of }
  }
  return { tree, feedback }
}
