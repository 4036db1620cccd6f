import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { dockerTestHost, TEST_STATE_DIR } from '../engine/sandbox/docker-test-host.ts'
import { GitTreeStore } from '../engine/trees/git-tree-store.ts'
import { BoxExaminer } from '../grader/examiner.ts'
import { trivialProducts } from '../grader/pure/trivial-products.ts'
import { validateExpectation } from '../grader/pure/validate-pattern.ts'
import { verdictsOf } from '../grader/pure/verdict.ts'
import { ensureImage } from '../images/ensure-image.ts'
import { makeSeal } from '../oracle/make-seal.ts'
import { verifySeal } from '../specs/verify-seal.ts'
import { digestOfBytes, type TreeId } from '../specs/digest.ts'
import type { Sandbox } from '../specs/sandbox.ts'

const MIB = 2 ** 20
const REQUEST = '`title()` must trim both ends of its text. Everything else stays as it is.'
const runId = `oracle-admission-${randomUUID()}`
const { signal } = new AbortController()

const BASE =
  "exports.title = (text) => text.replace(/^ +/, '')\nexports.shout = (text) => text.toUpperCase()\n"
const diff = (line: string) =>
  `diff --git a/index.js b/index.js\n--- a/index.js\n+++ b/index.js\n@@ -1,2 +1,2 @@\n-${BASE.split('\n')[0] ?? ''}\n+${line}\n exports.shout = (text) => text.toUpperCase()\n`

const title = { claim: 'trim', role: 'behaviour', scenario: 'scenarios/call.mjs' }
const document = {
  version: 1,
  claims: [
    { id: 'trim', kind: 'change', statement: 's', spec_ref: 'must trim both ends' },
    { id: 'rest', kind: 'keep', statement: 's', spec_ref: 'Everything else stays as it is' },
  ],
  checks: [
    {
      ...title,
      id: 'title',
      cases: [
        { id: 'end', input: ['title', 'a '], expect: { returns: 'a' } },
        { id: 'start', input: ['title', ' a'], expect: { returns: 'a' } },
        { id: 'judged', input: ['title', 'b '], judge: 'judges/trimmed.mjs' },
        { id: 'silent', input: ['title', 'b '], judge: 'judges/broken.mjs' },
      ],
    },
    { ...title, id: 'shout', claim: 'rest', role: 'guard', input: ['shout', 'a'], expect: { asBase: true } },
    { ...title, id: 'clock', claim: 'rest', role: 'guard', input: ['hrtime'], expect: { asBase: true } },
    {
      id: 'plumbing',
      role: 'canary',
      scenario: 'scenarios/call.mjs',
      input: ['title', 'a'],
      expect: { returns: 'fe81' },
    },
  ],
  trials: [
    { id: 'right', diff: 'trials/right.diff', expect: 'verified' },
    { id: 'wrong', diff: 'trials/wrong.diff', expect: 'refuted' },
  ],
}
const files = new Map(
  Object.entries({
    'checks.json': JSON.stringify(document),
    'scenarios/call.mjs': `export default async ({ load, input: [name, ...rest] }) =>
      name === 'hrtime' ? String(process.hrtime.bigint()) : (await load('.'))[name](...rest)`,
    'judges/trimmed.mjs': `export default ([seen]) =>
      ({ pass: seen.outcome === 'returned' && seen.value === String(seen.value).trim() && seen.value !== '', reason: 'not trimmed' })`,
    'judges/broken.mjs': 'export default (',
    'trials/right.diff': diff('exports.title = (text) => text.trim()'),
    'trials/wrong.diff': diff('exports.title = (text) => text'),
  }).map(([path, text]) => [path, new TextEncoder().encode(text)] as const),
)

let sandbox: Sandbox
let scratch: string
let trees: GitTreeStore
let base: TreeId
let examiner: BoxExaminer
let imageId: string

beforeAll(async () => {
  const host = await dockerTestHost()
  sandbox = host.sandbox
  const images = { docker: host.docker, stateDir: TEST_STATE_DIR, signal }
  imageId = (await ensureImage(images, 'node')).id
  scratch = await mkdtemp(join(tmpdir(), 'assay-oracle-admission-'))
  trees = await GitTreeStore.open(join(scratch, 'store'))
  base = await trees.writeTree([{ path: 'index.js', mode: '100644', content: Buffer.from(BASE) }])
  examiner = new BoxExaminer({
    sandbox,
    trees,
    runId,
    productImage: imageId,
    judgeImage: async () => (await ensureImage(images, 'judge')).id,
    limits: {
      memoryBytes: 256 * MIB,
      cpus: 1,
      processes: 64,
      fileSizeBytes: 16 * MIB,
      openFiles: 256,
      tmpBytes: 32 * MIB,
      diskBytes: 64 * MIB,
      inodes: 10_000,
      outputBytes: 4 * MIB,
    },
    workdir: '/box/tree',
  })
}, 600_000)
afterAll(async () => {
  await examiner.close()
  expect(await sandbox.reap({ run: runId })).toEqual({ boxes: 0, volumes: 0, networks: 0 })
  await rm(scratch, { recursive: true })
})

describe('admission in real boxes', () => {
  it('finds what is wrong with each row, judges the trials, and seals what is left', async () => {
    const outcome = await makeSeal(
      {
        author: {
          label: 'test',
          hearsReasons: false,
          handIn: () => Promise.resolve({ kind: 'handed-in', files }),
        },
        request: REQUEST,
        base,
        imageId,
        tries: 1,
        admissionRuns: 2,
        trialRuns: 1,
        nonceSeed: '0'.repeat(64),
        orderSeed: 3,
        signal,
      },
      { examiner, trees, trivialProducts, validateExpectation, verdictsOf },
    )
    if (outcome.kind !== 'sealed') throw new Error(outcome.reasons.join('\n'))
    const { admission } = outcome.seal
    expect(Object.fromEntries(admission.rows.map(({ row, reason }) => [row, reason ?? 'valid']))).toEqual({
      'title#end': 'valid',
      'title#start': 'already-passes-on-base',
      'title#judged': 'valid',
      'title#silent': 'judge-silent',
      shout: 'valid',
      clock: 'unstable',
      plumbing: 'valid',
    })
    expect(admission.trials).toEqual([
      { id: 'right', expect: 'verified', got: 'verified', failed: [] },
      { id: 'wrong', expect: 'refuted', got: 'refuted', failed: ['title#end', 'title#judged'] },
    ])
    expect(admission.unverifiable).toEqual([])
    expect(verifySeal(outcome.seal, outcome.checkSet, { request: digestOfBytes(REQUEST) })).toEqual([])
  }, 120_000)
})
