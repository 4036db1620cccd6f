import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import type { ListedTest, SuiteRun } from '../../../specs/check-set.ts'
import { Fault } from '../../../specs/fault.ts'
import { TEST_STATUSES, type TestStatus } from '../../../specs/suite.ts'
import { agreesByStatus, readReport } from './read-report.ts'
import { readSuite, type SuiteReading } from './suite-observations.ts'

const NONCE = 'c0ffee'
const listed: readonly ListedTest[] = [
  { row: 'a', test: 't.py::a', role: 'behaviour' },
  { row: 'b', test: 't.py::b', role: 'guard' },
  { row: 'other', test: 'u.py::a', role: 'guard' },
]
const suite: SuiteRun = {
  id: 's',
  framework: 'pytest',
  folder: 'suites/s',
  timeoutMs: 1000,
  others: 'refuse',
  listed,
}
const canaries = [
  { place: 't.py', test: 't.py::canary', planted: { file: 'suites/s/t.py', model: 3 } },
  { place: 'u.py', test: 'u.py::canary', planted: { file: 'suites/s/u.py' } },
]
const framework = { name: 'pytest', read: readReport, agrees: agreesByStatus } as const

type Line = readonly [test: string, status: TestStatus]
const HONEST: readonly Line[] = [
  ['t.py::a', 'passed'],
  ['t.py::canary', 'failed'],
  ['t.py::b', 'passed'],
  ['u.py::a', 'passed'],
  ['u.py::canary', 'failed'],
]
const text = (lines: readonly Line[], nonce = NONCE) =>
  lines.map(([id, status]) => `${nonce} ${JSON.stringify({ test: id, status })}\n`).join('')
const whole = (lines: readonly Line[]) => `${text(lines)}${NONCE} {"end":${lines.length}}\n`

function read(
  report: string,
  options: {
    code?: number | null
    signal?: string
    others?: 'ignore'
    rewritten?: readonly string[]
    isBase?: boolean
  } = {},
): SuiteReading {
  const value = {
    report: Buffer.from(report).toString('base64'),
    code: options.code === undefined ? 1 : options.code,
    signal: options.signal ?? null,
    rewritten: [...(options.rewritten ?? [])],
  }
  return readSuite(
    { outcome: 'returned', value, steps: [] },
    {
      suite: { ...suite, others: options.others ?? 'refuse' },
      framework,
      canaries,
      nonce: NONCE,
      isBase: options.isBase ?? false,
    },
    listed,
  )
}

/** What each row came to: its status and what is beside it, or the outcome. */
const rows = ({ observed }: SuiteReading) =>
  Object.fromEntries(
    observed.map(({ row, observation }) => [
      row,
      observation.outcome === 'returned' ? JSON.stringify(observation.value) : observation.outcome,
    ]),
  )
const kinds = ({ findings }: SuiteReading) => findings.map(({ kind }) => kind)
const PASSED = '{"status":"passed"}'
const without = (id: string) => HONEST.filter(([one]) => one !== id)
const instead = (id: string, status: TestStatus) =>
  HONEST.map((line): Line => (line[0] === id ? [id, status] : line))

describe('a report', () => {
  it('that is whole passes what passed', () => {
    const reading = read(whole(HONEST))
    expect(rows(reading)).toEqual({ a: PASSED, b: PASSED, other: PASSED })
    expect(reading.findings).toEqual([])
  })

  it.each(TEST_STATUSES.filter((status) => status !== 'passed'))(
    'with a %s test is no pass of it',
    (status) => {
      const reading = read(whole(instead('t.py::a', status)))
      expect(rows(reading)).toEqual({ a: `{"status":"${status}"}`, b: PASSED, other: PASSED })
      expect(reading.findings).toEqual([])
    },
  )

  it.each<[string, string, { code?: number; others?: 'ignore' }, object, readonly string[]]>([
    [
      'without a test is no pass of it, and no finding: its file may not load',
      whole(without('t.py::a')),
      {},
      { a: 'unreachable', b: PASSED, other: PASSED },
      [],
    ],
    [
      'with nothing at all is no pass',
      `${NONCE} {"end":0}\n`,
      { code: 0 },
      { a: 'unreachable', b: 'unreachable', other: 'unreachable' },
      [],
    ],
    [
      'without an end is no pass of anything',
      text(HONEST),
      {},
      { a: 'crashed', b: 'crashed', other: 'crashed' },
      [],
    ],
    [
      'that is cut off is no pass, and no finding',
      `${text(HONEST)}${NONCE} {"en`,
      {},
      { a: 'crashed', b: 'crashed', other: 'crashed' },
      [],
    ],
    [
      'whose canary is missing is no pass of its file',
      whole(without('t.py::canary')),
      {},
      {
        a: '{"status":"passed","canary":"missing"}',
        b: '{"status":"passed","canary":"missing"}',
        other: PASSED,
      },
      [],
    ],
    [
      'whose canary was skipped is no pass of its file',
      whole(instead('t.py::canary', 'skipped')),
      {},
      {
        a: '{"status":"passed","canary":"skipped"}',
        b: '{"status":"passed","canary":"skipped"}',
        other: PASSED,
      },
      [],
    ],
    [
      'whose canary passed is a finding',
      whole(instead('t.py::canary', 'passed')),
      {},
      {
        a: '{"status":"passed","canary":"passed"}',
        b: '{"status":"passed","canary":"passed"}',
        other: PASSED,
      },
      ['canary-passed'],
    ],
    [
      'whose canary passed although it should not is one, too',
      whole(instead('t.py::canary', 'xpassed')),
      {},
      {
        a: '{"status":"passed","canary":"xpassed"}',
        b: '{"status":"passed","canary":"xpassed"}',
        other: PASSED,
      },
      ['canary-passed'],
    ],
    [
      'with a test twice is a finding',
      whole([...HONEST, ['t.py::a', 'passed']]),
      {},
      { a: '{"status":"passed","times":2}', b: PASSED, other: PASSED },
      ['duplicate-row'],
    ],
    [
      'with a test that nobody listed is a finding',
      whole([...HONEST, ['t.py::new', 'passed']]),
      {},
      { a: PASSED, b: PASSED, other: PASSED },
      ['unknown-row'],
    ],
    [
      'with one is nothing where others are ignored',
      whole([...HONEST, ['t.py::new', 'failed']]),
      { others: 'ignore' },
      { a: PASSED, b: PASSED, other: PASSED },
      [],
    ],
    [
      'that its exit code contradicts is a finding, and no pass',
      whole(HONEST),
      { code: 0 },
      { a: 'crashed', b: 'crashed', other: 'crashed' },
      ['forged-frame'],
    ],
    [
      'with a forged line is a finding',
      `${text([['t.py::a', 'passed']], 'guess')}${whole(without('t.py::a'))}`,
      {},
      { a: 'unreachable', b: PASSED, other: PASSED },
      ['forged-frame'],
    ],
    [
      'with a line after the end is a finding',
      `${whole(without('t.py::a'))}${text([['t.py::a', 'passed']])}`,
      {},
      { a: 'unreachable', b: PASSED, other: PASSED },
      ['forged-frame'],
    ],
    [
      'with a wrong count is a finding',
      `${text(HONEST)}${NONCE} {"end":4}\n`,
      {},
      { a: PASSED, b: PASSED, other: PASSED },
      ['forged-frame'],
    ],
    [
      'with a status that there is not is a finding',
      `${NONCE} {"test":"t.py::a","status":"fine"}\n${whole(without('t.py::a'))}`,
      {},
      { a: 'unreachable', b: PASSED, other: PASSED },
      ['forged-frame'],
    ],
  ])('%s', (_, report, options, expected, findings) => {
    const reading = read(report, options)
    expect(rows(reading)).toEqual(expected)
    expect(kinds(reading)).toEqual(findings)
  })

  it('says of each canary what it came to', () => {
    const lines: readonly Line[] = [
      ...without('t.py::canary').filter(([id]) => id !== 'u.py::canary'),
      ['t.py::canary', 'passed'],
    ]
    expect(read(whole(lines), { code: 0 }).canaries).toEqual([
      { file: 'suites/s/t.py', model: 3, state: 'passed' },
      { file: 'suites/s/u.py', state: 'silent' },
    ])
    expect(read(whole(HONEST)).canaries.map(({ state }) => state)).toEqual(['failed', 'failed'])
  })

  it.each<[string, readonly TestStatus[], string, readonly string[]]>([
    ['fails for each', ['failed', 'error'], PASSED, []],
    ['passes for one', ['failed', 'passed'], '{"status":"passed","canary":"passed"}', ['canary-passed']],
    ['is skipped for one', ['failed', 'skipped'], '{"status":"passed","canary":"skipped"}', []],
  ])('with a canary that has parameters, or is inherited, and %s', (_, [one, other], expected, findings) => {
    const lines: readonly Line[] = [
      ...without('t.py::canary'),
      ['t.py::canary[1-::x]', one ?? 'failed'],
      ['t.py::Other::canary', other ?? 'failed'],
    ]
    const reading = read(whole(lines))
    expect(rows(reading)).toMatchObject({ a: expected, other: PASSED })
    expect(kinds(reading)).toEqual(findings)
  })

  it('of tests that were rewritten while they ran is a finding', () => {
    expect(kinds(read(whole(HONEST), { rewritten: ['t.py'] }))).toEqual(['forged-frame'])
  })

  it('of a runner that a signal ended is no pass of anything', () => {
    expect(rows(read(text(HONEST), { code: null, signal: 'SIGKILL' }))).toMatchObject({ a: 'crashed' })
    expect(kinds(read(whole(HONEST), { code: null, signal: 'SIGKILL' }))).toEqual(['forged-frame'])
  })

  it('that never came is what the whole run came to, in each row', () => {
    const about = { suite, framework, canaries, nonce: NONCE, isBase: true }
    const reading = readSuite({ outcome: 'timeout', steps: [] }, about, listed)
    expect(rows(reading)).toEqual({ a: 'timeout', b: 'timeout', other: 'timeout' })
  })

  it('of a tree that could not be laid is no pass; a program that is not there says nothing of the tree', () => {
    const about = { suite, framework, canaries, nonce: NONCE, isBase: true }
    const unreachable = (name: string) => ({
      outcome: 'unreachable' as const,
      error: { $t: 'error', name, message: 'm', classes: ['Error'] },
      steps: [],
    })
    expect(rows(readSuite(unreachable('Error'), about, listed))).toMatchObject({ a: 'unreachable' })
    const missing = unreachable('SuiteRunnerMissing')
    expect(() => readSuite(missing, about, listed)).toThrow(Fault)
    expect(rows(readSuite(missing, { ...about, isBase: false }, listed))).toMatchObject({ a: 'unreachable' })
  })

  it('of an image without the framework says nothing of an output', () => {
    const why = `${NONCE} {"unavailable":"no pytest"}\n`
    expect(() => read(why, { code: 0, isBase: true })).toThrow(
      new Fault('config/suite-runner', 'the image cannot run pytest: no pytest'),
    )
    // Where base had it, only a product can say so.
    const reading = read(why, { code: 0 })
    expect(rows(reading)).toEqual({ a: 'crashed', b: 'crashed', other: 'crashed' })
    expect(kinds(reading)).toEqual(['forged-frame'])
    // Anybody else's word for that is a forgery.
    expect(kinds(read('guess {"unavailable":"no pytest"}\n', { code: 0 }))).toEqual(['forged-frame'])
  })
})

const line = fc.tuple(
  fc.constantFrom(...HONEST.map(([id]) => id), 't.py::new'),
  fc.constantFrom(...TEST_STATUSES),
)
test.prop([fc.array(line, { maxLength: 8 }), fc.constantFrom(0, 1, 2), fc.boolean()])(
  'passes a row only for exactly one `passed` of it, a whole report, its exit code and a canary that failed',
  (lines, code, hasEnd) => {
    const reading = read(hasEnd ? whole(lines) : text(lines), { code })
    const statuses = (id: string) => lines.filter(([one]) => one === id).map(([, status]) => status)
    const isFailure = lines.some(([, status]) => status === 'failed' || status === 'error')
    // A planted one may come back more than once, as a test with parameters does: each has to have failed.
    const canary = (id: string) =>
      statuses(id).length > 0 && statuses(id).every((status) => status === 'failed' || status === 'error')
    for (const { row, test: id } of listed) {
      const isPass =
        hasEnd &&
        code === (isFailure ? 1 : 0) &&
        statuses(id).join() === 'passed' &&
        canary(id.startsWith('t') ? 't.py::canary' : 'u.py::canary')
      expect(rows(reading)[row] === PASSED).toBe(isPass)
    }
  },
)
test.prop([fc.uint8Array({ maxLength: 200 }), fc.boolean()])(
  'never throws on bytes, and never passes a row on them',
  (bytes, hasNonce) => {
    const junk = Buffer.from(bytes).toString('latin1')
    const reading = read(hasNonce ? `${NONCE} ${junk}\n` : junk)
    expect(Object.values(rows(reading))).not.toContain(PASSED)
  },
)
