import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Report } from '../../engine/pure/report.ts'
import { GitTreeStore } from '../../engine/trees/git-tree-store.ts'
import { documentOf } from '../support/assay.ts'
import { BASE, CHECKS, setFiles, worker, writeTask } from '../support/double-task.ts'
import { lookAround, NOTHING } from '../support/look-around.ts'
import { holdSecrets, secretsOf, type SecretHolder } from '../support/secret-holders.ts'
import { eventsOf, openStation, type Station } from '../support/station.ts'

const KINDS = ['worker', 'oracle', 'product', 'judge'] as const
const look = lookAround(KINDS.flatMap(secretsOf))

let station: Station
/** One box of each kind, with secrets in it for as long as the others look. */
let holders: readonly SecretHolder[] = []
beforeAll(async () => {
  station = await openStation(['node', 'judge', 'worker'])
  holders = await Promise.all(KINDS.map((kind) => holdSecrets(station.state, kind)))
})
afterAll(async () => {
  await Promise.all(holders.map((holder) => holder.close()))
  await station.close()
})

it.each(KINDS)('what is looked for can be found where it is: in the box of the %s', async (kind) => {
  const holder = holders.find((one) => one.kind === kind)!
  expect(await holder.lookFromWithin(look)).toMatchObject({
    secrets: holder.secrets,
    network: { otherBox: 'connected', abstract: 'connected' },
  })
})

it('a worker, an oracle, a product and a judge reach nothing, see nothing of each other, and gain nothing', async () => {
  const held = () => Promise.all(holders.map((holder) => holder.alive()))
  const heldBefore = await held()
  const advisory = { role: 'advisory', claim: 'half', scenario: 'scenarios/look.mjs' }
  const set = {
    ...setFiles({
      ...CHECKS,
      checks: [
        ...CHECKS.checks,
        { id: 'product-looks', ...advisory, input: 0, expect: { returns: 'shown only' } },
        { id: 'judge-looks', ...advisory, input: 0, judge: 'judges/look.mjs' },
      ],
    }),
    'scenarios/look.mjs': "export default async ({ load }) => (await load('./look.cjs'))()\n",
    'judges/look.mjs': `import { createRequire } from 'node:module'
      const require = createRequire(import.meta.url), module = { exports: undefined }
      ${look}
      export default async () => ({ pass: false, reason: JSON.stringify(await module.exports()) })\n`,
  }
  const task = await writeTask(join(station.work, 'look'), {
    baseFiles: { ...BASE, 'look.cjs': look },
    workers: [
      worker(
        `sed -i 's/n + 1/n * 2/' index.js; node -p 'require("./look.cjs")().then((seen) => require("fs").writeFileSync("seen.json", JSON.stringify(seen)))'`,
      ),
    ],
    oracle: {
      kind: 'command',
      argv: [
        'sh',
        '-c',
        `node -e 'require("./look.cjs")().then((seen) => console.error(JSON.stringify(seen)))'; cp -r /assay/program/. "$ASSAY_CHECKS"`,
      ],
      program: 'author',
      label: 'made for tests',
    },
    files: Object.fromEntries(Object.entries(set).map(([path, text]) => [`author/${path}`, text])),
    policy: { rounds: 1 },
  })
  const seen = await station.json(['run', task])
  const report = documentOf(seen) as Report
  expect(
    report.attempts.map(({ state }) => state),
    seen.stderr,
  ).toEqual(['verified'])
  const runs = (check: string) =>
    report.attempts[0]?.grade?.rows.find((row) => row.check === check)?.runs ?? []

  const store = await GitTreeStore.open(join(station.state, 'store.git'))
  const left = await store.readFile(report.attempts[0]?.tree ?? '', 'seen.json')
  const [tried] = eventsOf(station.journal(report.run), 'oracle-tried')
  const log = join(station.state, 'runs', report.run, 'blobs', (tried?.body.log ?? '').replace(':', '-'))
  const [product] = runs('product-looks')
  const [judge] = runs('judge-looks')
  expect({
    worker: JSON.parse(Buffer.from(left ?? '').toString('utf8')) as unknown,
    oracle: JSON.parse(/^\{.*\}$/m.exec(await readFile(log, 'utf8'))?.[0] ?? 'null') as unknown,
    product: (product?.observation as { value?: unknown } | undefined)?.value,
    judge: JSON.parse(judge?.mismatch?.replace(/^judge: /, '') ?? 'null') as unknown,
  }).toEqual({ worker: NOTHING, oracle: NOTHING, product: NOTHING, judge: NOTHING })

  // The same processes before and after: they held their secrets while all four looked.
  expect(heldBefore.map(({ length }) => length)).toEqual([2, 2, 2, 2])
  expect(await held()).toEqual(heldBefore)
})
