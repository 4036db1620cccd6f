import { createRequire } from 'node:module'
import { describe, expect, it } from 'vitest'

interface ChildReport {
  runChild(
    child: {
      readonly argv: readonly string[]
      readonly cwd: string
      readonly input: (nonce: string) => string
    },
    onForged: (line: string) => void,
  ): Promise<{ readonly said: readonly string[]; readonly code: number | null }>
  wholeReport(child: { readonly said: readonly string[]; readonly code: number | null }): readonly unknown[]
}
const { runChild, wholeReport } = createRequire(import.meta.url)(
  '../hosts/suite/shared/child-report.cjs',
) as ChildReport

/** Runs a program that has its nonce in `own`. */
async function run(program: string) {
  const forged: string[] = []
  const whole = `const fs = require('node:fs'); const own = fs.readFileSync(0, 'utf8'); ${program}`
  const child = { argv: [process.execPath, '-e', whole], cwd: '/', input: (nonce: string) => nonce }
  const seen = await runChild(child, (line) => forged.push(line))
  return { ...seen, forged }
}

describe('a child that reports', () => {
  it('is heard by its nonce; other lines are forged, and half a line is none', async () => {
    const program = "fs.writeSync(3, own + ' a\\nb\\n' + own + 'c\\n' + own + ' d'); process.exitCode = 3"
    const { said, code, forged } = await run(program)
    expect({ said, code, forged: forged.map((line) => line.length) }).toEqual({
      said: ['a'],
      code: 3,
      forged: [1, 33],
    })
  })

  it('is ended when it says too much, and has said nothing', async () => {
    const program = "for (;;) fs.writeSync(3, own + ' ' + 'x'.repeat(100_000) + '\\n')"
    expect(await run(program)).toEqual({ said: [], code: null, forged: [] })
  })

  it('that cannot be started has said nothing', async () => {
    const child = { argv: ['/no/such/program'], cwd: '/', input: () => '' }
    expect(await runChild(child, () => undefined)).toEqual({ said: [], code: null })
  })
})

const PASSED = '{"test":"a","status":"passed"}'
const FAILED = '{"test":"b","status":"failed"}'
it.each<[string, string[], number | null, number]>([
  ['is whole with its count and its exit code', [PASSED, FAILED, '{"end":2}'], 1, 2],
  ['is whole when all passed', [PASSED, '{"end":1}'], 0, 1],
  ['is none without an end', [PASSED], 0, 0],
  ['is none with another count', [PASSED, '{"end":2}'], 0, 0],
  ['is none when the exit code contradicts it', [FAILED, '{"end":1}'], 0, 0],
  ['is none when a signal ended the process', [PASSED, '{"end":1}'], null, 0],
  ['is none with a line after the end', ['{"end":0}', PASSED], 0, 0],
  ['is none with an end in between', [PASSED, '{"end":1}', '{"end":2}'], 0, 0],
  ['is none with a line that is not JSON', ['{', '{"end":1}'], 0, 0],
  ['is none with nothing', [], 0, 0],
])('a report %s', (_, said, code, count) => {
  expect(wholeReport({ said, code })).toHaveLength(count)
})
