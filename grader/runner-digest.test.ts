import { appendFileSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cruise, type IModule } from 'dependency-cruiser'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CODE_FILES, CODE_LIBRARIES, isRunnerCode } from './pure/runner-code.ts'
import { digestOfSources, digestsOfCode, runnerDigest, versionsOfLibraries } from './runner-digest.ts'

const root = join(import.meta.dirname, '..')
let copy: string
beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), 'assay-runner-'))
  for (const part of ['engine', 'grader', 'specs', 'package.json'])
    cpSync(join(root, part), join(copy, part), { recursive: true })
})
afterAll(() => rmSync(copy, { recursive: true }))

describe('the digest of the runner', () => {
  it('is the same wherever the code stands', () => {
    expect(digestOfSources(copy)).toBe(digestOfSources(root))
    expect(runnerDigest()).toBe(digestOfSources(root))
  })

  it.each([
    ['a host', 'grader/hosts/node/encode.cjs'],
    ['the wrapper', 'grader/hosts/product-wrapper.sh'],
    ['the Python host', 'grader/hosts/python/main.py'],
    ['a runner of tests', 'grader/hosts/suite/pytest/run.py'],
    ['what it is told', 'grader/hosts/suite/pytest/pytest.ini'],
    ['its entry', 'grader/hosts/suite/node-test/entry.mjs'],
    ['what an output may not change for tests', 'specs/protected-paths.ts'],
    ['the judge', 'grader/hosts/judge/main.cjs'],
    ['the matcher', 'grader/pure/match-pattern.ts'],
    ['how verdicts follow', 'grader/pure/verdict.ts'],
    ['the surroundings of a run', 'grader/pure/schedule.ts'],
    ['what a judge box may use', 'grader/judge-box.ts'],
    ['how a set is expanded', 'specs/expand.ts'],
    ['the defaults of a check', 'specs/check-set.ts'],
    ['the tree that a suite runs on', 'engine/pure/plan-overlay.ts'],
    ['how it is made', 'engine/trees/overlay-tree.ts'],
    ['what a box may do', 'engine/pure/sandbox/container-options.ts'],
    ['how its output is read', 'engine/sandbox/frame-demux.ts'],
    ['the list of what counts', 'grader/pure/runner-code.ts'],
  ])('changes with %s', (_name, path) => {
    const before = digestOfSources(copy)
    appendFileSync(join(copy, path), '\n')
    expect(digestOfSources(copy)).not.toBe(before)
  })

  it.each(['re2js', 'ajv'])('changes with the version of %s', (library) => {
    const file = join(copy, 'package.json')
    const before = digestOfSources(copy)
    const text = readFileSync(file, 'utf8')
    writeFileSync(file, text.replace(`"${library}": "`, `"${library}": "9`))
    expect(digestOfSources(copy)).not.toBe(before)
    writeFileSync(file, text)
  })

  it('stays the same when a test, a page or another format changes', () => {
    const before = digestsOfCode(copy)
    for (const path of [
      'grader/pure/match.test.ts',
      'grader/testing/run-host.ts',
      'specs/grade.md',
      'specs/journal.ts',
      'engine/decide.ts',
    ]) {
      appendFileSync(join(copy, path), '\n')
    }
    writeFileSync(join(copy, 'grader/judge-box.d.ts'), '')
    expect(digestsOfCode(copy)).toEqual(before)
  })
})

/** What grades, and the parts that it is given rather than imports. */
const GRADING = [
  'engine/grade/grade-output.ts',
  'engine/sandbox/docker-sandbox.ts',
  'engine/trees/git-tree-store.ts',
]

describe('what grading imports', () => {
  let code: ReadonlySet<string>
  let libraries: ReadonlySet<string>
  beforeAll(async () => {
    ;({ code, libraries } = await importsOf(GRADING))
  }, 60_000)

  it('counts, all of it', () => {
    expect(code.size).toBeGreaterThan(80)
    expect([...code].filter((path) => !isRunnerCode(path))).toEqual([])
  })
  it('is all that is listed by file', () => {
    expect(CODE_FILES.filter((path) => !code.has(path))).toEqual([])
  })
  it('calls the listed libraries, each pinned to one version', () => {
    expect([...libraries].sort()).toEqual([...CODE_LIBRARIES].sort())
    for (const version of Object.values(versionsOfLibraries(root))) expect(version).toMatch(/^\d+\.\d+\.\d+$/)
  })
})

/** Everything that is imported from some files, directly or not, for more than its types. */
async function importsOf(entries: readonly string[]) {
  const { output } = await cruise(
    ['engine', 'grader', 'specs'],
    {
      baseDir: root,
      tsPreCompilationDeps: true,
      doNotFollow: { path: ['node_modules'] },
    },
    { extensions: ['.ts', '.cjs', '.mjs', '.js'] },
  )
  if (typeof output === 'string') throw new Error(`expected a graph, got ${output.slice(0, 100)}`)
  const modules = new Map(output.modules.map((module): [string, IModule] => [module.source, module]))
  const code = new Set<string>()
  const libraries = new Set<string>()
  const follow = (path: string): void => {
    if (code.has(path)) return
    code.add(path)
    for (const { module, resolved, coreModule, dependencyTypes } of modules.get(path)!.dependencies) {
      if (coreModule || dependencyTypes.includes('type-only')) continue
      if (dependencyTypes.includes('npm')) libraries.add(module.split('/')[0]!)
      else follow(resolved)
    }
  }
  entries.forEach(follow)
  return { code, libraries }
}
