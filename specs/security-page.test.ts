import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '..')
const page = readFileSync(join(ROOT, 'SECURITY.md'), 'utf8')
/** Product code only: a code that nothing but a test or a page names is not implemented. */
const sources = execFileSync('git', ['ls-files', 'engine', 'grader', 'oracle', 'images', 'specs'], {
  cwd: ROOT,
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => /\.(?:ts|cjs|py|sh)$/.test(file) && !/\.test\.ts$|\/testing\//.test(file))
const codesIn = (text: string) => new Set(text.match(/\bD(?:[1-9]|1[0-9]|2[0-4])\b/g))
const implemented = codesIn(sources.map((file) => readFileSync(join(ROOT, file), 'utf8')).join('\n'))
const section = (title: string) => page.split(/^## /m).find((each) => each.startsWith(title)) ?? ''
const codes = Array.from({ length: 24 }, (_, index) => `D${index + 1}`)

describe('SECURITY.md', () => {
  it.each(codes)('has %s in its table of defences, and the code is named where it is implemented', (code) => {
    expect(section('Defences')).toMatch(new RegExp(`^\\| ${code} \\|`, 'm'))
    expect(implemented).toContain(code)
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
