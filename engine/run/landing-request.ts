import { resolve } from 'node:path'
import type { LandingRequest } from '../../specs/journal.ts'
import type { Task } from '../../specs/task.ts'
import { landingIdentity } from '../landing/identity.ts'
import { parseLandingTarget } from '../landing/target.ts'

/** What a user says of a landing. */
export interface LandingAsked {
  /** `REPO#BRANCH`. */
  readonly land: string
  /** The file of the key that signs an attestation. */
  readonly sign?: string
}

/**
 * What a run records of where it lands: names made absolute, author and committer as git has them.
 * @throws Fault `config/landing`, `config/identity`.
 */
export async function landingRequest(
  { land, sign }: LandingAsked,
  { base }: Task,
  signal: AbortSignal,
): Promise<LandingRequest> {
  const cwd = process.cwd()
  const { repository, branch } = parseLandingTarget(land, cwd)
  const identity = await landingIdentity(process.env, cwd, signal)
  const folder = base.from === 'git' ? plainFolder(base.subdirectory) : undefined
  return {
    repository,
    branch,
    ...(folder === undefined ? {} : { folder }),
    ...identity,
    ...(sign === undefined ? {} : { signingKey: resolve(cwd, sign) }),
  }
}

function plainFolder(subdirectory: string | undefined): string | undefined {
  const names = (subdirectory ?? '').split('/').filter((name) => name !== '' && name !== '.')
  return names.length === 0 ? undefined : names.join('/')
}
