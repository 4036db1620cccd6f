import { setTimeout } from 'node:timers/promises'
import { boxLimits, PRODUCT_LIMITS } from '../../engine/pure/box-limits.ts'
import { DockerSandbox } from '../../engine/sandbox/docker-sandbox.ts'
import { readLocalLock } from '../../images/local-lock.ts'
import type { BoxKind, RunningBox } from '../../specs/sandbox.ts'

/** A box of one kind in which secrets are held, in all the ways there are, until it is closed. */
export interface SecretHolder {
  readonly kind: BoxKind
  /** In a file's name and content, in an environment, in a command line. */
  readonly secrets: readonly string[]
  /** The processes that hold them, as the engine sees them from outside. */
  alive(): Promise<readonly number[]>
  /** What a CommonJS module that exports one asynchronous function sees from within this very box. */
  lookFromWithin(program: string): Promise<unknown>
  close(): Promise<void>
}

const IMAGES = { worker: 'worker', oracle: 'worker', product: 'node', judge: 'judge' } as const
/** Longer than any test. */
const HELD_MS = 3_600_000
const LOOK_MS = 60_000
const { signal } = new AbortController()

/** The secrets of a box of this kind. */
export function secretsOf(kind: BoxKind): readonly [file: string, env: string, argv: string] {
  return [`f11e-of-the-${kind}`, `e44-of-the-${kind}`, `a99-of-the-${kind}`]
}

/** Starts a box and gives it when its secrets can be found. @param state of a station: its images, its labels. */
export async function holdSecrets(state: string, kind: BoxKind): Promise<SecretHolder> {
  const secrets = secretsOf(kind)
  const [file, env, argv] = secrets
  // A sleep holds the environment: our images keep that of Node.js from everybody.
  const script = `
    echo ${file} | tee /tmp/${file} > /dev/shm/${file}
    SECRET=${env} sleep 3600 &
    exec node -e '
      require("net").createServer().listen(7777); require("net").createServer().listen("\\0other-box")
      setInterval(() => {}, 1000)' ${argv}`
  const lock = await readLocalLock(state)
  const box = await DockerSandbox.connect({ stateDir: state }).startBox(
    {
      kind,
      imageId: lock[IMAGES[kind]]?.imageId ?? '',
      runId: `holder-of-${kind}`,
      limits: boxLimits(PRODUCT_LIMITS, undefined),
      mounts: [],
      user: '20000:20000',
      workdir: '/',
      env: {},
    },
    signal,
  )
  // Its end is that of its box.
  const held = box.exec({ argv: ['sh', '-c', script], timeoutMs: HELD_MS }, signal).catch(() => undefined)
  const alive = async () =>
    (await box.processes(signal))
      .filter(({ command }) => command.includes(argv) || command === 'sleep 3600')
      .map(({ pid }) => pid)
  while ((await alive()).length < 2) await setTimeout(100)
  return {
    kind,
    secrets,
    alive,
    lookFromWithin: (program) => look(box, program),
    close: async () => {
      await box.destroy()
      await held
    },
  }
}

/** The program comes on stdin: what it looks for must be in no command line of its own. */
async function look(box: RunningBox, program: string): Promise<unknown> {
  const source = `${program}; module.exports().then((seen) => console.log(JSON.stringify(seen)))`
  const { stdout, stderr } = await box.exec(
    { argv: ['node', '-'], stdin: Buffer.from(source), timeoutMs: LOOK_MS },
    signal,
  )
  if (stdout.length === 0) throw new Error(`nothing was seen: ${stderr.toString('utf8')}`)
  return JSON.parse(stdout.toString('utf8')) as unknown
}
