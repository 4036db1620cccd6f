import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { BoxLimits, BoxSpec, ExecSpec, RunningBox, Sandbox } from '../../specs/sandbox.ts'
import type { ProbeName } from './sandbox-probes.ts'
import { entriesOf, tarOf } from './tar-text.ts'

/** What a kind of sandbox brings to be tested. */
export interface ContractHost {
  readonly sandbox: Sandbox
  readonly imageId: string
  /** Container runtime of all boxes; the engine's default when absent. */
  readonly runtime?: string
  argv(probe: ProbeName, ...args: string[]): [string, ...string[]]
  /** Makes a box and a volume under a process that then dies without removing them. */
  leaveOrphans(runId: string): Promise<void>
}

const MIB = 2 ** 20
const LIMITS: BoxLimits = {
  memoryBytes: 96 * MIB,
  cpus: 1,
  processes: 32,
  fileSizeBytes: 64 * MIB,
  openFiles: 128,
  tmpBytes: 16 * MIB,
  diskBytes: 8 * MIB,
  inodes: 1000,
  outputBytes: 64 * 1024,
}
const never = new AbortController().signal

/** What every sandbox does, whatever is behind the port. */
export function describeSandbox(name: string, connect: () => Promise<ContractHost>): void {
  describe(name, () => {
    const runId = `contract-${randomUUID()}`
    let host: ContractHost
    let sandbox: Sandbox
    let box: RunningBox
    beforeAll(async () => {
      host = await connect()
      sandbox = host.sandbox
      box = await start({})
    })
    afterAll(async () => {
      await sandbox.reap({ run: runId })
    })

    const specOf = (part: Partial<BoxSpec>): BoxSpec => ({
      kind: 'product',
      imageId: host.imageId,
      runId,
      limits: LIMITS,
      mounts: [],
      user: '1000:1000',
      workdir: '/tmp',
      env: { BOX: 'of the box', BOTH: 'of the box' },
      ...(host.runtime === undefined ? {} : { runtime: host.runtime }),
      ...part,
    })
    const start = (part: Partial<BoxSpec>) => sandbox.startBox(specOf(part), never)
    const run = (probe: ProbeName, args: string[] = [], part: Partial<ExecSpec> = {}, inBox = box) =>
      inBox.exec({ argv: host.argv(probe, ...args), timeoutMs: 20_000, ...part }, never)
    const layWork = (text = 'laid') =>
      sandbox.createVolume(
        {
          runId,
          kind: 'product',
          imageId: host.imageId,
          layers: [
            {
              at: '',
              tar: tarOf([
                { name: './', type: 'directory', uid: 1000, gid: 1000 },
                { name: './a.txt', text, uid: 1000, gid: 1000 },
                { name: 'out', type: 'symlink', linkname: '../../etc/passwd' },
              ]),
            },
            { at: 'deep/er', tar: tarOf([{ name: 'b.txt', text: 'below' }]) },
          ],
        },
        never,
      )
    const workMount = (volume: string, readOnly: boolean) => ({ volume, path: '/work', readOnly })

    describe('a program', () => {
      test('gets its arguments as they are', async () => {
        const { stdout } = await run('echo-args', ['a b', '', '$HOME', '"\'', 'ü\n'])
        expect(stdout.toString()).toBe('[a b][][$HOME]["\'][ü\n]')
      })
      test('reads its stdin to the end, however long it is', async () => {
        const stdin = Buffer.alloc(3 * MIB, 'x')
        const { stdout, end } = await run('cat', [], { stdin, outputBytes: 4 * MIB })
        expect(end).toEqual({ kind: 'exited', code: 0 })
        expect(stdout.equals(stdin)).toBe(true)
      })
      test('has an empty stdin when it is given none', async () => {
        const { stdout, end } = await run('cat')
        expect({ end, out: stdout.length }).toEqual({ end: { kind: 'exited', code: 0 }, out: 0 })
      })
      test('that reads no stdin is not disturbed by it', async () => {
        const { end } = await run('exit', ['3'], { stdin: Buffer.alloc(MIB) })
        expect(end).toEqual({ kind: 'exited', code: 3 })
      })
      test.each([
        ['BOX', 'of the box'],
        ['BOTH', 'of the exec'],
        ['EXEC', 'a=b c'],
        ['NEITHER', 'unset'],
      ])('sees variable %s as %s', async (variable, value) => {
        const env = { BOTH: 'of the exec', EXEC: 'a=b c' }
        expect((await run('print-env', [variable], { env })).stdout.toString()).toBe(value)
      })
      test('starts in the box’s working directory, or in the exec’s', async () => {
        expect((await run('cwd')).stdout.toString()).toBe('/tmp\n')
        expect((await run('cwd', [], { cwd: '/usr' })).stdout.toString()).toBe('/usr\n')
      })
      test('runs as the box’s user, or as the exec’s', async () => {
        expect((await run('user')).stdout.toString()).toBe('1000:1000')
        expect((await run('user', [], { user: '1001:1002' })).stdout.toString()).toBe('1001:1002')
      })
      test.each([0, 1, 7, 126, 255])('that exits with %i ends so', async (code) => {
        expect((await run('exit', [String(code)])).end).toEqual({ kind: 'exited', code })
      })
      test('that does not exist ends with 127', async () => {
        const result = await box.exec({ argv: ['no-such-program'], timeoutMs: 20_000 }, never)
        expect(result.end).toEqual({ kind: 'exited', code: 127 })
      })
      test('has its stdout and stderr kept apart', async () => {
        const pieces: string[] = []
        const onOutput = (stream: string, chunk: Buffer) => pieces.push(`${stream}: ${chunk.toString()}`)
        const result = await run('complain', [], { onOutput })
        expect([result.stdout.toString(), result.stderr.toString()]).toEqual(['out\n', 'err\n'])
        expect(pieces.sort()).toEqual(['stderr: err\n', 'stdout: out\n'])
        expect(result.truncated).toBe(false)
      })
      test('ends when it ends, though it left another that holds its output open', async () => {
        const left = await start({})
        const result = await run('leave', [], {}, left)
        expect(result.end).toEqual({ kind: 'exited', code: 0 })
        expect(await left.processes(never)).toEqual([
          { uid: 1000, pid: expect.any(Number) as number, command: 'sleep 599' },
        ])
        await left.destroy()
      })
    })

    describe('a limit ends the exec and the box:', () => {
      test('output over the cap is dropped', async () => {
        const flooded = await start({})
        let seenBytes = 0
        const onOutput = (_: string, chunk: Buffer) => (seenBytes += chunk.length)
        const result = await run('flood', [], { onOutput }, flooded)
        expect(result.end).toEqual({ kind: 'limit', limit: 'output' })
        expect([result.truncated, result.stdout.length, seenBytes]).toEqual([true, 65_536, 65_536])
        await expect(run('exit', ['0'], {}, flooded)).rejects.toMatchObject({ code: 'infra/box-lost' })
      })
      test('the deadline', async () => {
        const slow = await start({})
        const result = await run('hang', [], { timeoutMs: 1500 }, slow)
        expect(result.end).toEqual({ kind: 'timeout' })
        expect(result.stdout.toString()).toBe('started\n')
        expect(result.durationMs).toBeGreaterThanOrEqual(1490)
        await expect(run('exit', ['0'], {}, slow)).rejects.toMatchObject({ code: 'infra/box-lost' })
      })
      test('memory', async () => {
        const hungry = await start({})
        expect((await run('eat-memory', [], {}, hungry)).end).toEqual({ kind: 'limit', limit: 'memory' })
        expect((await run('exit', ['0'], {}, hungry)).end).toEqual({ kind: 'limit', limit: 'memory' })
      })
      test('disk', async () => {
        const volume = await layWork()
        const greedy = await start({ mounts: [workMount(volume, false)] })
        expect((await run('eat-disk', ['/work'], {}, greedy)).end).toEqual({ kind: 'limit', limit: 'disk' })
      })
      test.each([
        [LIMITS.inodes - 100, { kind: 'exited', code: 0 }],
        [LIMITS.inodes + 1, { kind: 'limit', limit: 'disk' }],
      ])('inodes: %i empty files, by a program that ends at once', async (count, end) => {
        const littered = await start({ mounts: [workMount(await layWork(), false)] })
        expect((await run('eat-inodes', ['/work', String(count)], {}, littered)).end).toEqual(end)
      })
    })

    describe('volumes', () => {
      test('a laid file is read, and a read-only mount refuses writing', async () => {
        const reader = await start({ mounts: [workMount(await layWork('hello'), true)] })
        expect((await run('read-file', ['/work/a.txt'], {}, reader)).stdout.toString()).toBe('hello')
        expect((await run('read-file', ['/work/deep/er/b.txt'], {}, reader)).stdout.toString()).toBe('below')
        const refused = await run('write-file', ['/work/a.txt', 'x'], {}, reader)
        expect(refused.end).toEqual({ kind: 'exited', code: 1 })
      })
      test('what a box wrote is read after it stopped, links as links, nothing of the paths above', async () => {
        const writer = await start({ mounts: [workMount(await layWork(), false)] })
        expect((await run('write-file', ['/work/new', 'written'], {}, writer)).end).toMatchObject({ code: 0 })
        expect((await run('link', ['/etc/shadow', '/work/link'], {}, writer)).end).toMatchObject({ code: 0 })
        const stopped = await writer.stop()
        const { content, uids } = await entriesOf(await stopped.readTar('/work', never))
        expect(content).toEqual({
          './': '/',
          './a.txt': 'laid',
          './new': 'written',
          './link': '-> /etc/shadow',
          './out': '-> ../../etc/passwd',
          './deep/': '/',
          './deep/er/': '/',
          './deep/er/b.txt': 'below',
        })
        expect(uids).toMatchObject({ './': 1000, './a.txt': 1000, './deep/er/b.txt': 0 })
        expect((await entriesOf(await stopped.readTar('/work/a.txt', never))).content).toEqual({
          'a.txt': 'laid',
        })
        await expect(stopped.readTar('/work/none', never)).rejects.toMatchObject({
          code: 'config/path-unknown',
        })
        await stopped.destroy()
      })
      test('a folder that is asked for can be written, is no disk, and is gone when the box stops', async () => {
        const own = await start({ tmpfs: ['/home/lena'] })
        const text = 'x'.repeat(100)
        expect((await run('write-file', ['/home/lena/a', text], {}, own)).end).toEqual({
          kind: 'exited',
          code: 0,
        })
        expect((await run('read-file', ['/home/lena/a'], {}, own)).stdout.toString()).toBe(text)
        const stopped = await own.stop()
        await expect(stopped.readTar('/home/lena/a', never)).rejects.toMatchObject({
          code: 'config/path-unknown',
        })
        await stopped.destroy()
      })
      test('two boxes share a read-only volume', async () => {
        const volume = await layWork('shared')
        const boxes = await Promise.all([1, 2].map(() => start({ mounts: [workMount(volume, true)] })))
        const reads = await Promise.all(boxes.map((each) => run('read-file', ['/work/a.txt'], {}, each)))
        expect(reads.map(({ stdout }) => stdout.toString())).toEqual(['shared', 'shared'])
      })
      test('a box of another kind does not get one', async () => {
        const mounts = [workMount(await layWork(), true)]
        await expect(start({ kind: 'judge', mounts })).rejects.toMatchObject({ code: 'bug/volume-kind' })
      })
      test('one that is gone does not come back empty', async () => {
        const volume = await layWork()
        await sandbox.removeVolume(volume)
        await sandbox.removeVolume(volume)
        const mounts = [workMount(volume, true)]
        await expect(start({ mounts })).rejects.toMatchObject({ code: 'infra/volume-lost' })
      })
      test.each([
        ['leaves the volume', tarOfNames('../x')],
        ['is absolute', tarOfNames('/etc/x')],
      ])('an entry that %s is refused', async (_, tar) => {
        const layers = [{ at: '', tar: tar() }]
        const laying = sandbox.createVolume({ runId, kind: 'product', imageId: host.imageId, layers }, never)
        await expect(laying).rejects.toMatchObject({ code: 'bug/volume-entry' })
      })
      test('a layer behind another layer’s link is refused', async () => {
        const layers = [
          { at: '', tar: tarOf([{ name: 'a', type: 'symlink', linkname: '/etc' }]) },
          { at: '', tar: tarOf([{ name: 'a/passwd', text: 'x' }]) },
        ]
        const laying = sandbox.createVolume({ runId, kind: 'product', imageId: host.imageId, layers }, never)
        await expect(laying).rejects.toMatchObject({ code: 'bug/volume-entry' })
      })
    })

    test('an image that is not there is the configuration’s fault', async () => {
      const imageId = `sha256:${'0'.repeat(64)}`
      await expect(start({ imageId })).rejects.toMatchObject({ code: 'config/image-unknown' })
      await expect(sandbox.readImage(imageId, '/', never)).rejects.toMatchObject({
        code: 'config/image-unknown',
      })
    })
    test('a path is read out of an image', async () => {
      const { content } = await entriesOf(await sandbox.readImage(host.imageId, '/etc/apt', never))
      expect(Object.keys(content)).toContain('./')
      await expect(sandbox.readImage(host.imageId, '/none', never)).rejects.toMatchObject({
        code: 'config/path-unknown',
      })
    })
    test.each(['0:0', '0:1000', '1000:0', 'root', '1000', ''])('no box runs as %j', async (user) => {
      await expect(start({ user })).rejects.toMatchObject({ code: 'bug/box-user' })
    })
    test.each(['0:0', '19999:19999'])(
      'no program runs as %j, root or the first process’s user',
      async (user) => {
        await expect(run('exit', ['0'], { user })).rejects.toMatchObject({ code: 'bug/box-user' })
      },
    )

    describe('aborting', () => {
      test('before anything starts nothing', async () => {
        const aborted = AbortSignal.abort()
        await expect(sandbox.startBox(specOf({}), aborted)).rejects.toMatchObject({
          code: 'interrupted/aborted',
        })
        const hung = box.exec({ argv: host.argv('hang'), timeoutMs: 1000 }, aborted)
        await expect(hung).rejects.toMatchObject({ code: 'interrupted/aborted' })
      })
      test('an exec ends it, and its box', async () => {
        const doomed = await start({})
        const abort = new AbortController()
        const onOutput = () => abort.abort()
        const hung = doomed.exec({ argv: host.argv('hang'), timeoutMs: 20_000, onOutput }, abort.signal)
        await expect(hung).rejects.toMatchObject({ code: 'interrupted/aborted' })
        await expect(run('exit', ['0'], {}, doomed)).rejects.toMatchObject({ code: 'infra/box-lost' })
      })
    })

    describe('removing', () => {
      test.each(['destroy', 'stop'] as const)(
        'a box that is busy (%s) makes its program lost',
        async (how) => {
          const busy = await start({})
          const onOutput = () => void busy[how]()
          const hung = run('hang', [], { onOutput }, busy)
          await expect(hung).rejects.toMatchObject({ code: 'infra/box-lost' })
          await busy.destroy()
        },
      )
      test('a box twice is fine, and nothing runs in it any more', async () => {
        const gone = await start({})
        await Promise.all([gone.destroy(), gone.destroy()])
        await gone.destroy()
        await expect(run('exit', ['0'], {}, gone)).rejects.toMatchObject({ code: 'infra/box-lost' })
      })
      test('a run’s boxes and volumes leaves those of other runs', async () => {
        const other = `${runId}-other`
        const kept = await layWork('kept')
        await sandbox.createVolume({ runId: other, kind: 'judge', imageId: host.imageId, layers: [] }, never)
        const lost = await start({ runId: other })
        expect(await sandbox.reap({ run: other })).toEqual({ boxes: 1, volumes: 1, networks: 0 })
        expect(await sandbox.reap({ run: other })).toEqual({ boxes: 0, volumes: 0, networks: 0 })
        await expect(run('exit', ['0'], {}, lost)).rejects.toMatchObject({ code: 'infra/box-lost' })
        await lost.destroy()
        const reader = await start({ mounts: [workMount(kept, true)] })
        expect((await run('read-file', ['/work/a.txt'], {}, reader)).stdout.toString()).toBe('kept')
      })
      test('orphans takes what a dead process left, and nothing of the living', async () => {
        await host.leaveOrphans(`${runId}-orphans`)
        expect(await sandbox.reap('orphans')).toEqual({ boxes: 1, volumes: 1, networks: 0 })
        expect((await run('exit', ['0'])).end).toEqual({ kind: 'exited', code: 0 })
      })
    })
  })
}

function tarOfNames(name: string) {
  return () => tarOf([{ name, text: 'x' }])
}
