import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { IS_GVISOR, skipWithoutRuntime } from '../../engine/sandbox/test-runtime.ts'
import { PLAIN } from '../../specs/surroundings.ts'
import { testExaminer, type TestExaminer } from './test-examiner.ts'

let host: TestExaminer
beforeEach(skipWithoutRuntime)
beforeAll(async () => {
  host = await testExaminer()
}, 600_000)
afterAll(async () => {
  expect(await host.close()).toEqual({ boxes: 0, volumes: 0, networks: 0 })
})

const calls = (expression: string) => `export default async ({ load, input, tmp }) => {
  const product = await load('.')
  return ${expression}
}`
const product = (body: string) => ({
  'package.json': '{"name":"product","main":"index.js"}',
  'index.js': body,
})
/** Why a write is refused where the file system is read-only and the folder another's: gVisor asks whose it is first. */
const REFUSED = IS_GVISOR ? 'EACCES' : 'EROFS'
/** Two probes in one box: the first does harm, the second looks. */
const inTurn = (tree: Readonly<Record<string, string>>, scenarios: Readonly<Record<string, string>>) =>
  host.observe(
    tree,
    Object.keys(scenarios).map((scenario, index) => ({ row: `row-${index}`, scenario })),
    { scenarios },
  )

describe('a scenario in a product box', () => {
  it('returns what the product returns', async () => {
    const observation = await host.observeOne(
      product('exports.add = (a, b) => a + b'),
      { input: [1, 2] },
      calls('product.add(...input)'),
    )
    expect(observation).toEqual({ outcome: 'returned', value: 3, steps: [] })
  })

  it('sees nothing of the machine: no other user can be, no network, a read-only tree, an empty home', async () => {
    const observation = await host.observeOne(
      product(`const fs = require('fs'), os = require('os')
        const tried = (work) => { try { work(); return 'done' } catch (error) { return error.code } }
        exports.look = () => ({
          uid: process.getuid(), home: fs.readdirSync(os.homedir()), cwd: fs.readdirSync('.'),
          interfaces: Object.keys(os.networkInterfaces()), setuid: tried(() => process.setuid(0)),
          write: tried(() => fs.writeFileSync(__dirname + '/x', '')), root: tried(() => fs.writeFileSync('/x', '')),
          env: Object.keys(process.env).sort(), argv: process.argv.length, execArgv: process.execArgv,
        })`),
      {},
      calls('product.look()'),
    )
    expect(observation).toMatchObject({
      outcome: 'returned',
      value: {
        home: [],
        cwd: [],
        interfaces: ['lo'],
        setuid: 'EPERM',
        write: REFUSED,
        root: REFUSED,
        env: ['HOME', 'LANG', 'LC_CTYPE', 'PATH', 'TMPDIR', 'TZ'],
        argv: 2,
        execArgv: [],
      },
    })
    expect(observation).toMatchObject({ value: { uid: expect.any(Number) } })
  })

  it('crashes when the product ends its process, and keeps what was observed before', async () => {
    const observation = await host.observeOne(
      product('exports.go = () => process.exit(0)'),
      {},
      `export default async ({ load, observe }) => { observe('before', 1); (await load('.')).go(); return 'after' }`,
    )
    expect(observation).toEqual({
      outcome: 'crashed',
      code: 0,
      signal: null,
      steps: [{ name: 'before', value: 1 }],
    })
  })

  it('times out in a loop that never yields, and the next probe runs', async () => {
    const tree = product('exports.spin = () => { for (;;) {} }')
    const { observed, findings } = await host.observe(
      tree,
      [
        { row: 'spin', scenario: 'scenarios/spin.mjs', timeoutMs: 300 },
        { row: 'next', scenario: 'scenarios/next.mjs' },
      ],
      { scenarios: { 'scenarios/spin.mjs': calls('product.spin()'), 'scenarios/next.mjs': calls('1') } },
    )
    expect(findings).toEqual([])
    expect(observed.map(({ observation }) => observation.outcome)).toEqual(['timeout', 'returned'])
  })

  it('hits the limit of memory, each time, and does not take others with it', async () => {
    const tree = product(
      'exports.eat = () => { const kept = []; for (;;) kept.push(Buffer.alloc(1 << 22, 1)) }',
    )
    const { observed, findings } = await host.observe(
      tree,
      [
        { row: 'eat', scenario: 'scenarios/eat.mjs' },
        { row: 'next', scenario: 'scenarios/next.mjs' },
      ],
      {
        times: 2,
        limits: { memoryBytes: 128 * 2 ** 20 },
        scenarios: { 'scenarios/eat.mjs': calls('product.eat()'), 'scenarios/next.mjs': calls('1') },
      },
    )
    expect(findings).toEqual([])
    expect(observed.map(({ observation }) => observation.outcome)).toEqual([
      'limit',
      'limit',
      'returned',
      'returned',
    ])
  })

  it('does not mind what the product prints, however much', async () => {
    const observation = await host.observeOne(
      product(
        `exports.print = () => { for (let i = 0; i < 20; i += 1) console.log('x'.repeat(1e6)); return 'printed' }`,
      ),
      {},
      calls('product.print()'),
    )
    expect(observation).toMatchObject({ outcome: 'returned', value: 'printed' })
  })

  it('drives a product in Python', async () => {
    const observation = await host.observeOne(
      { 'src/shop/__init__.py': 'def price(n):\n    return {"n": n, "t": (n,)}\n' },
      { scenario: 'scenarios/one.py', input: 3 },
      'def scenario(ctx):\n    return ctx.load("shop").price(ctx.input)\n',
    )
    expect(observation).toEqual({
      outcome: 'returned',
      value: { n: 3, t: { $t: 'tuple', values: [3] } },
      steps: [],
    })
  })

  it.each([
    ['node', 'scenarios/one.mjs', "export default ({ load }) => load('./no-such-file.js')"],
    ['python', 'scenarios/one.py', 'def scenario(ctx):\n    return ctx.load("no_such_module")\n'],
  ])('is unreachable when what it loads is not there (%s)', async (_name, scenario, source) => {
    const observation = await host.observeOne(product(''), { scenario }, source)
    expect(observation.outcome).toBe('unreachable')
  })

  it('runs in the time zone and language that it is given', async () => {
    const { observed } = await host.observe(
      product('exports.zone = () => Intl.DateTimeFormat().resolvedOptions()'),
      [{ scenario: 'scenarios/a.mjs' }],
      {
        times: 2,
        surroundings: (_, run) =>
          run === 0 ? PLAIN : { ...PLAIN, timeZone: 'Pacific/Auckland', language: 'de_DE.UTF-8' },
        scenarios: { 'scenarios/a.mjs': calls('[product.zone().timeZone, product.zone().locale]') },
      },
    )
    const [first, second] = observed.map(({ observation }) => observation as { value?: unknown })
    expect(first?.value).toEqual(['UTC', 'en-US'])
    expect(second?.value).toEqual(['Pacific/Auckland', 'de-DE'])
  })

  it('runs as another user in each box', async () => {
    // As long as one takes, so that both boxes have begun before either is free.
    const { observed } = await host.observe(
      product(
        'exports.user = () => { const end = Date.now() + 3000; while (Date.now() < end); return process.getuid() }',
      ),
      [{ scenario: 'scenarios/a.mjs' }],
      { times: 2, boxes: 2, scenarios: { 'scenarios/a.mjs': calls('product.user()') } },
    )
    const users = observed.map(({ observation }) => (observation as { value?: unknown }).value)
    expect(new Set(users).size).toBe(2)
  })
})

describe('a product that reaches for more than its own run', () => {
  it('leaves no daemon for the next probe', async () => {
    const daemon = `const { spawn } = require('child_process')
      exports.daemon = () => { spawn('sh', ['-c', 'while :; do (sleep 9 &) ; done'], { detached: true, stdio: 'ignore' }).unref(); return 1 }
      exports.list = () => require('fs').readdirSync('/proc').filter((name) => {
        try { return Number(name) > 1 && require('fs').statSync('/proc/' + name).uid === process.getuid() } catch { return false }
      }).length`
    const { observed, findings } = await inTurn(product(daemon), {
      'scenarios/a.mjs': calls('product.daemon()'),
      'scenarios/b.mjs': calls('product.list()'),
      'scenarios/c.mjs': calls('product.list()'),
    })
    expect(findings).toEqual([])
    // This process and its wrapper.
    expect(observed.map(({ observation }) => (observation as { value?: unknown }).value)).toEqual([1, 2, 2])
  })

  it('leaves no files for the next probe, not even behind closed folders', async () => {
    const litter = `const fs = require('fs')
      exports.litter = () => { for (const place of ['/tmp', '/dev/shm']) {
        fs.mkdirSync(place + '/.deep/er', { recursive: true }); fs.writeFileSync(place + '/.deep/er/file', 'x'); fs.writeFileSync(place + '/..odd', 'x')
        fs.chmodSync(place + '/.deep/er', 0); fs.chmodSync(place + '/.deep', 0) } return 1 }
      exports.list = () => [...fs.readdirSync('/tmp'), ...fs.readdirSync('/dev/shm')]`
    const { observed, findings } = await inTurn(product(litter), {
      'scenarios/a.mjs': calls('product.litter()'),
      'scenarios/b.mjs': calls('product.list()'),
      'scenarios/c.mjs': calls('product.list()'),
    })
    expect(findings).toEqual([])
    expect(observed.map(({ observation }) => (observation as { value?: unknown }).value)).toEqual([
      1,
      ['run'],
      ['run'],
    ])
  })

  it('cannot look into the memory of the shell that runs all probes', async () => {
    const peek = `const fs = require('fs')
      const tried = (flags) => { try { fs.openSync('/proc/' + process.ppid + '/mem', flags); return 'done' } catch (error) { return error.code } }
      exports.peek = () => [tried('r'), tried('r+')]`
    expect(await host.observeOne(product(peek), {}, calls('product.peek()'))).toMatchObject({
      value: ['EACCES', 'EACCES'],
    })
  })

  it('learns nothing from what else a kernel shows of that shell, and of its own process', async () => {
    const peek = `const fs = require('fs')
      const tried = (work) => { try { return String(work()) } catch (error) { return error.code } }
      exports.peek = () => { const up = '/proc/' + process.ppid; return {
        input: tried(() => fs.readlinkSync(up + '/fd/0')), maps: tried(() => fs.readFileSync(up + '/maps').length > 0),
        environment: tried(() => fs.readFileSync(up + '/environ')), own: tried(() => fs.readFileSync('/proc/self/environ')) } }`
    const nonce = /[0-9a-f]{32}/
    // gVisor shows them to each process of the same user: there is no nonce in them.
    expect(await host.observeOne(product(peek), {}, calls('product.peek()'))).toMatchObject({
      value: IS_GVISOR
        ? { environment: expect.not.stringMatching(nonce), own: expect.not.stringMatching(nonce) }
        : { input: 'EACCES', maps: 'EACCES', environment: 'EACCES', own: 'EACCES' },
    })
  })

  it('cannot give that shell a job', async () => {
    const job = `require('fs').writeFileSync('/proc/' + process.ppid + '/fd/0', 'abcdef 2 node UTC C\\n{}')`
    const { observed, findings } = await inTurn(
      product(`exports.give = () => { try { ${job} } catch {} return 1 }`),
      { 'scenarios/a.mjs': calls('product.give()'), 'scenarios/b.mjs': calls('2') },
    )
    expect(findings).toEqual([])
    expect(observed.map(({ observation }) => (observation as { value?: unknown }).value)).toEqual([1, 2])
  })

  it('finds no other scenario, and no job on its input', async () => {
    const look = `const fs = require('fs')
      exports.look = () => ({ input: fs.readFileSync(0, 'utf8'), set: fs.readdirSync('/tmp/run/set/scenarios').filter((name) => name.endsWith('.mjs') && !name.startsWith('.')) })`
    const { observed } = await inTurn(product(look), {
      'scenarios/a.mjs': calls('product.look()'),
      'scenarios/b.mjs': calls('product.look()'),
    })
    expect(observed.map(({ observation }) => (observation as { value?: unknown }).value)).toEqual([
      { input: '', set: ['a.mjs'] },
      { input: '', set: ['b.mjs'] },
    ])
  })

  it('crashes when it ends its parent shell, and the next probe gets a fresh box', async () => {
    const { observed, findings } = await inTurn(
      product(`exports.parricide = () => { process.kill(process.ppid, 'SIGKILL'); for (;;) {} }`),
      { 'scenarios/a.mjs': calls('product.parricide()'), 'scenarios/b.mjs': calls('2') },
    )
    expect(findings).toEqual([])
    expect(observed.find(({ row }) => row === 'row-0')?.observation.outcome).toBe('crashed')
    expect(observed.find(({ row }) => row === 'row-1')?.observation).toMatchObject({
      outcome: 'returned',
      value: 2,
    })
  })

  it('holds nothing up when it stops its parent shell', async () => {
    const { observed } = await host.observe(
      product(`exports.stop = () => process.kill(process.ppid, 'SIGSTOP')`),
      [{ scenario: 'scenarios/a.mjs', timeoutMs: 500 }],
      { scenarios: { 'scenarios/a.mjs': calls('product.stop()') } },
    )
    expect(observed.map(({ observation }) => observation.outcome)).toEqual(['returned'])
  })

  it.each([
    ['a line of its own', `require('fs').writeSync(3, 'returned {"value":42}\\n')`],
    ['a frame with a nonce of its own', `require('fs').writeSync(3, 'abcdef returned {"value":42}\\n')`],
    ['bytes that are no text', `require('fs').writeSync(3, Buffer.from([255, 254, 10]))`],
  ])('is found out when it writes %s on the channel', async (_name, write) => {
    const { observed, findings } = await host.observe(
      product(`exports.forge = () => { ${write}; return 1 }`),
      [{ scenario: 'scenarios/a.mjs' }],
      { scenarios: { 'scenarios/a.mjs': calls('product.forge()') } },
    )
    expect(findings.map(({ kind }) => kind)).toEqual(['forged-frame'])
    expect(observed[0]?.observation).toMatchObject({ outcome: 'returned', value: 1 })
  })

  it('is found out though it runs into a limit afterwards, in a box that was used', async () => {
    const forge = `try { require('fs').writeSync(3, 'returned {"value":42}\\n') } catch {}`
    const { findings } = await inTurn(
      product(`exports.forge = () => { ${forge}; const all = []; for (;;) all.push(Buffer.alloc(5e7, 1)) }`),
      { 'scenarios/a.mjs': calls('2'), 'scenarios/b.mjs': calls('product.forge()') },
    )
    expect(findings.map(({ kind }) => kind)).toEqual(['forged-frame'])
  })

  it('hits the limit of output when it floods the channel', async () => {
    const { observed } = await host.observe(
      product(`exports.flood = () => { for (;;) require('fs').writeSync(3, 'x'.repeat(1e6)) }`),
      [{ scenario: 'scenarios/a.mjs' }],
      { scenarios: { 'scenarios/a.mjs': calls('product.flood()') } },
    )
    expect(observed[0]?.observation).toMatchObject({ outcome: 'limit', limit: 'output' })
  })

  it('is found out when it leaves a mark in the shell that later probes come from', async () => {
    const { findings } = await host.observe(
      {
        'pkg/__init__.py':
          'import os, resource\ndef mark():\n    resource.prlimit(os.getppid(), resource.RLIMIT_NOFILE, (512, 512))\n',
      },
      [{ row: 'mark', scenario: 'scenarios/a.py' }],
      { scenarios: { 'scenarios/a.py': 'def scenario(ctx):\n    return ctx.load("pkg").mark()\n' } },
    )
    expect(findings).toEqual([
      { kind: 'leftover-files', row: 'mark', detail: 'something was left in limits' },
    ])
  })
})
