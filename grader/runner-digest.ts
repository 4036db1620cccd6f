import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { z } from 'zod'
import { digestOf, digestOfBytes, digestSchema, type Digest } from '../specs/digest.ts'
import { CODE_FILES, CODE_FOLDERS, CODE_LIBRARIES, isRunnerCode } from './pure/runner-code.ts'

/** Where a package has the digest of the sources that it was built from. */
export const BUILT_DIGEST = 'grader/runner-digest.json'

const ROOT = join(import.meta.dirname, '..')
const builtSchema = z.strictObject({ runner: digestSchema })
const packageSchema = z.object({ dependencies: z.record(z.string(), z.string()) })

let known: Digest | undefined

/**
 * Digest of all code that could change an observation or its judgement, and of the versions of the libraries that it
 * calls. Nothing has to be remembered when one of them is changed. A package was given it when it was built: that of its
 * sources, so that package and checkout of one version have the same.
 */
export function runnerDigest(): Digest {
  known ??= existsSync(join(ROOT, BUILT_DIGEST))
    ? builtSchema.parse(JSON.parse(readFileSync(join(ROOT, BUILT_DIGEST), 'utf8'))).runner
    : digestOfSources(ROOT)
  return known
}

/** {@link runnerDigest} of a checkout. */
export function digestOfSources(root: string): Digest {
  return digestOf({ code: digestsOfCode(root), libraries: versionsOfLibraries(root) })
}

/** sha256 of every file that counts, by its path below `root`. */
export function digestsOfCode(root: string): Readonly<Record<string, Digest>> {
  const inFolders = CODE_FOLDERS.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(root, join(entry.parentPath, entry.name))),
  )
  const paths = [...inFolders.filter(isRunnerCode), ...CODE_FILES].sort()
  return Object.fromEntries(paths.map((path) => [path, digestOfBytes(readFileSync(join(root, path)))]))
}

/** The versions that `package.json` pins. */
export function versionsOfLibraries(root: string): Readonly<Record<string, string>> {
  const { dependencies } = packageSchema.parse(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')))
  return Object.fromEntries(
    CODE_LIBRARIES.map((name) => {
      const version = Object.hasOwn(dependencies, name) ? dependencies[name] : undefined
      if (version === undefined) throw new Error(`package.json pins no ${name}`)
      return [name, version]
    }),
  )
}
