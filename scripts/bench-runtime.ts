import { ensureImage } from '../images/ensure-image.ts'
import { randomBytes } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { PRODUCT_LIMITS } from '../engine/pure/box-limits.ts'
import { isGvisor } from '../engine/pure/sandbox/container-options.ts'
import { DockerSandbox } from '../engine/sandbox/docker-sandbox.ts'
import { engineClient } from '../engine/sandbox/engine-client.ts'
import { stateRoot } from '../engine/state-directory.ts'
import type { RunningBox } from '../specs/sandbox.ts'

/**
 * `npm run bench:runtime`: what a box costs under gVisor beside the engine's default runtime, in one run, turn by turn.
 * `--runtime NAME` for another than `runsc`. An engine that does not have it is said so, and nothing is measured.
 */
const TURNS = 5
const WORK = {
  exec_ms: ':',
  compute_ms: 'i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done',
  processes_ms: 'i=0; while [ $i -lt 100 ]; do /bin/true; i=$((i+1)); done',
  files_ms: 'i=0; while [ $i -lt 1000 ]; do : > /tmp/$i; i=$((i+1)); done',
  node_ms: 'i=0; while [ $i -lt 5 ]; do node -e 0; i=$((i+1)); done',
} as const
type Measure = keyof typeof WORK | 'start_ms'

const at = process.argv.indexOf('--runtime')
const runtime = at < 0 ? 'runsc' : (process.argv[at + 1] ?? '')
const { signal } = new AbortController()
const runId = `bench-runtime-${randomBytes(4).toString('hex')}`
const stateDir = stateRoot(undefined, process.env)
await mkdir(stateDir, { recursive: true })
const sandbox = DockerSandbox.connect({ stateDir })

const isThere = (await sandbox.info(10_000)).runtimes.includes(runtime)
const metrics = isThere ? await compare() : {}
for (const [name, value] of Object.entries(metrics)) console.log(`${name.padEnd(28)} ${value.toFixed(2)}`)
if (!isThere) console.log(`the engine has no runtime ${runtime}: nothing was measured`)
console.log(JSON.stringify({ bench: 'runtime', metrics, ok: isThere }))
process.exit(isThere ? 0 : 1)

async function compare(): Promise<Readonly<Record<string, number>>> {
  const images = { docker: engineClient(), stateDir, signal }
  const { id } = await ensureImage(images, 'node')
  const { id: otherId } = await ensureImage({ ...images, readableRuntimes: isGvisor(runtime) }, 'node')
  const plain: Record<Measure, number>[] = []
  const other: Record<Measure, number>[] = []
  try {
    for (let turn = 0; turn < TURNS; turn += 1) {
      plain.push(await measure(id, {}))
      other.push(await measure(otherId, { runtime }))
    }
  } finally {
    await sandbox.reap({ run: runId })
  }
  const names = Object.keys(plain[0] ?? {}) as Measure[]
  return Object.fromEntries(
    names.flatMap((name) => {
      const [one, two] = [median(plain.map((each) => each[name])), median(other.map((each) => each[name]))]
      return [
        [`default_${name}`, one],
        [`${runtime}_${name}`, two],
        [`ratio_${name.replace(/_ms$/, '')}`, two / one],
      ]
    }),
  )
}

async function measure(
  imageId: string,
  under: { readonly runtime?: string },
): Promise<Record<Measure, number>> {
  const startedMs = performance.now()
  const box = await sandbox.startBox(
    {
      kind: 'product',
      imageId,
      runId,
      limits: PRODUCT_LIMITS,
      mounts: [],
      user: '20000:20000',
      workdir: '/tmp',
      env: {},
      ...under,
    },
    signal,
  )
  try {
    const start_ms = performance.now() - startedMs
    const taken: [string, number][] = []
    for (const [name, script] of Object.entries(WORK)) taken.push([name, await timeOf(box, script)])
    return { start_ms, ...(Object.fromEntries(taken) as Record<keyof typeof WORK, number>) }
  } finally {
    await box.destroy()
  }
}

async function timeOf(box: RunningBox, script: string): Promise<number> {
  const { end, durationMs } = await box.exec({ argv: ['sh', '-c', script], timeoutMs: 120_000 }, signal)
  if (end.kind !== 'exited' || end.code !== 0) throw new Error(`${script}: ${JSON.stringify(end)}`)
  return durationMs
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN
}
