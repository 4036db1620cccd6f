import { parse } from 'smol-toml'
import { z } from 'zod'
import { Fault } from '../specs/fault.ts'
import { sortInstalled, type Manifests } from './npm-manifest.ts'

const pyprojectSchema = z.looseObject({
  project: z.looseObject({ dependencies: z.array(z.string()).default([]) }).optional(),
})

/** pip's own report of an installation (`pip install --report`), format version 1. */
const reportSchema = z.looseObject({
  install: z.array(
    z.looseObject({
      metadata: z.looseObject({ name: z.string(), version: z.string() }),
      download_info: z.looseObject({
        archive_info: z
          .looseObject({
            hash: z.string().optional(),
            hashes: z.record(z.string(), z.string()).optional(),
          })
          .optional(),
      }),
    }),
  ),
})

/** What pip is given. */
export interface PythonPlan {
  readonly requirements: string
  /** Every requirement has its hash. */
  readonly locked: boolean
}

/**
 * What of a tree's manifest is installed for it at run time: `requirements.txt`, or else the dependencies of
 * `pyproject.toml`; pure.
 * @returns undefined where there is nothing to install.
 * @throws Fault `config/dependencies` naming file and line. Options would let the tree choose the index or reach
 * files, so only hashes are taken.
 */
export function planPython(manifests: Manifests): PythonPlan | undefined {
  const requirements = manifests['requirements.txt']
  if (requirements !== undefined) return planRequirements(Buffer.from(requirements).toString('utf8'))
  const pyproject = manifests['pyproject.toml']
  if (pyproject === undefined) return undefined
  const dependencies = readPyproject(Buffer.from(pyproject).toString('utf8'))
  return dependencies.length === 0 ? undefined : planLines('pyproject.toml', dependencies)
}

function planRequirements(text: string): PythonPlan | undefined {
  const lines = text
    .replaceAll(/\\\r?\n/g, ' ')
    .split(/\r?\n/)
    .map((line) => line.replace(/(^|\s)#.*$/, '').trim())
    .filter((line) => line !== '' && line !== '--require-hashes')
  return lines.length === 0 ? undefined : planLines('requirements.txt', lines)
}

function planLines(file: string, lines: readonly string[]): PythonPlan {
  for (const line of lines) {
    const [requirement = ''] = line.split(/\s--hash[= ]/)
    if (/^-|\s-|@|^[./]|:\/\/|\.(whl|zip|tar\.gz)$/.test(requirement)) {
      throw new Fault('config/dependencies', `${file}: "${line}": expected a name with a version, and hashes`)
    }
  }
  const hashed = lines.filter((line) => line.includes('--hash')).length
  return { requirements: `${lines.join('\n')}\n`, locked: hashed === lines.length }
}

function readPyproject(text: string): readonly string[] {
  let data: unknown
  try {
    data = parse(text)
  } catch (error) {
    throw new Fault('config/dependencies', 'pyproject.toml: not TOML', { cause: error })
  }
  const result = pyprojectSchema.safeParse(data)
  if (result.success) return result.data.project?.dependencies ?? []
  throw new Fault('config/dependencies', 'pyproject.toml: project.dependencies: expected a list of strings', {
    cause: result.error,
  })
}

/** What pip installed, and requirements with hashes that install exactly that again. */
export function readPipReport(report: string): {
  readonly installed: readonly { readonly name: string; readonly version: string }[]
  /** Undefined where pip did not say the hash of each archive. */
  readonly requirements: string | undefined
} {
  const packages = reportSchema.parse(JSON.parse(report)).install.map(({ metadata, download_info }) => {
    const { hash, hashes } = download_info.archive_info ?? {}
    const sha256 =
      hashes?.['sha256'] ?? (hash?.startsWith('sha256=') === true ? hash.slice('sha256='.length) : undefined)
    return { name: metadata.name, version: metadata.version, sha256 }
  })
  const sorted = sortInstalled(packages)
  const lines = sorted.map(({ name, version, sha256 }) => `${name}==${version} --hash=sha256:${sha256 ?? ''}`)
  return {
    installed: sorted.map(({ name, version }) => ({ name, version })),
    requirements: sorted.every(({ sha256 }) => sha256 !== undefined) ? `${lines.join('\n')}\n` : undefined,
  }
}
