import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { gradeKey } from '../../grader/grade.ts'
import { gradeSchema, type Grade } from '../../specs/grade.ts'
import { sealSchema } from '../../specs/seal.ts'
import { documentOf } from '../../specs/verify-seal.ts'
import { readChain } from './journal-chain.ts'
import type { EventBody, JournalLine } from '../../specs/journal.ts'
import { replayRecord, type Record } from './replay-record.ts'

const examples = join(import.meta.dirname, '..', '..', 'specs', 'examples')
const bytes = (name: string) => readFileSync(join(examples, name))
const files = new Map<string, Uint8Array>([
  ['checks.json', bytes('check-set.valid.json')],
  ...readdirSync(join(examples, 'set'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(join(examples, 'set').length + 1))
    .map((path) => [path, bytes(`set/${path}`)] as const),
])
const seal = sealSchema.parse(JSON.parse(bytes('seal.valid.json').toString('utf8')))
const grade = gradeSchema.parse(JSON.parse(bytes('grade.valid.json').toString('utf8')))
const { lines } = readChain(bytes('journal.valid.jsonl').toString('utf8'))
type EventOf<T extends EventBody['type']> = Extract<EventBody, { type: T }>
const eventOf = <T extends EventBody['type']>(type: T) =>
  lines.find(({ body }) => body.type === type) as JournalLine & { readonly body: EventOf<T> }
const gradeDigest = eventOf('graded').body.grade

/** The example with one event changed; hashes are the chain's business. */
function record<T extends EventBody['type']>(type: T, change: Partial<EventOf<T>>): Record {
  const changed = lines.map((line) =>
    line.body.type === type ? { ...line, body: { ...line.body, ...change } } : line,
  )
  return {
    lines: changed,
    sealed: { seal, checkSet: { document: documentOf(files)!, files } },
    grades: new Map([[gradeDigest, grade]]),
  }
}
const whole = record('resumed', {})
const graded = (change: Partial<Grade>): Record => {
  const other = { ...grade, ...change }
  return { ...whole, grades: new Map([[gradeDigest, { ...other, key: gradeKey(other) }]]) }
}

describe('a record', () => {
  it('that was changed nowhere comes out the same, and its observations were judged again', () => {
    const { divergence, judged } = replayRecord(whole)
    expect(divergence).toBeUndefined()
    expect(judged).toBe(grade.rows.reduce((sum, { runs }) => sum + runs.length, 0))
  })

  it.each<[string, Record, EventBody['type'], string]>([
    [
      'says of another task than its digest',
      record('run-started', { taskDigest: gradeDigest }),
      'run-started',
      'task',
    ],
    [
      'says that the set has a guard it has not',
      { ...whole, sealed: { ...whole.sealed!, seal: withoutGuard() } },
      'sealed',
      'sealed',
    ],
    ['hides a flag of the seal', record('sealed', { flags: ['all is well'] }), 'sealed', 'sealed'],
    ['counts more rows than are sealed', record('sealed', { rows: 99 }), 'sealed', 'sealed'],
    [
      'says that evidence is stronger than it is',
      graded({ claims: grade.claims.map((claim) => ({ ...claim, strength: 'in_process' as const })) }),
      'graded',
      'days',
    ],
    ['hides what is missing', record('graded', { missing: 'nothing' }), 'graded', 'graded'],
    [
      'names a finding that is not there',
      record('graded', { firstFinding: 'canary-passed' }),
      'graded',
      'graded',
    ],
    ['says that fewer rows failed', record('graded', { failed: 3 }), 'graded', 'graded'],
    ['grades another tree than the opened one', graded({ tree: 'a'.repeat(40) }), 'graded', 'tree'],
    ['grades with another seal', graded({ seal: gradeDigest }), 'graded', 'seal'],
    ['grades in another image', graded({ image: 'sha256:other' }), 'graded', 'image'],
    ['grades with another runner', graded({ runner: gradeDigest }), 'graded', 'runner'],
    [
      'runs each row once where the policy says twice',
      graded({ rows: grade.rows.map((row) => ({ ...row, runs: row.runs.slice(0, 1) })) }),
      'graded',
      'day#one',
    ],
    [
      'opened a tree that the gate refused',
      record('opened', { gate: { kind: 'refused', refusals: [] } }),
      'opened',
      'opened',
    ],
  ])('that %s diverges there', (_name, changed, type, what) => {
    expect(replayRecord(changed).divergence).toMatchObject({ seq: eventOf(type).seq, what })
  })

  it('with two differences names the first, of whatever kind', () => {
    const both = record('sealed', { rows: 99 })
    const [last] = both.lines.toReversed()
    const refute: EventBody = { type: 'decided', decision: { do: 'refute' } }
    const forged = both.lines.map((line) => (line === last ? { ...line, body: refute } : line))
    expect(replayRecord({ ...both, lines: forged }).divergence).toMatchObject({ what: 'sealed' })
  })
})

function withoutGuard() {
  const rows = seal.manifest.rows.filter(({ role }) => role !== 'guard')
  return { ...seal, manifest: { ...seal.manifest, rows } }
}
