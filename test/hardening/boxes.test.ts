import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Report } from '../../engine/pure/report.ts'
import { GitTreeStore } from '../../engine/trees/git-tree-store.ts'
import { documentOf } from '../support/assay.ts'
import { BASE, CHECKS, setFiles, worker, writeTask } from '../support/double-task.ts'
import { lookAround, NOTHING } from '../support/look-around.ts'
import { eventsOf, openStation, type Station } from '../support/station.ts'

let station: Station
beforeAll(async () => {
  station = await openStation(['node', 'judge', 'worker'])
})
afterAll(() => station.close())

const SECRETS = { file: 'f11e-of-another-box', env: 'e44-of-another-box', argv: 'a99-of-another-box' }
/** Holds its secrets in all the ways there are while the others look. */
const HOLDER = `
  echo ${SECRETS.file} | tee /tmp/${SECRETS.file} > /dev/shm/${SECRETS.file}
  SECRET=${SECRETS.env} exec node -e '
    require("net").createServer().listen(7777); require("net").createServer().listen("\\0other-box")
    setTimeout(() => process.exit(), 5_000)' ${SECRETS.argv}`

it('a worker, an oracle, a product and a judge reach nothing, see nothing of each other, and gain nothing', async () => {
  const look = lookAround(Object.values(SECRETS))
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
      worker(HOLDER),
      worker(
        `sleep 1.5; sed -i 's/n + 1/n * 2/' index.js; node -p 'require("./look.cjs")().then((seen) => require("fs").writeFileSync("seen.json", JSON.stringify(seen)))'`,
      ),
    ],
    oracle: {
      kind: 'command',
      argv: [
        'sh',
        '-c',
        `sleep 1.5; node -e 'require("./look.cjs")().then((seen) => console.error(JSON.stringify(seen)))'; cp -r /assay/program/. "$ASSAY_CHECKS"`,
      ],
      program: 'author',
      label: 'made for tests',
    },
    files: Object.fromEntries(Object.entries(set).map(([path, text]) => [`author/${path}`, text])),
    policy: { race: 'all', rounds: 1 },
  })
  const seen = await station.json(['run', task])
  const report = documentOf(seen) as Report
  expect(
    report.attempts.map(({ state }) => state),
    seen.stderr,
  ).toEqual(['refuted', 'verified'])
  const runs = (check: string) =>
    report.attempts[1]?.grade?.rows.find((row) => row.check === check)?.runs ?? []

  const store = await GitTreeStore.open(join(station.state, 'store.git'))
  const left = await store.readFile(report.attempts[1]?.tree ?? '', 'seen.json')
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
})
