import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { dockerTestHost } from '../engine/sandbox/docker-test-host.ts'
import { filesFromTar } from '../engine/trees/files-from-tar.ts'
import { GitTreeStore } from '../engine/trees/git-tree-store.ts'
import { commandAuthor } from '../oracle/authors/command.ts'
import type { Reply } from '../oracle/authors/author.ts'
import type { TreeId } from '../specs/digest.ts'
import type { BoxLimits, Sandbox } from '../specs/sandbox.ts'

const MIB = 2 ** 20
const LIMITS: BoxLimits = {
  memoryBytes: 256 * MIB,
  cpus: 1,
  processes: 64,
  fileSizeBytes: 64 * MIB,
  openFiles: 256,
  tmpBytes: 16 * MIB,
  diskBytes: 64 * MIB,
  inodes: 10_000,
  outputBytes: MIB,
}
const REQUEST = 'Say “good-bye” too.\n'
const USER = { uid: 20000, gid: 20000 }
const runId = `oracle-author-${randomUUID()}`
const { signal } = new AbortController()

let sandbox: Sandbox
let imageId: string
let scratch: string
let trees: GitTreeStore
let base: TreeId
let program: TreeId

beforeAll(async () => {
  ;({ sandbox, imageId } = await dockerTestHost())
  scratch = await mkdtemp(join(tmpdir(), 'assay-oracle-author-'))
  trees = await GitTreeStore.open(join(scratch, 'store'))
  const file = (path: string, text: string) => ({ path, mode: '100644' as const, content: Buffer.from(text) })
  base = await trees.writeTree([file('lib/hello.js', 'hello\n')])
  program = await trees.writeTree([file('write.sh', 'cp -r "$ASSAY_TREE/lib" "$ASSAY_CHECKS/scenarios"')])
}, 600_000)
afterAll(async () => {
  expect(await sandbox.reap({ run: runId })).toEqual({ boxes: 0, volumes: 0, networks: 0 })
  await rm(scratch, { recursive: true })
})

/** One try of an author that is a shell script. */
function tryOf(script: string, reply?: Reply, timeoutMs = 30_000) {
  return commandAuthor({
    argv: ['sh', '-c', script],
    env: { ASSAY_REQUEST: 'not to be had', KEY: 'value' },
    sandbox,
    trees,
    readFiles: filesFromTar,
    runId,
    imageId,
    limits: LIMITS,
    user: USER,
    base,
    program,
    workdir: '/box/tree',
    request: REQUEST,
    timeoutMs,
  }).handIn({ ...(reply === undefined ? {} : { reply }), signal })
}

async function filesOf(script: string, reply?: Reply): Promise<Readonly<Record<string, string>>> {
  const handIn = await tryOf(script, reply)
  if (handIn.kind !== 'handed-in') throw new Error(JSON.stringify(handIn))
  return Object.fromEntries([...handIn.files].map(([path, bytes]) => [path, Buffer.from(bytes).toString()]))
}

describe('an author in the oracle box', () => {
  it('finds the request and base, and hands in what it leaves in the checks folder', async () => {
    const files = await filesOf(
      'cp "$ASSAY_REQUEST" $ASSAY_CHECKS/r; mkdir $ASSAY_CHECKS/scenarios; cp lib/hello.js $ASSAY_CHECKS/scenarios/h.mjs; pwd > $ASSAY_CHECKS/pwd',
    )
    expect(files).toEqual({ r: REQUEST, 'scenarios/h.mjs': 'hello\n', pwd: '/box/tree\n' })
  })

  it('can change its copy of base, and not a single paper', async () => {
    const script = `
      echo new > at-the-root; rm -r lib; ls > $ASSAY_CHECKS/tree
      for attempt in "rm /assay/request.md" "touch /assay/more" "mv /assay/checks /assay/gone" \\
        "ln -s /etc /assay/link" "touch /assay/program/x" "sh -c 'echo x > /assay/request.md'"
      do eval "$attempt" 2> /dev/null && echo "$attempt" >> $ASSAY_CHECKS/could; done; true`
    expect(await filesOf(script)).toEqual({ tree: 'at-the-root\n' })
  })

  it('runs a program of its own', async () => {
    expect(await filesOf('sh /assay/program/write.sh')).toEqual({ 'scenarios/hello.js': 'hello\n' })
  })

  it('is told the reasons from the second try on', async () => {
    const script = 'env | grep ASSAY_ADM > $ASSAY_CHECKS/env; cp /assay/admission.json $ASSAY_CHECKS/a; true'
    expect(await filesOf(script)).toEqual({ env: '' })
    const files = await filesOf(script, { try: 1, reasons: ['checks[0] (a): void'] })
    expect(files['env']).toBe('ASSAY_ADMISSION=/assay/admission.json\n')
    expect(JSON.parse(files['a'] ?? '')).toEqual({ version: 1, try: 1, reasons: ['checks[0] (a): void'] })
  })

  it('cannot replace what assay tells it by its own settings', async () => {
    expect(await filesOf('echo $ASSAY_REQUEST $KEY > $ASSAY_CHECKS/env')).toEqual({
      env: '/assay/request.md value\n',
    })
  })

  it('hands in nothing when it leaves nothing', async () => {
    expect(await tryOf('true')).toEqual({ kind: 'nothing', log: '' })
  })

  it('is refused when it fails, whatever it left, with the end of its stderr', async () => {
    expect(await tryOf('echo {} > $ASSAY_CHECKS/checks.json; printf "no\\033[2J key" >&2; exit 3')).toEqual({
      kind: 'refused',
      reason: "the author's command ended with exit code 3",
      log: 'no\\u001b[2J key',
    })
  })

  it('is refused when it leaves a link', async () => {
    expect(await tryOf('ln -s /etc/passwd $ASSAY_CHECKS/checks.json')).toMatchObject({
      kind: 'refused',
      reason: '"checks.json": expected a regular file with one name',
    })
  })

  it('is stopped at its time limit', async () => {
    expect(await tryOf('sleep 60', undefined, 1000)).toMatchObject({ kind: 'timeout', timeoutMs: 1000 })
  })

  it('runs into a limit of its box', async () => {
    expect(await tryOf('yes > /dev/null & yes')).toMatchObject({ kind: 'limit', limit: 'output' })
  })

  it('is read only after everything it started is dead', async () => {
    const script =
      '(while :; do date > $ASSAY_CHECKS/late; done) > /dev/null 2>&1 & sleep 1; echo {} > $ASSAY_CHECKS/checks.json'
    expect(await filesOf(script)).toMatchObject({ 'checks.json': '{}\n' })
  })
})
