import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import type { ExecEnd } from '../../specs/sandbox.ts'
import { readFrames, type Nonces } from './frame.ts'
import { readProbe } from './probe-reading.ts'

const nonces: Nonces = { wrapper: 'aa', host: 'bb' }
const bytes = (text: string) => new TextEncoder().encode(text)
const EXIT: ExecEnd = { kind: 'exited', code: 0 }
const read = (text: string | Uint8Array, end: ExecEnd = EXIT) =>
  readProbe('r', readFrames(typeof text === 'string' ? bytes(text) : text, nonces), end)
const HELLO = 'bb hello {}\n'
const END = 'aa end {"code":0,"left":""}\n'

describe('readFrames', () => {
  it('reads frames of host and wrapper', () => {
    expect(readFrames(bytes(HELLO + END), nonces)).toEqual({
      frames: [
        { from: 'host', kind: 'hello', body: {} },
        { from: 'wrapper', kind: 'end', body: { code: 0, left: '' } },
      ],
      problems: [],
    })
  })

  it.each([
    ['a line that is no frame', bytes('hello\n'), 'forged'],
    ['an empty line', bytes('\n'), 'forged'],
    ['another nonce', bytes('cc returned {}\n'), 'forged'],
    ['a frame that is no object', bytes('bb returned 1\n'), 'forged'],
    ['JSON that is none', bytes('bb returned {"value":}\n'), 'not-json'],
    [
      'JSON nested beyond reason',
      bytes(`bb returned {"value":${'['.repeat(5000)}${']'.repeat(5000)}}\n`),
      'not-json',
    ],
    ['bytes that are no text', new Uint8Array([0xff, 10]), 'not-text'],
    ['a line without an end', bytes('bb returned {"value":1}'), 'cut'],
    ['a line beyond reason', bytes(`bb returned {"value":"${'x'.repeat(9e6)}"}\n`), 'oversize'],
  ])('calls by its name: %s', (_name, line, kind) => {
    expect(readFrames(line, nonces)).toMatchObject({ frames: [], problems: [{ kind }] })
  })

  it('stops at a flood of what is no frame', () => {
    expect(readFrames(bytes('x\n'.repeat(1000)), nonces).problems).toHaveLength(20)
  })
})

describe('a run is read as', () => {
  it.each<[string, string, ExecEnd, object]>([
    [
      'what the host last said',
      `${HELLO}bb returned {"value":1}\n${END}`,
      EXIT,
      { outcome: 'returned', value: 1 },
    ],
    [
      'the return that came before its box hit a limit',
      `${HELLO}bb returned {"value":1}\n`,
      { kind: 'limit', limit: 'memory' },
      { outcome: 'returned' },
    ],
    [
      'steps in their order',
      `${HELLO}bb step {"name":"a","value":1}\nbb step {"name":"b","value":2}\nbb timeout {}\n${END}`,
      EXIT,
      { outcome: 'timeout', steps: [{ name: 'a' }, { name: 'b' }] },
    ],
    [
      'a crash with the code that the wrapper saw',
      `${HELLO}aa end {"code":7,"left":""}\n`,
      EXIT,
      { outcome: 'crashed', code: 7, signal: null },
    ],
    [
      'a crash by a signal',
      `${HELLO}aa end {"code":134,"left":""}\n`,
      EXIT,
      { outcome: 'crashed', code: null, signal: 'SIGABRT' },
    ],
    [
      'a crash with the error that nobody caught',
      `${HELLO}bb uncaught {"error":"x"}\naa end {"code":1,"left":""}\n`,
      EXIT,
      { outcome: 'crashed', error: 'x' },
    ],
    [
      'a crash of its wrapper',
      HELLO,
      { kind: 'exited', code: 137 },
      { outcome: 'crashed', signal: 'SIGKILL' },
    ],
    [
      'a return of a product that handled its error',
      `${HELLO}bb uncaught {"error":"x"}\nbb returned {"value":1}\n${END}`,
      EXIT,
      { outcome: 'returned' },
    ],
    ['a timeout', HELLO, { kind: 'timeout' }, { outcome: 'timeout' }],
    [
      'a limit',
      `${HELLO}bb returned {"val`,
      { kind: 'limit', limit: 'output' },
      { outcome: 'limit', limit: 'output' },
    ],
  ])('%s', (_name, text, end, observation) => {
    expect(read(text, end)).toMatchObject({ kind: 'observed', observation, findings: [] })
  })

  it.each<[string, string, ExecEnd, boolean]>([
    ['nothing came', '', EXIT, false],
    ['the runtime is not there', 'aa end {"code":127,"left":""}\n', EXIT, true],
    ['the runtime was killed', 'aa end {"code":137,"left":""}\n', EXIT, false],
    ['a limit was hit before the host started', '', { kind: 'limit', limit: 'memory' }, false],
  ])('not started, which nobody is blamed for, when %s', (_name, text, end, isMissing) => {
    expect(read(text, end)).toMatchObject({ kind: 'not-started', isMissing })
  })

  it('a finding when the wrapper was killed though the product answered', () => {
    expect(read(`${HELLO}bb returned {"value":1}\n`, { kind: 'exited', code: 137 })).toMatchObject({
      kind: 'observed',
      tidy: false,
      findings: [{ kind: 'killed-wrapper', row: 'r' }],
    })
  })

  it.each([
    ['a second last frame', `${HELLO}bb returned {"value":1}\nbb returned {"value":2}\n${END}`],
    ['a frame after the last', `${HELLO}bb returned {"value":1}\nbb step {"name":"a","value":1}\n${END}`],
    ['a second hello', `${HELLO}${HELLO}bb returned {"value":1}\n${END}`],
    ['a kind that no host writes', `${HELLO}bb verdict {"pass":true}\nbb returned {"value":1}\n${END}`],
    ['a line of its own', `${HELLO}PASS\nbb returned {"value":1}\n${END}`],
  ])('forged with %s', (_name, text) => {
    expect(read(text)).toMatchObject({ kind: 'observed', findings: [{ kind: 'forged-frame', row: 'r' }] })
  })

  it.each([
    ['another observation inside', `${HELLO}bb returned {"value":1,"pass":true}\n${END}`],
    ['a return before any hello', `bb returned {"value":1}\n${END}`],
    ['a step that is none', `${HELLO}bb step {"name":1}\nbb returned {"value":1}\n${END}`],
  ])('garbled, never an observation, with %s', (_name, text) => {
    const reading = read(text)
    expect(reading.kind).toBe('garbled')
    expect(reading).toMatchObject({ findings: [{ kind: 'forged-frame' }] })
  })

  it('a finding where something was left behind, and untidy', () => {
    const text = `${HELLO}bb returned {"value":1}\naa end {"code":0,"left":"/tmp"}\n`
    expect(read(text)).toMatchObject({ tidy: false, findings: [{ kind: 'leftover-files', row: 'r' }] })
    expect(read(text.replace('/tmp', 'process'))).toMatchObject({ findings: [{ kind: 'leftover-process' }] })
  })
})

test.prop([fc.uint8Array({ maxLength: 300 })])(
  'any bytes are read without a throw, and observe nothing',
  (noise) => {
    expect(['not-started', 'garbled']).toContain(read(noise).kind)
  },
)
test.prop([fc.string({ unit: 'binary' })])(
  'text after a real run never changes what was observed',
  (noise) => {
    const reading = read(bytes(`${HELLO}bb returned {"value":1}\n${END}${noise}`))
    expect(reading).toMatchObject({ kind: 'observed', observation: { outcome: 'returned', value: 1 } })
  },
)
