import { cpSync, appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { digestOf } from '../specs/digest.ts'
import { digestsOfCode, runnerDigest } from './runner-digest.ts'

const root = join(import.meta.dirname, '..')
let copy: string
beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), 'assay-runner-'))
  for (const folder of ['grader', 'specs'])
    cpSync(join(root, folder), join(copy, folder), { recursive: true })
})
afterAll(() => rmSync(copy, { recursive: true }))

describe('the digest of the runner', () => {
  it('is of the code that runs, and the same wherever that stands', () => {
    expect(runnerDigest()).toBe(digestOf(digestsOfCode(root)))
    expect(digestsOfCode(copy)).toEqual(digestsOfCode(root))
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
  ])('changes with %s', (_name, path) => {
    const before = digestOf(digestsOfCode(copy))
    appendFileSync(join(copy, path), '\n')
    expect(digestOf(digestsOfCode(copy))).not.toBe(before)
  })

  it('stays the same when a test, a page or another format changes', () => {
    const before = digestsOfCode(copy)
    for (const path of [
      'grader/pure/match.test.ts',
      'grader/testing/run-host.ts',
      'specs/grade.md',
      'specs/journal.ts',
    ]) {
      appendFileSync(join(copy, path), '\n')
    }
    writeFileSync(join(copy, 'grader/judge-box.d.ts'), '')
    expect(digestsOfCode(copy)).toEqual(before)
  })
})
