import type { KeyObject } from 'node:crypto'
import { Fault } from '../../specs/fault.ts'
import { parseTrailers } from '../pure/landing-message.ts'
import { runGit } from '../trees/git.ts'
import { openEnvelope, type OpenedEnvelope } from './attestation.ts'
import { NOTES_REF } from './notes.ts'
import { usersGit } from './users-git.ts'

/** One thing that was looked at. */
export interface CommitCheck {
  readonly what: 'trailers' | 'note' | 'signature' | 'subject' | 'agreement'
  readonly ok: boolean
  readonly detail: string
}

/**
 * Checks what a commit that landed says of itself against its attestation and against the repository.
 * @param repository a folder that is a repository; its notes are in `refs/notes/assay` (`git fetch` does not bring them by
 * itself).
 * @param key that has to have signed the attestation; without one the signature counts as not good.
 * @throws Fault `config/commit` when there is no such commit.
 */
export async function verifyCommit(
  repository: string,
  revision: string,
  key: KeyObject | undefined,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<{ readonly commit: string; readonly checks: readonly CommitCheck[] }> {
  const options = usersGit({ cwd: repository }, env, signal)
  const say = async (argv: readonly string[]) => {
    const { code, stdout } = await runGit(argv, options)
    return code === 0 ? stdout.toString('utf8') : undefined
  }
  const commit = (
    await say(['rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`])
  )?.trim()
  if (commit === undefined)
    throw new Fault('config/commit', `${repository}: expected a commit, ${revision} is none`)
  const tree = (await say(['rev-parse', `${commit}^{tree}`]))?.trim() ?? ''
  const message = (await say(['log', '-1', '--format=%B', commit])) ?? ''
  const trailers = parseTrailers(message)
  const checks: CommitCheck[] = [
    trailers === undefined
      ? { what: 'trailers', ok: false, detail: 'expected the trailers of Assay, each once' }
      : {
          what: 'trailers',
          ok: true,
          detail: `task ${trailers.task}, run ${trailers.run}, ${trailers.verdict}`,
        },
  ]
  const note = await say(['notes', `--ref=${NOTES_REF}`, 'show', commit])
  if (note === undefined) {
    const detail = `no note in ${NOTES_REF} (git fetch REMOTE ${NOTES_REF}:${NOTES_REF} brings them)`
    return { commit, checks: [...checks, { what: 'note', ok: false, detail }] }
  }
  const opened = openNote(note, key)
  if (opened.kind === 'unreadable')
    return { commit, checks: [...checks, { what: 'note', ok: false, detail: opened.why }] }
  const { statement, isSigned, keys } = opened
  const [ofCommit, ofTree] = statement.subject
  const isSubject = ofCommit.digest.gitCommit === commit && ofTree.digest.gitTree === tree
  const { predicate } = statement
  const differing = (['task', 'run', 'seal', 'verdict', 'grade'] as const).filter(
    (name) => trailers?.[name] !== predicate[name],
  )
  return {
    commit,
    checks: [
      ...checks,
      { what: 'note', ok: true, detail: `an in-toto statement in ${NOTES_REF}` },
      {
        what: 'signature',
        ok: isSigned,
        detail: isSigned
          ? 'ed25519, by the key that was given'
          : `${key === undefined ? 'no key was given' : 'not by the key that was given'}; it names key ${keys.join(', ').slice(0, 200)}`,
      },
      {
        what: 'subject',
        ok: isSubject,
        detail: isSubject
          ? `commit ${commit}, tree ${tree}`
          : `it is about commit ${ofCommit.digest.gitCommit}, tree ${ofTree.digest.gitTree}`,
      },
      {
        what: 'agreement',
        ok: differing.length === 0,
        detail:
          differing.length === 0
            ? 'statement and trailers say the same'
            : `they differ in ${differing.join(', ')}`,
      },
    ],
  }
}

/** A note may have lines of several people: the one that is signed counts, else any that can be read. */
function openNote(note: string, key: KeyObject | undefined): OpenedEnvelope {
  const lines = note.split('\n').filter((line) => line.trim() !== '')
  const opened = lines.slice(0, MAX_LINES).map((line) => openEnvelope(line, key))
  const readable = opened.filter((one) => one.kind === 'statement')
  return (
    readable.find(({ isSigned }) => isSigned) ??
    readable[0] ?? { kind: 'unreadable', why: 'no line of it is a DSSE envelope of a statement of Assay' }
  )
}

const MAX_LINES = 1000
