import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Fault } from '../../specs/fault.ts'

/** A branch of a repository: a local folder, or an address that git can push to. */
export interface LandingTarget {
  /** An absolute path or an address. */
  readonly repository: string
  readonly branch: string
}

/** What git allows in the name of a branch, `git check-ref-format`, and nothing that begins with a hyphen. */
const BRANCH =
  /^(?![-/.])(?!.*(?:\.\.|\/\/|\/\.|@\{|\.lock(?:\/|$)))[^\u0000-\u0020\u007f~^:?*[\\]+(?<![/.])$/u

/**
 * Reads `REPO#BRANCH`.
 * @param cwd that a relative path is below.
 * @throws Fault `config/landing` that says what was expected.
 */
export function parseLandingTarget(text: string, cwd: string): LandingTarget {
  const at = text.lastIndexOf('#')
  const [repository, branch] = [text.slice(0, Math.max(0, at)), text.slice(at + 1)]
  if (at < 1 || branch === '') {
    throw new Fault('config/landing', `--land ${text}: expected REPO#BRANCH, e.g. ../project.git#main`)
  }
  if (!BRANCH.test(branch) || branch === '@' || branch === 'HEAD') {
    throw new Fault('config/landing', `--land ${text}: ${branch} is no name of a branch`)
  }
  return { repository: repositoryOf(repository, text, cwd), branch }
}

function repositoryOf(repository: string, text: string, cwd: string): string {
  const protocol = /^([a-z][a-z0-9+.-]*):/i.exec(repository)?.[1]?.toLowerCase()
  if (protocol === 'https' || protocol === 'ssh' || protocol === 'file') return repository
  const path = resolve(cwd, repository)
  if (existsSync(path)) return path
  // git's short form of ssh: host:path, with or without a user.
  const isShort = /^(?:[\w.-]+@)?[\w.-]+:[^:]+$/.test(repository) && !repository.startsWith('-')
  if (isShort && protocol !== 'ext' && protocol !== 'http') return repository
  throw new Fault(
    'config/landing',
    `--land ${text}: expected a folder that is a git repository, or an https:, ssh: or file: address`,
  )
}

/** The address that git is given. */
export function addressOf({ repository }: LandingTarget): string {
  return repository.startsWith('/') ? pathToFileURL(repository).href : repository
}

/** The folder of a local repository. */
export function localPath({ repository }: LandingTarget): string | undefined {
  if (repository.startsWith('/')) return repository
  return repository.startsWith('file:') ? decodeURIComponent(new URL(repository).pathname) : undefined
}
