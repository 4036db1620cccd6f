import { dependencyFileKind } from './dependency-files.ts'
import { Installed, type InstalledPackage, type MissingDependency } from './installed-packages.ts'
import { packageLockEffect } from './package-lock.ts'
import { packageManifestEffect, type FileEffect } from './package-manifest.ts'
import { opaqueEffect, pipfileEffect, pyprojectEffect, setupCfgEffect } from './python-manifests.ts'
import { normalisePythonName, requirementsEffect } from './python-requirements.ts'

/** A path that both trees or one of them has, with its content there. */
export interface DependencyFile {
  readonly path: string
  /** Undefined when the tree has no such file. */
  readonly base: string | undefined
  readonly output: string | undefined
}

export type DependencyChange =
  | { readonly kind: 'none' }
  /** A manifest is another, but nothing of what would be installed is. */
  | { readonly kind: 'named'; readonly paths: readonly string[] }
  | {
      readonly kind: 'changed'
      readonly paths: readonly string[]
      /** The image has everything that the output asks for. */
      readonly satisfied: boolean
      readonly missing: readonly MissingDependency[]
    }

/**
 * Whether an output changes what would be installed (D9), and whether the image has it already. Grading uses the image
 * as it is; this says when that is another than what the output asks for.
 * @param files of any kind; those that say nothing of dependencies or are the same in both are not looked at.
 */
export function dependencyChange(
  files: readonly DependencyFile[],
  installed: readonly InstalledPackage[],
): DependencyChange {
  const changed = files
    .filter((file) => file.base !== file.output && dependencyFileKind(file.path) !== undefined)
    .toSorted((one, other) => (one.path < other.path ? -1 : 1))
  const node = new Installed(installed)
  const python = new Installed(installed, normalisePythonName)
  const effects = changed.map((file) => ({ path: file.path, effect: effectOf(file, node, python) }))
  const paths = effects.map(({ path }) => path)
  if (paths.length === 0) return { kind: 'none' }
  if (effects.every(({ effect }) => effect.kind === 'named')) return { kind: 'named', paths }
  const missing = effects.flatMap(({ effect }) => (effect.kind === 'changed' ? effect.missing : []))
  return { kind: 'changed', paths, satisfied: missing.length === 0, missing }
}

function effectOf({ path, base, output }: DependencyFile, node: Installed, python: Installed): FileEffect {
  switch (dependencyFileKind(path)) {
    case 'package-manifest':
      return packageManifestEffect(path, base, output, node)
    case 'package-lock':
      return packageLockEffect(path, base, output, node)
    case 'requirements':
      return requirementsEffect(path, base, output, python)
    case 'pyproject':
      return pyprojectEffect(path, base, output)
    case 'setup-cfg':
      return setupCfgEffect(path, base, output)
    case 'pipfile':
      return pipfileEffect(path, base, output)
    case 'other-manifest':
    case 'other-lock':
    case 'setup-script':
    case 'installed-file':
      return opaqueEffect(path)
    case undefined:
      return { kind: 'named' }
  }
}
