import type Dockerode from 'dockerode'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { BoxLimits, BoxSpec, ExecSpec, RunningBox, Sandbox } from '../../specs/sandbox.ts'
import { LABEL, labelsOf } from '../pure/sandbox/labels.ts'
import { dockerTestHost, TEST_STATE_DIR } from './docker-test-host.ts'
import { currentOwner } from './owner.ts'
import { entriesOf, tarOf } from './tar-text.ts'

const MIB = 2 ** 20
const LIMITS: BoxLimits = {
  memoryBytes: 128 * MIB,
  cpus: 1,
  processes: 40,
  fileSizeBytes: 4 * MIB,
  openFiles: 64,
  tmpBytes: 8 * MIB,
  diskBytes: 16 * MIB,
  inodes: 2000,
  outputBytes: MIB,
}
const never = new AbortController().signal
const runId = `limits-${randomUUID()}`
let sandbox: Sandbox
let docker: Dockerode
let imageId: string
let shared: RunningBox

beforeAll(async () => {
  const host = await dockerTestHost()
  sandbox = host.sandbox
  docker = host.docker
  imageId = host.imageId
  shared = await start()
})
afterAll(async () => {
  await sandbox.reap({ run: runId })
})

const specOf = (part: Partial<BoxSpec> = {}): BoxSpec => ({
  kind: 'product',
  imageId,
  runId,
  limits: LIMITS,
  mounts: [],
  user: '1000:1000',
  workdir: '/tmp',
  env: {},
  ...part,
})
const start = (part: Partial<BoxSpec> = {}) => sandbox.startBox(specOf(part), never)
const run = (argv: ExecSpec['argv'], box = shared, part: Partial<ExecSpec> = {}) =>
  box.exec({ argv, timeoutMs: 60_000, ...part }, never)
/** Runs python in a box and gives what it printed as JSON. */
async function python(program: string, box = shared, part: Partial<ExecSpec> = {}): Promise<unknown> {
  const { stdout, stderr, end } = await run(['python3', '-c', program], box, part)
  expect({ end, stderr: stderr.toString() }).toEqual({ end: { kind: 'exited', code: 0 }, stderr: '' })
  return JSON.parse(stdout.toString())
}
async function emptyVolume(): Promise<string> {
  const tar = tarOf([{ name: './', type: 'directory', uid: 1000, gid: 1000, mode: 0o755 }])
  return await sandbox.createVolume({ runId, kind: 'product', imageId, layers: [{ at: '', tar }] }, never)
}
const isRunning = async (box: RunningBox) => (await docker.getContainer(box.id).inspect()).State.Running

describe('memory', () => {
  test('a program that takes too much is killed, and so is its box', async () => {
    const box = await start()
    const result = await run(['python3', '-c', 'bytearray(300 << 20)'], box)
    expect(result.end).toEqual({ kind: 'limit', limit: 'memory' })
    expect(await isRunning(box)).toBe(false)
  })
  test('a child that is killed is noticed, though its parent exits with 0', async () => {
    const result = await run(
      ['sh', '-c', 'python3 -c "bytearray(300 << 20)"; sleep 0.2; exit 0'],
      await start(),
    )
    expect(result.end).toEqual({ kind: 'limit', limit: 'memory' })
  })
  test('there is no swap to go on in', async () => {
    const { HostConfig } = await docker.getContainer(shared.id).inspect()
    expect(HostConfig.MemorySwap).toBe(LIMITS.memoryBytes)
  })
  test('a program that kills itself has met no limit', async () => {
    expect((await run(['sh', '-c', 'kill -9 $$'])).end).toEqual({ kind: 'exited', code: 137 })
  })
})

describe('processes', () => {
  const forkAll = `
import errno, json, os, time
count = 0
try:
    while count < 500:
        if os.fork() == 0:
            time.sleep(30)
            os._exit(0)
        count += 1
    seen = "none"
except OSError as error:
    seen = errno.errorcode[error.errno]
print(json.dumps([seen, count]), flush=True)
os._exit(0)`
  test('a fork loop sees EAGAIN, and so does the next program; the engine and other boxes go on', async () => {
    const box = await start()
    const [seen, count] = (await python(forkAll, box)) as [string, number]
    expect(seen).toBe('EAGAIN')
    expect(count).toBeLessThan(LIMITS.processes)
    expect(await box.processes(never)).toHaveLength(count)
    const next = await run(['sh', '-c', 'sleep 0 & wait'], box)
    expect({ ...next.end, stderr: next.stderr.toString() }).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/fork/) as string,
    })
    expect((await run(['true'])).end).toEqual({ kind: 'exited', code: 0 })
    await (await start()).destroy()
  })
  test('what programs leave dead does not count: the box reaps it', async () => {
    const leave200 = `
import json, os, time
for _ in range(200):
    child = os.fork()
    if child == 0:
        if os.fork() == 0: os._exit(0)
        os._exit(0)
    os.waitpid(child, 0)
    time.sleep(0.01)
print(json.dumps("done"))`
    expect(await python(leave200)).toBe('done')
    expect(await shared.processes(never)).toEqual([])
  })
})

test('cpu: two busy processes get the quota and are throttled', async () => {
  const box = await start({ limits: { ...LIMITS, cpus: 0.1 } })
  const burn = `
import glob, json, multiprocessing, os, time
def spin():
    end = time.monotonic() + 2
    while time.monotonic() < end: pass
started = time.monotonic()
children = [multiprocessing.Process(target=spin) for _ in range(2)]
for child in children: child.start()
for child in children: child.join()
used = os.times()
stat = dict(line.split() for path in ("/sys/fs/cgroup/cpu.stat", "/sys/fs/cgroup/cpu/cpu.stat") if os.path.exists(path) for line in open(path))
print(json.dumps({"share": (used.children_user + used.children_system) / (time.monotonic() - started), "throttled": int(stat["nr_throttled"])}))`
  const { share, throttled } = (await python(burn, box)) as { share: number; throttled: number }
  expect(share).toBeLessThan(0.3)
  expect(throttled).toBeGreaterThan(0)
})

describe('files', () => {
  test('one over the size sees EFBIG, or SIGXFSZ where that is not ignored', async () => {
    const box = await start({ mounts: [{ volume: await emptyVolume(), path: '/work', readOnly: false }] })
    const write = `
import errno, json
try:
    with open("/work/big", "wb", buffering=0) as file:
        while True: file.write(bytes(1 << 20))
except OSError as error:
    print(json.dumps([errno.errorcode[error.errno], __import__("os").path.getsize("/work/big")]))`
    expect(await python(write, box)).toEqual(['EFBIG', LIMITS.fileSizeBytes])
    const killed = await run(['sh', '-c', 'head -c 9m /dev/zero > /work/big'], box)
    expect(killed.end).toEqual({ kind: 'exited', code: 153 })
  })
  test('too many open ones see EMFILE', async () => {
    const open = `
import errno, json
files = []
try:
    while True: files.append(open("/dev/null"))
except OSError as error:
    print(json.dumps([errno.errorcode[error.errno], len(files) < ${LIMITS.openFiles}]))`
    expect(await python(open)).toEqual(['EMFILE', true])
  })
  test.each(['/tmp', '/dev/shm'])('more than fits on %s sees ENOSPC', async (folder) => {
    const fill = `
import errno, json, os
written = 0
try:
    for i in range(100):
        with open("${folder}/" + str(i), "wb", buffering=0) as file: written += file.write(bytes(1 << 20))
except OSError as error:
    print(json.dumps([errno.errorcode[error.errno], written <= ${LIMITS.tmpBytes}]))`
    expect(await python(fill, await start())).toEqual(['ENOSPC', true])
  })
  test.each(['/tmp', '/dev/shm'])('more empty ones than allowed on %s see ENOSPC', async (folder) => {
    const litter = `
import errno, json, os
made = 0
try:
    for i in range(100_000):
        os.close(os.open("${folder}/" + str(i), os.O_CREAT | os.O_WRONLY))
        made += 1
except OSError as error:
    print(json.dumps([errno.errorcode[error.errno], made <= ${LIMITS.inodes}]))`
    expect(await python(litter, await start())).toEqual(['ENOSPC', true])
  })
  test('no core is written', async () => {
    const core = 'import json, resource; print(json.dumps(resource.getrlimit(resource.RLIMIT_CORE)))'
    expect(await python(core)).toEqual([0, 0])
  })
})

describe('disk', () => {
  test('what is hidden deeper than a path can name counts too', async () => {
    const box = await start({ mounts: [{ volume: await emptyVolume(), path: '/work', readOnly: false }] })
    const dig = `
import os, time
os.chdir("/work")
for _ in range(40):
    os.mkdir("d" * 200)
    os.chdir("d" * 200)
for i in range(8):
    with open(str(i), "wb") as file: file.write(bytes(3 << 20))
time.sleep(600)`
    expect((await run(['python3', '-c', dig], box)).end).toEqual({ kind: 'limit', limit: 'disk' })
    expect(await isRunning(box)).toBe(false)
  })
  test('a program that never stops making empty files is ended', async () => {
    const box = await start({ mounts: [{ volume: await emptyVolume(), path: '/work', readOnly: false }] })
    const litter = `
import os
i = 0
while i < 1_000_000:
    os.close(os.open("/work/" + str(i), os.O_CREAT | os.O_WRONLY))
    i += 1`
    expect((await run(['python3', '-c', litter], box)).end).toEqual({ kind: 'limit', limit: 'disk' })
    expect(await isRunning(box)).toBe(false)
  })
  test('one that runs out of time is looked at once more', async () => {
    const box = await start({ mounts: [{ volume: await emptyVolume(), path: '/work', readOnly: false }] })
    // So many at once, right before its time is over, that no look of the watch comes between.
    const litter = `
import os, time
time.sleep(0.5)
for i in range(4000): os.close(os.open("/work/" + str(i), os.O_CREAT | os.O_WRONLY))
time.sleep(60)`
    const { end } = await run(['python3', '-c', litter], box, { timeoutMs: 1500 })
    expect(end).toEqual({ kind: 'limit', limit: 'disk' })
  })
  test('a volume of the image is no way out: it is a tmpfs of known size, and no volume is made', async () => {
    const template = await docker.createContainer({
      Image: imageId,
      Cmd: ['true'],
      Labels: { [LABEL.run]: runId },
    })
    const committed = (await template.commit({ changes: 'VOLUME /data' })) as { Id: string }
    await template.remove()
    try {
      const box = await start({ imageId: committed.Id })
      const { Mounts } = await docker.getContainer(box.id).inspect()
      expect(Mounts.filter(({ Type }) => Type === 'volume')).toEqual([])
      const { end, stderr } = await run(
        ['sh', '-c', 'for i in 1 2 3; do head -c 4m /dev/zero > /data/$i || exit 9; done'],
        box,
      )
      expect({ end, stderr: stderr.toString() }).toEqual({
        end: { kind: 'exited', code: 9 },
        stderr: expect.stringContaining('No space left') as string,
      })
      await box.destroy()
    } finally {
      await docker.getImage(committed.Id).remove({ force: true })
    }
  })
})

describe('wall clock', () => {
  test('after the deadline nothing of the box runs, not even what ignores signals in a session of its own', async () => {
    const box = await start()
    const stubborn =
      'trap "" TERM HUP INT; setsid sh -c \'trap "" TERM HUP; while :; do sleep 1; done\' & wait'
    const result = await run(['sh', '-c', stubborn], box, { timeoutMs: 1000 })
    expect(result.end).toEqual({ kind: 'timeout' })
    expect(await isRunning(box)).toBe(false)
  })
  test('a program that closes its output and goes on is waited for', async () => {
    const result = await run(['sh', '-c', 'exec >&- 2>&-; sleep 0.5; exit 5'])
    expect(result.end).toEqual({ kind: 'exited', code: 5 })
    expect(result.durationMs).toBeGreaterThan(500)
  })
})

describe('what a program has', () => {
  test('no capability, no way to gain one, and seccomp where the engine has it', async () => {
    const { stdout } = await run(['cat', '/proc/self/status'])
    const status = Object.fromEntries(
      stdout
        .toString()
        .split('\n')
        .map((line) => line.split(/:\s+/) as [string, string]),
    )
    const none = '0'.repeat(16)
    expect(status).toMatchObject({ CapEff: none, CapPrm: none, CapInh: none, CapBnd: none, CapAmb: none })
    expect(status).toMatchObject({ NoNewPrivs: '1', Uid: '1000\t1000\t1000\t1000' })
    const promised = (await sandbox.info(10_000)).securityOptions.some((option) => option.includes('seccomp'))
    expect(status['Seccomp']).toBe(promised ? '2' : '0')
  })
  test.each([
    ['make a user namespace', ['unshare', '-U', 'true']],
    ['mount', ['mount', '-t', 'tmpfs', 'none', '/tmp']],
    ['become root', ['su', '-c', 'true']],
    ['change the host’s name', ['hostname', 'other']],
    ['load a kernel setting', ['sh', '-c', 'echo 1 > /proc/sys/kernel/pid_max']],
    ['read the kernel’s memory', ['head', '-c1', '/proc/kcore']],
    ['leave its cgroup', ['sh', '-c', 'mkdir /sys/fs/cgroup/x || mkdir /sys/fs/cgroup/memory/x']],
  ] as const)('it cannot %s', async (_, argv) => {
    const { end } = await run(argv)
    expect(end).toEqual({
      kind: 'exited',
      code: expect.toSatisfy((code: number) => code > 0 && code < 126) as number,
    })
  })
  test('no place to write but tmpfs and writable mounts', async () => {
    const box = await start({
      mounts: [{ volume: await emptyVolume(), path: '/work', readOnly: false }],
      tmpfs: ['/home/lena'],
    })
    const find = `
import json, os
writable = []
for folder, folders, _ in os.walk("/"):
    folders[:] = [name for name in folders if os.path.join(folder, name) not in ("/proc", "/sys")]
    probe = os.path.join(folder, ".probe")
    try:
        os.close(os.open(probe, os.O_CREAT | os.O_WRONLY))
        os.unlink(probe)
        writable.append(folder)
    except OSError: pass
print(json.dumps(sorted(writable)))`
    expect(await python(find, box)).toEqual(['/dev/mqueue', '/dev/shm', '/home/lena', '/tmp', '/work'])
  })
  test('an environment and a name that tell nothing of the host', async () => {
    const { stdout } = await run([
      'sh',
      '-c',
      'hostname; cat /etc/resolv.conf; getent hosts localhost | head -1; grep -c docker /proc/self/cgroup',
    ])
    expect(stdout.toString()).toMatch(/^box\nnameserver 127.0.0.1\n\S+ +localhost.*\n0\n$/)
  })
})

describe('network', () => {
  test('there is one interface, lo', async () => {
    const list = 'import json, os; print(json.dumps(os.listdir("/sys/class/net")))'
    expect(await python(list)).toEqual(['lo'])
  })
  test('neither the host, nor its metadata address, nor anything else is reached', async () => {
    const server = createServer((socket) => socket.end('host')).listen(0, '0.0.0.0')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const bridge = (await docker.getNetwork('bridge').inspect()) as {
      IPAM: { Config: { Gateway?: string }[] }
    }
    const gateway = bridge.IPAM.Config[0]?.Gateway ?? '172.17.0.1'
    const connect = `
import errno, json, socket
seen = {}
for host, port in (("${gateway}", ${port}), ("127.0.0.1", ${port}), ("169.254.169.254", 80), ("8.8.8.8", 53)):
    try:
        socket.create_connection((host, port), timeout=5).close()
        seen[host] = "connected"
    except OSError as error:
        seen[host] = errno.errorcode.get(error.errno, str(error))
try:
    seen["name"] = socket.gethostbyname("example.com")
except OSError: seen["name"] = "unknown"
print(json.dumps(seen))`
    try {
      expect(await python(connect)).toEqual({
        [gateway]: 'ENETUNREACH',
        '127.0.0.1': 'ECONNREFUSED',
        '169.254.169.254': 'ENETUNREACH',
        '8.8.8.8': 'ENETUNREACH',
        name: 'unknown',
      })
    } finally {
      server.close()
    }
  })
})

describe('processes of another user in the same box', () => {
  test('cannot be signalled, and their environment and memory cannot be read; their command line can', async () => {
    const box = await start()
    const hold = 'sleep 300 & echo $!'
    const held = await run(['sh', '-c', hold], box, { user: '1001:1001', env: { SECRET: 'of another user' } })
    const pid = held.stdout.toString().trim()
    expect(pid).toMatch(/^\d+$/)
    const spy = `
import errno, json, os
def attempt(do):
    try: return do()
    except OSError as error: return errno.errorcode[error.errno]
print(json.dumps({
    "kill": attempt(lambda: os.kill(${pid}, 9)),
    "environ": attempt(lambda: open("/proc/${pid}/environ").read()),
    "mem": attempt(lambda: open("/proc/${pid}/mem", "rb").read(1)),
    "fd": attempt(lambda: os.listdir("/proc/${pid}/fd")),
    "cmdline": open("/proc/${pid}/cmdline").read().split("\\0")[0],
}))`
    expect(await python(spy, box)).toEqual({
      kill: 'EPERM',
      environ: 'EACCES',
      mem: 'EACCES',
      fd: 'EACCES',
      cmdline: 'sleep',
    })
  })
  test('killing everything kills the own ones only, and the box goes on', async () => {
    const box = await start()
    await run(['sh', '-c', 'sleep 300 &'], box, { user: '1001:1001' })
    await run(['sh', '-c', 'sleep 301 & sleep 302 &'], box)
    expect(await box.processes(never)).toHaveLength(3)
    expect((await run(['sh', '-c', 'kill -9 -1; exit 0'], box)).end).toEqual({ kind: 'exited', code: 0 })
    expect((await box.processes(never)).map(({ uid, command }) => [uid, command])).toEqual([
      [1001, 'sleep 300'],
    ])
    expect((await run(['true'], box)).end).toEqual({ kind: 'exited', code: 0 })
  })
})

test('a runtime that the engine does not have is the configuration’s fault, and leaves nothing', async () => {
  await expect(start({ runtime: 'no-such-runtime' })).rejects.toMatchObject({
    code: 'config/runtime-unknown',
  })
})

describe('nothing leaks', () => {
  test('a network that carries the labels', async () => {
    const labelled = `${runId}-network`
    const Labels = labelsOf(currentOwner(TEST_STATE_DIR), labelled, 'worker')
    await docker.createNetwork({ Name: labelled, Labels })
    expect(await sandbox.reap({ run: labelled })).toEqual({ boxes: 0, volumes: 0, networks: 1 })
  })
  test('a box aborted at any moment of its start', async () => {
    const aborted = `${runId}-aborted`
    for (const afterMs of [0, 5, 15, 40, 80, 150, 220]) {
      const abort = new AbortController()
      const starting = sandbox.startBox(specOf({ runId: aborted }), abort.signal)
      setTimeout(() => abort.abort(), afterMs)
      await starting.then(
        (box) => box.destroy(),
        (error: unknown) => expect(error).toMatchObject({ code: 'interrupted/aborted' }),
      )
    }
    const filters = { label: [`${LABEL.run}=${aborted}`] }
    expect(await docker.listContainers({ all: true, filters })).toEqual([])
  })
  test('a volume aborted while it is laid', async () => {
    const aborted = `${runId}-volume`
    const abort = new AbortController()
    const tar = tarOf(Array.from({ length: 50 }, (_, i) => ({ name: String(i), text: 'x'.repeat(MIB) })))
    tar.once('data', () => abort.abort())
    const layers = [{ at: '', tar }]
    const laying = sandbox.createVolume({ runId: aborted, kind: 'product', imageId, layers }, abort.signal)
    await expect(laying).rejects.toMatchObject({ code: 'interrupted/aborted' })
    expect(await sandbox.reap({ run: aborted })).toEqual({ boxes: 0, volumes: 0, networks: 0 })
  })
  test('a reader of an image that walks away', async () => {
    const abort = new AbortController()
    const stream = await sandbox.readImage(imageId, '/usr/bin', abort.signal)
    await once(stream, 'readable')
    stream.destroy()
    const whole = await entriesOf(await sandbox.readImage(imageId, '/etc/apt', never))
    expect(Object.keys(whole.content).length).toBeGreaterThan(1)
    await expect
      .poll(async () => {
        const listed = await docker.listContainers({ all: true, filters: { label: [`${LABEL.run}=image`] } })
        return listed.filter(({ Labels }) => Labels[LABEL.process]?.startsWith(`${process.pid}:`))
      })
      .toEqual([])
  })
})
