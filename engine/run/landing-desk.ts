import { join } from 'node:path'
import type { Statement } from '../../specs/attestation.ts'
import { digestOf } from '../../specs/digest.ts'
import type { LandingRequest } from '../../specs/journal.ts'
import { readKey, signStatement } from '../landing/attestation.ts'
import { LandingQueue } from '../landing/landing-queue.ts'
import { openLanding, type Landing } from '../landing/open-landing.ts'
import type { Workshop } from '../workshop.ts'

/** Where a run lands, opened. */
export interface LandingDesk {
  readonly request: LandingRequest
  readonly landing: Landing
  /** Waits until nobody who came before is landing on the branch. The turn lasts until it is left, or the run ends. */
  enter(signal: AbortSignal): Promise<void>
  /** Signs a statement about what landed and adds it to the repository's notes; nothing where the run has no key. */
  attest(statement: Statement, signal: AbortSignal): Promise<void>
  /** Ends the turn. */
  leave(): void
  close(): void
}

/**
 * Opens the branch of a run.
 * @throws Fault `config/landing` when nothing can land there, `infra/landing` when it cannot be reached.
 */
export async function openDesk(
  request: LandingRequest,
  run: string,
  workshop: Workshop,
  note: (line: string) => void,
  signal: AbortSignal,
): Promise<LandingDesk> {
  const { repository, branch, folder } = request
  const directory = join(workshop.state.landing, digestOf({ repository, branch }).slice('sha256:'.length, 23))
  const landing = await openLanding(
    { repository, branch },
    { store: workshop.store, directory, env: process.env, ...(folder === undefined ? {} : { folder }) },
    signal,
  )
  const { signingKey, committer: who } = request
  const key = signingKey === undefined ? undefined : await readKey(signingKey, 'private')
  const queue = new LandingQueue(join(directory, 'queue.sqlite'))
  let turn: (() => void) | undefined
  const leave = () => {
    turn?.()
    turn = undefined
  }
  return {
    request,
    landing,
    async enter(end) {
      turn ??= await queue.enter(run, end, (who) =>
        note(`run ${who} is landing on ${branch}: waiting for its end`),
      )
    },
    async attest(statement, end) {
      if (key === undefined) return
      const [subject] = statement.subject
      const note = JSON.stringify(signStatement(statement, key))
      await landing.addNote(subject.digest.gitCommit, note, who, end)
    },
    leave,
    close() {
      leave()
      queue.close()
    },
  }
}
