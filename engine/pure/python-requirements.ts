import type { Installed, MissingDependency } from './installed-packages.ts'
import type { FileEffect } from './package-manifest.ts'

/** Names of Python packages as PEP 503 compares them. */
export function normalisePythonName(name: string): string {
  return name.toLowerCase().replace(/[-_.]+/g, '-')
}

/** A changed requirements file. Comments, empty lines and the order of lines say nothing. */
export function requirementsEffect(
  path: string,
  base: string | undefined,
  output: string | undefined,
  installed: Installed,
): FileEffect {
  const before = requirementLines(base ?? '').toSorted()
  const after = requirementLines(output ?? '')
  if (before.join('\n') === after.toSorted().join('\n')) return { kind: 'named' }
  return { kind: 'changed', missing: after.flatMap((line) => missingOf(path, line, installed)) }
}

function requirementLines(text: string): readonly string[] {
  return text
    .replaceAll(/\\\r?\n/g, ' ')
    .split(/\r?\n/)
    .map((line) =>
      line
        .replace(/(?:^|\s)#.*$/, '')
        .replaceAll(/\s+/g, ' ')
        .trim(),
    )
    .filter((line) => line !== '')
}

/** After a name nothing that a name has: without that a hostile line takes the square of its length (D11). */
const REQUIREMENT =
  /^([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)(?![A-Za-z0-9._-]) ?(?:\[[^\]]*\])? ?\(?([^;()@]*)\)? ?(?:;.*)?$/

function missingOf(path: string, line: string, installed: Installed): MissingDependency[] {
  // Options (another file, another index), addresses and hashes are not looked into.
  const [, name, specifiers = ''] = REQUIREMENT.exec(line) ?? []
  if (name === undefined) return [{ path, name: line.slice(0, 200), wanted: 'a name with versions' }]
  const holds = installed.versions(name).some((version) => satisfiesPython(version, specifiers))
  return holds ? [] : [installed.missing(path, name, specifiers.trim() || 'any version')]
}

const SPECIFIER = /^(===|==|!=|<=|>=|~=|<|>) ?([0-9]+(?:\.[0-9]+)*)(\.\*)?$/

/**
 * Whether a final release is within the specifiers of PEP 440. Pre-releases, epochs, local and post releases are not
 * read and never hold: then a person looks.
 */
export function satisfiesPython(version: string, specifiers: string): boolean {
  if (!/^[0-9]+(?:\.[0-9]+)*$/.test(version)) return false
  return specifiers
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '')
    .every((each) => {
      const [, operator, wanted = '', wildcard] = SPECIFIER.exec(each) ?? []
      const order = compareReleases(version, wanted)
      const within = release(wanted).every((part, index) => part === (release(version)[index] ?? 0))
      switch (operator) {
        case '===':
          return wildcard === undefined && version === wanted
        case '==':
          return wildcard === undefined ? order === 0 : within
        case '!=':
          return wildcard === undefined ? order !== 0 : !within
        case '~=':
          return wildcard === undefined && order >= 0 && isCompatible(version, wanted)
        case '<=':
          return wildcard === undefined && order <= 0
        case '>=':
          return wildcard === undefined && order >= 0
        case '<':
          return wildcard === undefined && order < 0
        case '>':
          return wildcard === undefined && order > 0
        case undefined:
        default:
          return false
      }
    })
}

/** `~=1.4.2` is `>=1.4.2, ==1.4.*`; with one number only it means nothing. */
function isCompatible(version: string, wanted: string): boolean {
  const prefix = release(wanted).slice(0, -1)
  return prefix.length > 0 && prefix.every((part, index) => part === (release(version)[index] ?? 0))
}

function release(version: string): readonly number[] {
  return version.split('.').map(Number)
}

function compareReleases(one: string, other: string): number {
  const [a, b] = [release(one), release(other)]
  for (let index = 0; index < Math.max(a.length, b.length); index += 1) {
    const difference = (a[index] ?? 0) - (b[index] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}
