import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { dockerTestHost } from '../../engine/sandbox/docker-test-host.ts'
import { IS_GVISOR, skipWithoutRuntime } from '../../engine/sandbox/test-runtime.ts'
import type { Observed } from '../../specs/examiner.ts'
import { plainBut, type Dimension, type Varied } from '../../specs/surroundings.ts'
import { testExaminer, type ProbeOf, type TestExaminer } from './test-examiner.ts'

const AHEAD = { clock: '27400' }
const OTHER = { runtime: 'node-22' }
const DAY_MS = 86_400_000

let host: TestExaminer
beforeEach(skipWithoutRuntime)
beforeAll(async () => {
  host = await testExaminer()
}, 600_000)
afterAll(async () => {
  expect(await host.close()).toEqual({ boxes: 0, volumes: 0, networks: 0 })
})

/** One probe, run once in these surroundings. */
async function observeIn(
  varied: Varied,
  probe: ProbeOf,
  options: { readonly scenario?: string; readonly tree?: Readonly<Record<string, string>> } = {},
  on = host,
): Promise<Observed> {
  const path = probe.scenario ?? 'scenarios/one.mjs'
  const { scenario, tree = {} } = options
  const { observed, findings } = await on.observe(
    { 'package.json': '{}', ...tree },
    [scenario === undefined ? probe : { ...probe, scenario: path }],
    {
      scenarios: scenario === undefined ? {} : { [path]: scenario },
      surroundings: () => plainBut(varied, Object.keys(varied) as Dimension[]),
    },
  )
  expect(findings).toEqual([])
  const [first] = observed
  if (first === undefined) throw new Error('nothing observed')
  return first
}
const inNode = (varied: Varied, body: string, on = host) =>
  observeIn(
    varied,
    {},
    {
      scenario: `import fs from 'node:fs'; import { execFileSync, execSync } from 'node:child_process'
        export default async () => { ${body} }`,
    },
    on,
  )
const inPython = (varied: Varied, body: string) =>
  observeIn(
    varied,
    { scenario: 'scenarios/one.py' },
    { scenario: `import datetime, os, subprocess, sys, threading, time\ndef scenario(ctx):\n${body}` },
  )
function valueOf({ observation }: Observed): unknown {
  if (observation.outcome !== 'returned') throw new Error(JSON.stringify(observation))
  return observation.value
}
/** By more or less than half a day, so that it does not matter how long a test takes. */
const daysAhead = (moment: unknown) => Math.round((Number(moment) - Date.now()) / DAY_MS) + 0

/** An examiner over the image of tests without some paths, and what removes that image. */
async function imageWithout(paths: string): Promise<[TestExaminer, () => Promise<unknown>]> {
  const { docker, imageId } = await dockerTestHost()
  const Cmd = ['sh', '-c', `rm -r ${paths}`]
  const container = await docker.createContainer({ Image: imageId, Cmd, User: '0:0' })
  await container.start()
  await container.wait()
  const { Id } = (await container.commit()) as { readonly Id: string }
  await container.remove({ force: true })
  return [await testExaminer(Id), () => docker.getImage(Id).remove({ force: true })]
}

describe('a clock that is ahead', () => {
  it('is what a product in Node.js, its workers and its children see', async () => {
    const seen = await inNode(
      AHEAD,
      `const { Worker } = await import('node:worker_threads')
       const worker = new Worker("require('node:worker_threads').parentPort.postMessage(Date.now())", { eval: true })
       return [Date.now(), +new Date(), Date.parse(execSync('date')), +execFileSync(process.execPath, ['-p', 'Date.now()']),
         performance.timeOrigin, await new Promise((done) => worker.on('message', done))]`,
    )
    expect((valueOf(seen) as unknown[]).map(daysAhead)).toEqual(Array(6).fill(27_400))
    expect(seen.surroundings).toEqual(AHEAD)
  })

  it('is in no variable, of the product or its children', async () => {
    const shown = `JSON.stringify([process.env.LD_PRELOAD, process.env.CLOCK_AHEAD_S].filter((one) => one !== undefined))`
    const seen = await inNode(
      AHEAD,
      `return [${shown}, execFileSync(process.execPath, ['-p', \`${shown}\`]).toString().trim()]`,
    )
    expect(valueOf(seen)).toEqual(IS_GVISOR ? expect.anything() : ['[]', '[]'])
  })

  it('is what a product in Python and its children see', async () => {
    const seen = await inPython(
      AHEAD,
      `    child = subprocess.check_output([sys.executable, "-c", "import time; print(time.time())"])
    return [time.time() * 1000, datetime.datetime.now().timestamp() * 1000, float(child) * 1000]`,
    )
    expect((valueOf(seen) as unknown[]).map(daysAhead)).toEqual(Array(3).fill(27_400))
  })

  it('is what a command and a server see', async () => {
    const now = { 'now.js': 'console.log(Date.now())', 'now.py': 'import time\nprint(time.time() * 1000)' }
    for (const argv of [
      ['node', '{tree}/now.js'],
      ['python3', '{tree}/now.py'],
    ] as const) {
      const { observation } = await observeIn(AHEAD, { command: { argv: [...argv] } }, { tree: now })
      expect(daysAhead(observation.outcome === 'exited' ? observation.stdout.text : NaN)).toBe(27_400)
    }
    const served = await observeIn(
      AHEAD,
      { service: { argv: ['node', '{tree}/serve.js'], cwd: 'tree', ready: { port: 8080, timeoutMs: 5000 } } },
      {
        tree: {
          'serve.js': "require('http').createServer((q, a) => a.end(String(Date.now()))).listen(8080)",
        },
        scenario: `export default async ({ service }) => [await (await fetch(service.url)).text(), Date.now()]`,
      },
    )
    expect((valueOf(served) as unknown[]).map(daysAhead)).toEqual([27_400, 27_400])
  })

  it('goes as fast as any: timers, waits and sleeps take what they take', async () => {
    const inNodeMs = await inNode(
      AHEAD,
      `const from = process.hrtime.bigint(), clock = Date.now()
       await new Promise((done) => setTimeout(done, 100))
       Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100)
       try { execSync('sleep 60', { timeout: 100 }) } catch {}
       return [Number(process.hrtime.bigint() - from) / 1e6, Date.now() - clock]`,
    )
    const inPythonMs = await inPython(
      AHEAD,
      `    began, clock = time.monotonic(), time.time()
    time.sleep(0.1)
    threading.Event().wait(0.1)
    try:
        subprocess.run(["sleep", "60"], timeout=0.1)
    except subprocess.TimeoutExpired:
        pass
    return [(time.monotonic() - began) * 1000, (time.time() - clock) * 1000]`,
    )
    for (const took of [inNodeMs, inPythonMs].flatMap((one) => valueOf(one) as number[])) {
      expect(took).toBeGreaterThan(290)
      expect(took).toBeLessThan(3000)
    }
  })

  it('is reckoned with where a program waits until a time of day', async () => {
    const seen = await inPython(
      AHEAD,
      `    import ctypes
    class Moment(ctypes.Structure):
        _fields_ = [("s", ctypes.c_long), ("ns", ctypes.c_long)]
    libc = ctypes.CDLL(None, use_errno=True)
    def took(wait):
        began = time.monotonic()
        end = Moment(int(time.time()) + 1, 0)
        code = wait(ctypes.byref(end))
        return [code, time.monotonic() - began < 3]
    semaphore = ctypes.create_string_buffer(64)
    libc.sem_init(semaphore, 0, 0)
    mutex, condition = ctypes.create_string_buffer(64), ctypes.create_string_buffer(64)
    libc.pthread_mutex_lock(mutex)
    return [took(lambda end: libc.sem_timedwait(semaphore, end)),
            took(lambda end: libc.pthread_mutex_timedlock(mutex, end)),
            took(lambda end: libc.pthread_cond_timedwait(condition, mutex, end)),
            took(lambda end: libc.clock_nanosleep(0, 1, end, None))]`,
    )
    const ETIMEDOUT = 110
    expect(valueOf(seen)).toEqual([
      [-1, true],
      [ETIMEDOUT, true],
      [ETIMEDOUT, true],
      [0, true],
    ])
  })

  it('leaves the time limit of a check as it is', async () => {
    const scenario = 'export default () => { for (;;); }'
    for (const [probe, options] of [
      [{ timeoutMs: 500 }, { scenario }],
      [{ timeoutMs: 500, command: { argv: ['sleep', '60'] } }, {}],
    ] satisfies [ProbeOf, { scenario?: string }][]) {
      const began = performance.now()
      const { observation } = await observeIn(AHEAD, probe, options)
      expect(observation.outcome).toBe('timeout')
      expect(performance.now() - began).toBeLessThan(20_000)
    }
  })

  it('leaves the times of files as they are', async () => {
    const seen = await inNode(
      AHEAD,
      `fs.writeFileSync('a', ''); fs.writeFileSync('b', ''); fs.utimesSync('b', 1000, 1000)
       return [fs.statSync('a').mtimeMs, fs.statSync('b').mtimeMs]`,
    )
    const [written, set] = valueOf(seen) as number[]
    expect(daysAhead(written)).toBe(0)
    expect(set).toBe(1_000_000)
  })
})

describe('another version of the runtime', () => {
  it('is what a scenario, its children and a command run in', async () => {
    const body = `return [process.version, String(execFileSync('node', ['--version'])),
      String(execFileSync(process.execPath, ['--version']))].map((text) => text.slice(0, 4))`
    const seen = await inNode(OTHER, body)
    expect(seen).toMatchObject({ observation: { value: ['v22.', 'v22.', 'v22.'] }, surroundings: OTHER })
    expect(valueOf(await inNode({}, body))).toEqual(['v24.', 'v24.', 'v24.'])
    const tree = {
      'bin/version.js': "#!/usr/bin/env node\nconsole.log(process.version.slice(0, 4), 'of', process.argv0)",
    }
    for (const argv of [['{tree}/bin/version.js'], ['node', '{tree}/bin/version.js']]) {
      const { observation } = await observeIn(OTHER, { command: { argv } }, { tree })
      expect(observation).toMatchObject({ outcome: 'exited', stdout: { text: 'v22. of node\n' } })
    }
  })

  // gVisor executes only what it may read.
  it.skipIf(IS_GVISOR)('may be executed and not read, like the first', async () => {
    const seen = await inNode(
      OTHER,
      `try { fs.readFileSync(process.execPath); return 'read' } catch (error) { return error.code }`,
    )
    expect(valueOf(seen)).toBe('EACCES')
  })

  it('and the clock at once', async () => {
    const seen = await inNode({ ...OTHER, ...AHEAD }, 'return [process.version.slice(0, 4), Date.now()]')
    const [version, now] = valueOf(seen) as [string, number]
    expect([version, daysAhead(now)]).toEqual(['v22.', 27_400])
    expect(seen.surroundings).toEqual({ ...AHEAD, ...OTHER })
  })

  it('is none for Python', async () => {
    const seen = await inPython({ ...OTHER, ci: '1' }, '    return os.environ["CI"]')
    expect(valueOf(seen)).toBe('1')
  })
})

describe('a process that has been up for long', () => {
  const AGED = { age: '4000' }
  const NODE = {
    'package.json': '{"main":"m.js"}',
    'm.js': 'exports.born = [process.uptime(), Date.now()]; exports.calls = 0',
  }
  const asked = `export default async ({ load }) => {
    const product = await load('.')
    const [uptime, clock] = product.born
    const later = [process.uptime() - uptime, (Date.now() - clock) / 1000]
    const from = performance.now()
    await new Promise((done) => setTimeout(done, 50))
    await new Promise((done) => { let n = 0; const timer = setInterval(() => { if (++n === 3) { clearInterval(timer); done() } }, 20) })
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50)
    const tookS = (performance.now() - from) / 1000
    return [...later.map(Math.round), tookS > 0.1 && tookS < 30, (product.calls += 1)]
  }`

  it('in Node.js: all clocks leapt when the product was loaded; what waits takes what it takes', async () => {
    const seen = await observeIn(AGED, {}, { scenario: asked, tree: NODE })
    expect(valueOf(seen)).toEqual([4000, 4000, true, 1])
    expect(seen.surroundings).toEqual(AGED)
    expect(valueOf(await observeIn({}, {}, { scenario: asked, tree: NODE }))).toEqual([0, 0, true, 1])
  })

  it.each(['1', '3'])('in Node.js: timers that became due have run before call %s goes on', async (calls) => {
    const tree = {
      'package.json': '{"main":"m.js"}',
      'm.js': `exports.due = 0; setTimeout(() => exports.due++, 3_000_000).unref()
        setTimeout(() => exports.due++, 5_000_000).unref()`,
    }
    const scenario = `export default async ({ load }) => (await load('.')).due`
    expect(valueOf(await observeIn({ ...AGED, calls }, {}, { scenario, tree }))).toBe(1)
    expect(valueOf(await observeIn({ calls }, {}, { scenario, tree }))).toBe(0)
  })

  it('in Node.js, after other calls: once, between them and the one that counts', async () => {
    const seen = await observeIn({ ...AGED, calls: '2' }, {}, { scenario: asked, tree: NODE })
    expect(valueOf(seen)).toEqual([4000, 4000, true, 2])
  })

  it.each(['1', '2'])('in Python, call %s', async (calls) => {
    const scenario = `import asyncio, queue, threading, time
def scenario(ctx):
    product = ctx.load("m")
    later = [round(time.monotonic() - product.born[0]), round(time.time() - product.born[1])]
    begun = time.monotonic()
    time.sleep(0.05)
    threading.Event().wait(0.05)
    try:
        queue.Queue().get(timeout=0.05)
    except queue.Empty:
        pass
    lock = threading.Lock()
    lock.acquire()
    lock.acquire(timeout=0.05)
    asyncio.run(asyncio.sleep(0.05))
    timer = threading.Timer(0.05, lambda: None)
    timer.start()
    timer.join()
    took = time.monotonic() - begun
    product.calls += 1
    return later + [0.2 < took < 30, product.calls]`
    const tree = { 'm.py': 'import time\nborn = [time.monotonic(), time.time()]\ncalls = 0\n' }
    const seen = await observeIn({ ...AGED, calls }, { scenario: 'scenarios/one.py' }, { scenario, tree })
    expect(valueOf(seen)).toEqual([4000, 4000, true, Number(calls)])
  })
})

describe('an image that has the library, and not in every program', () => {
  let other: TestExaminer
  let removeImage: () => Promise<unknown>
  beforeAll(async () => {
    ;[other, removeImage] = await imageWithout('/etc/ld.so.preload')
  }, 600_000)
  afterAll(async () => {
    await other.close()
    await removeImage()
  })

  it('has it preloaded, whether clocks are shifted or not', async () => {
    const body = `return [Date.now(), +execFileSync(process.execPath, ['-p', 'Date.now()']), 'LD_PRELOAD' in process.env]`
    const days = (seen: Observed) => {
      const [now, child, preloaded] = valueOf(seen) as [number, number, boolean]
      return [daysAhead(now), daysAhead(child), preloaded]
    }
    expect(days(await inNode(AHEAD, body, other))).toEqual([27_400, 27_400, true])
    expect(days(await inNode({}, body, other))).toEqual([0, 0, true])
  })
})

describe('an image that has neither', () => {
  let bare: TestExaminer
  let removeImage: () => Promise<unknown>
  beforeAll(async () => {
    const lacking = '/etc/ld.so.preload /usr/local/lib/libclock.so /usr/local/lib/node-22'
    ;[bare, removeImage] = await imageWithout(lacking)
  }, 600_000)
  afterAll(async () => {
    await bare.close()
    await removeImage()
  })

  it('runs plain, and says so', async () => {
    const body = `return [process.version.slice(0, 4), Date.now(), process.env.CI, 'LD_PRELOAD' in process.env]`
    const seen = await inNode({ ...AHEAD, ...OTHER, ci: '1' }, body, bare)
    const [version, now, ci, preloaded] = valueOf(seen) as [string, number, string, boolean]
    expect([version, daysAhead(now), ci, preloaded]).toEqual(['v24.', 0, '1', false])
    expect(seen.surroundings).toEqual({ ci: '1' })
  })
})
