import type { FileEffect } from './package-manifest.ts'

/**
 * Changed Python manifests that are not read as what they are: a part that surely decides nothing of what is
 * installed is cut out of both, and what is left is compared. Anything unclear stays in.
 */

/** Tables of `pyproject.toml` that tools for development read. */
const TOOL_TABLES =
  /^tool\.(?:black|ruff|isort|mypy|pyright|pytest|coverage|pylint|flake8|bandit|codespell|towncrier|commitizen|semantic_release|tox)(?:\.|$)/
// No two parts of a pattern here can take the same characters: the text is hostile, and must not make it slow (D11).
const DESCRIPTIVE_KEYS =
  /^(?:version|description|readme|license|authors|maintainers|keywords|classifiers|homepage|repository|documentation) *= *(?:"[^"\\]*"|'[^']*'|\[ *(?:"[^"\\]*" *(?:, *|(?=\])))*\]) *(?:#.*)?$/

/** A changed `pyproject.toml`. */
export function pyprojectEffect(path: string, base = '', output = ''): FileEffect {
  return effect(path, base, output, (text) => reduceToml(text, (table) => TOOL_TABLES.test(table)))
}

/** A changed `Pipfile`. */
export function pipfileEffect(path: string, base = '', output = ''): FileEffect {
  return effect(path, base, output, (text) =>
    reduceToml(text, (table) => table === 'dev-packages' || table === 'scripts'),
  )
}

/** Sections of `setup.cfg` that say what a package is called or how it is tested. */
const QUIET_SECTIONS =
  /^(?:metadata|flake8|mypy.*|tool:pytest|isort|pycodestyle|pydocstyle|coverage:.*|bdist_wheel|aliases|egg_info|tox:.*|pylint.*|bumpversion.*|yapf|upload_docs|build_sphinx)$/

/** A changed `setup.cfg`. */
export function setupCfgEffect(path: string, base = '', output = ''): FileEffect {
  return effect(path, base, output, reduceIni)
}

/** A changed `setup.py` is a program: nothing can be said of it. */
export function opaqueEffect(path: string): FileEffect {
  return {
    kind: 'changed',
    missing: [{ path, name: path, wanted: 'as the output has it, which is not looked into' }],
  }
}

function effect(path: string, base: string, output: string, reduce: (text: string) => string): FileEffect {
  return reduce(base) === reduce(output) ? { kind: 'named' } : opaqueEffect(path)
}

function reduceToml(text: string, isQuiet: (table: string) => boolean): string {
  // Within strings of many lines a line can look like a header and be none.
  if (text.includes('"""') || text.includes("'''")) return text
  let table = ''
  return text
    .split(/\r?\n/)
    .filter((line) => {
      const header = /^\[{1,2} *([\w.-]+) *\]{1,2} *(?:#.*)?$/.exec(line)?.[1]
      if (header !== undefined) table = header
      if (isQuiet(table) || /^\s*(?:#.*)?$/.test(line)) return false
      return !((table === 'project' || table === 'tool.poetry') && DESCRIPTIVE_KEYS.test(line))
    })
    .join('\n')
}

function reduceIni(text: string): string {
  let section = ''
  return text
    .split(/\r?\n/)
    .filter((line) => {
      // A line that goes on is indented, so a header at the margin is always one.
      const header = /^\[([^\]]*)\]/.exec(line)?.[1]
      if (header !== undefined) section = header
      return !QUIET_SECTIONS.test(section) && !/^\s*(?:[#;].*)?$/.test(line)
    })
    .join('\n')
}
