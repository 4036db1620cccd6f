import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '..')
const page = readFileSync(join(ROOT, 'SECURITY.md'), 'utf8')
/** Product code only: where a person who looks for a code finds what it is about. */
const sources = execFileSync('git', ['ls-files', 'engine', 'grader', 'oracle', 'images', 'specs'], {
  cwd: ROOT,
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => /\.(?:ts|cjs|py|sh)$/.test(file) && !/\.test\.ts$|\/testing\//.test(file))
const codesIn = (text: string) => new Set(text.match(/\bD(?:[1-9]|1[0-9]|2[0-4])\b/g))
const named = codesIn(sources.map((file) => readFileSync(join(ROOT, file), 'utf8')).join('\n'))
const section = (title: string) => page.split(/^## /m).find((each) => each.startsWith(title)) ?? ''

/** A test that fails when a defence is taken out: its file, and its name or that of its row. */
const TRIED: Readonly<Record<string, readonly [file: string, name: string]>> = {
  D1: [
    'test/grader/product-box.test.ts',
    'crashes when it ends its parent shell, and the next probe gets a fresh box',
  ],
  D2: ['engine/trees/apply-patch.test.ts', 'a patch that hides what it does: the trees tell'],
  D3: [
    'test/grader/node-suite.test.ts',
    'meets neither the tests nor the configuration of the output, and says so',
  ],
  D4: ['test/grade.test.ts', '%s: never verified'],
  D5: ['test/grader/product-box.test.ts', 'finds no other scenario, and no job on its input'],
  D6: ['test/grader/product-box.test.ts', 'is found out when it writes %s on the channel'],
  D7: ['test/suites.test.ts', 'is held as tampered when a test that must fail passed'],
  D8: [
    'test/grader/pytest-suite.test.ts',
    'meets neither the tests nor the configuration of the output, and says so',
  ],
  D9: ['test/grade.test.ts', 'another dependency is held: exit 3, before anything is graded'],
  D10: [
    'engine/sandbox/limits.docker.test.ts',
    'neither the host, nor its metadata address, nor anything else is reached',
  ],
  D11: ['test/grade.test.ts', 'and takes all memory where base did not: refuted'],
  D12: ['test/grader/product-box.test.ts', 'leaves no daemon for the next probe'],
  D13: [
    'engine/sandbox/limits.docker.test.ts',
    'no capability, no way to gain one, and seccomp where the engine has it',
  ],
  D14: ['test/grade.test.ts', 'is never graded twice: the second time says so and makes no box'],
  D15: ['engine/sandbox/sandbox.contract.ts', 'a box of another kind does not get one'],
  D16: [
    'test/feedback-leak.test.ts',
    'learns something, no more than the ledger says, and the ledger stops it at the budget of all attempts',
  ],
  D17: [
    'engine/run/loop.test.ts',
    'lets worker and oracle work side by side, and opens nothing before the seal',
  ],
  D18: ['grader/pure/verdict.test.ts', 'when a row passes in some runs only'],
  D19: ['test/surroundings.test.ts', 'in one time zone'],
  D20: ['test/grader/mechanisms.test.ts', 'answer for each row, with a reason'],
  D21: ['engine/pure/tree-gate.test.ts', 'changes and notes of what passes'],
  D22: [
    'engine/trees/git-tree-store.test.ts',
    'takes nothing from the environment, the home folder or a hook',
  ],
  D23: ['engine/decide.properties.test.ts', '%s: ends, and nothing completes or lands unless it is verified'],
  D24: ['engine/decide.test.ts', 'refuted with a finding hears nothing and is held'],
}
const codes = Array.from({ length: 24 }, (_, index) => `D${index + 1}`)

describe('SECURITY.md', () => {
  it.each(codes)(
    'has %s in its table of defences, and the source names it where it is implemented',
    (code) => {
      expect(section('Defences')).toMatch(new RegExp(`^\\| ${code} \\|`, 'm'))
      expect(named).toContain(code)
    },
  )

  it.each(codes)('claims %s, which a test tries that is there', (code) => {
    const [file, name] = TRIED[code]!
    expect(file).toMatch(/\.(?:test|contract)\.ts$/)
    expect(readFileSync(join(ROOT, file), 'utf8')).toContain(`'${name}'`)
  })

  it('links to files that are there', () => {
    const targets = [
      ...page.matchAll(/\]\(([^)#]+)/g),
      ...page.matchAll(/`([\w./-]+\.(?:test|contract)\.ts)`/g),
    ]
      .map(([, target]) => target!)
      .filter((target) => !/^https?:/.test(target))
    expect(targets.length).toBeGreaterThan(10)
    expect(targets.filter((target) => !existsSync(join(ROOT, target)))).toEqual([])
  })
})
