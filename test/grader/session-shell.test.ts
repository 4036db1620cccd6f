import { randomUUID } from 'node:crypto'
import { PassThrough } from 'node:stream'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { PRODUCT_LIMITS } from '../../engine/pure/box-limits.ts'
import { dockerTestHost } from '../../engine/sandbox/docker-test-host.ts'
import { IS_GVISOR, skipWithoutRuntime, testRuntime } from '../../engine/sandbox/test-runtime.ts'
import { hosts, sessionArgv } from '../../grader/host-files.ts'
import type { Sandbox } from '../../specs/sandbox.ts'

const { signal } = new AbortController()
const runId = `session-${randomUUID()}`
let sandbox: Sandbox
let imageId: string
beforeEach(skipWithoutRuntime)
beforeAll(async () => {
  ;({ sandbox, imageId } = await dockerTestHost())
}, 600_000)
afterAll(async () => {
  expect(await sandbox.reap({ run: runId })).toEqual({ boxes: 0, volumes: 0, networks: 0 })
})

/** What a session's shell tells when it is given two jobs at once, whose hosts are not there. */
async function twoJobs(argv: readonly [string, ...string[]]): Promise<readonly string[]> {
  const box = await sandbox.startBox(
    {
      kind: 'product',
      imageId,
      runId,
      limits: PRODUCT_LIMITS,
      mounts: [],
      user: '20000:20000',
      workdir: '/',
      env: {},
      ...testRuntime(),
    },
    signal,
  )
  try {
    const job = (nonce: string) => `${nonce} 0 node UTC C.UTF-8\n`
    const stdin = new PassThrough()
    stdin.write('own\n')
    const onOutput = (_: string, piece: Buffer) => {
      if (piece.includes('ready')) stdin.end(job('one') + job('two'))
    }
    const { stdout } = await box.exec({ argv, stdin, onOutput, timeoutMs: 60_000 }, signal)
    return stdout.toString().trimEnd().split('\n')
  } finally {
    await box.destroy()
  }
}

const ready = (guarded: boolean) =>
  expect.stringMatching(`^own ready {"guarded":${guarded},"left":""[,}]`) as string
const end = (nonce: string) => `${nonce} end {"code":1,"left":""}`

it('a session’s shell takes job after job where no product can reach into it', async () => {
  expect(await twoJobs(sessionArgv('/tmp/run', {}))).toEqual([ready(true), end('one'), end('two')])
})

it.skipIf(IS_GVISOR)('one that a product can write to takes no second job, whoever gives it', async () => {
  const { wrapper, terminal } = hosts()
  expect(await twoJobs(['sh', '-c', wrapper, 'assay', '/tmp/run', terminal, ''])).toEqual([
    ready(false),
    end('one'),
  ])
})
