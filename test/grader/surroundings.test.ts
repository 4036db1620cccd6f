import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { peoplesFolder } from '../../grader/pure/people.ts'
import { IS_GVISOR, skipWithoutRuntime } from '../../engine/sandbox/test-runtime.ts'
import { PLAIN, type Varied } from '../../specs/surroundings.ts'
import { testExaminer, type ProbeOf, type TestExaminer } from './test-examiner.ts'

const REFUSED = IS_GVISOR ? 'EACCES' : 'EROFS'

let host: TestExaminer
beforeEach(skipWithoutRuntime)
beforeAll(async () => {
  host = await testExaminer()
}, 600_000)
afterAll(async () => {
  expect(await host.close()).toEqual({ boxes: 0, volumes: 0, networks: 0 })
})

type Tree = Readonly<Record<string, string>>
const product = (body: string): Tree => ({ 'package.json': '{"main":"index.js"}', 'index.js': body })
const SHOWS = "export default async ({ load }) => (await load('.')).show()"
const SHOWS_IN_PYTHON = 'def scenario(ctx):\n    return ctx.load("product").show()\n'

/** What a plain run of one probe shows, and then one in these surroundings, with what is recorded of them. */
async function bothWays(tree: Tree, varied: Varied, probe: ProbeOf = { scenario: 'scenarios/a.mjs' }) {
  const { observed, findings } = await host.observe(tree, [probe], {
    times: 2,
    surroundings: (_, run) => (run === 0 ? PLAIN : { ...PLAIN, ...varied }),
    scenarios: { 'scenarios/a.mjs': SHOWS, 'scenarios/a.py': SHOWS_IN_PYTHON },
  })
  expect(findings).toEqual([])
  const [plain, other] = observed
  expect(plain?.surroundings).toBeUndefined()
  return { plain: plain?.observation, other: other?.observation, recorded: other?.surroundings }
}
const returned = (value: unknown) => ({ outcome: 'returned', value })
const PYTHON = { scenario: 'scenarios/a.py' }

describe('the user', () => {
  it.each([
    ['501', 'mac'],
    ['1000', 'dev'],
    ['1001', 'dev2'],
    ['10001', 'app'],
  ])('%s has a name, and the plain one is of the box', async (user, name) => {
    const shows = product(`const os = require('os')
      exports.show = () => [process.getuid(), process.getgid(), os.userInfo().username.replace(/[0-9]+$/, '')]`)
    const { plain, other, recorded } = await bothWays(shows, { user })
    expect(other).toMatchObject(returned([Number(user), Number(user), name.replace(/[0-9]+$/, '')]))
    expect(plain).toMatchObject(returned([expect.any(Number), expect.any(Number), 'box']))
    expect(recorded).toEqual({ user })
  })

  it('is it in Python, too', async () => {
    const shows = {
      'product.py': 'import os, pwd\ndef show():\n    return pwd.getpwuid(os.getuid()).pw_name\n',
    }
    expect((await bothWays(shows, { user: '1000' }, PYTHON)).other).toMatchObject(returned('dev'))
  })

  it('goes and comes in one box, and nothing is left of one for the other', async () => {
    const shows = product(`const fs = require('fs')
      exports.show = () => { const found = fs.readdirSync('/tmp'); fs.writeFileSync('/tmp/left', ''); return found }`)
    const { observed, findings } = await host.observe(
      shows,
      ['a', 'b', 'c'].map((row) => ({ row, scenario: 'scenarios/a.mjs' })),
      {
        times: 2,
        surroundings: (_, run) => ({ ...PLAIN, user: run === 0 ? PLAIN.user : '1000' }),
        scenarios: { 'scenarios/a.mjs': SHOWS },
      },
    )
    expect(findings).toEqual([])
    expect(observed.map(({ observation }) => (observation as { value?: unknown }).value)).toEqual(
      Array.from({ length: 6 }, () => ['run']),
    )
  })
})

describe('a terminal', () => {
  it('is what a scenario has in Node.js', async () => {
    const shows = product(
      'exports.show = () => [process.stdin, process.stdout, process.stderr].map(({ isTTY }) => isTTY === true)',
    )
    const { plain, other, recorded } = await bothWays(shows, { tty: 'yes' })
    expect(plain).toMatchObject(returned([false, false, false]))
    expect(other).toMatchObject(returned([true, true, true]))
    expect(recorded).toEqual({ tty: 'yes' })
  })

  it('is what a scenario has in Python', async () => {
    const shows = { 'product.py': 'import sys\ndef show():\n    return sys.stdout.isatty()\n' }
    const { plain, other } = await bothWays(shows, { tty: 'yes' }, PYTHON)
    expect([plain, other]).toMatchObject([returned(false), returned(true)])
  })

  // There what is left running holds the terminal, and the command up: see specs/sandbox.md.
  it.skipIf(IS_GVISOR)(
    'is what a command has; what it left running does not hold it up, and nothing of what it wrote is lost',
    async () => {
      const linger = {
        'bin/linger.js': `require('child_process').spawn('sleep', ['60'], { stdio: 'inherit', detached: true }).unref()
        process.stdout.write(String(process.stdout.isTTY === true) + '.'.repeat(100_000)); console.error('apart')`,
      }
      const { plain, other } = await bothWays(
        linger,
        { tty: 'yes' },
        {
          command: { argv: ['node', '{tree}/bin/linger.js'] },
        },
      )
      const exited = (isTerminal: boolean) => ({
        outcome: 'exited',
        code: 0,
        stdout: { text: `${isTerminal}${'.'.repeat(100_000)}` },
        stderr: { text: 'apart\n' },
      })
      expect([plain, other]).toMatchObject([exited(false), exited(true)])
    },
  )

  it('is what a server has', async () => {
    const server = {
      'bin/serve.js': `require('http').createServer((_, answer) => answer.end(String(process.stdout.isTTY === true))).listen(8123)`,
    }
    const { observed } = await host.observe(
      server,
      [
        {
          scenario: 'scenarios/ask.mjs',
          service: {
            argv: ['node', '{tree}/bin/serve.js'],
            cwd: 'tmp',
            ready: { port: 8123, timeoutMs: 20_000 },
          },
        },
      ],
      {
        times: 2,
        surroundings: (_, run) => ({ ...PLAIN, tty: run === 0 ? 'no' : 'yes' }),
        scenarios: {
          'scenarios/ask.mjs': 'export default async ({ service }) => (await fetch(service.url)).text()',
        },
      },
    )
    expect(observed.map(({ observation }) => observation)).toMatchObject([
      returned('false'),
      returned('true'),
    ])
  })
})

describe('the place of the tree', () => {
  const people = peoplesFolder('', '/box/tree') ?? ''
  const writes = product(`const fs = require('fs')
    exports.show = () => {
      let written = 'written'
      try { fs.writeFileSync(__dirname + '/new', '') } catch ({ code }) { written = code }
      return [written, __filename.length, __filename, { [__dirname]: 'file://' + __dirname.replaceAll(' ', '%20') + '/x' }]
    }`)
  const shown = (written: string, length: number) =>
    returned([written, length, '/box/tree/index.js', { '/box/tree': 'file:///box/tree/x' }])

  it.each([
    ['projects', `${people}/projects/app/index.js`],
    ['with a space', `${people}/my projects/app/index.js`],
  ])('%s: can be written, and what is seen there is as if it were the usual place', async (place, file) => {
    const { plain, other, recorded } = await bothWays(writes, { place })
    expect(plain).toMatchObject(shown(REFUSED, '/box/tree/index.js'.length))
    expect(other).toMatchObject(shown('written', file.length))
    expect(recorded).toEqual({ place })
  })

  it('is another for a module in Python and for a command, and for who may write anyway', async () => {
    const inPython = { 'product.py': 'def show():\n    return [len(__file__), __file__]\n' }
    expect(await bothWays(inPython, { place: 'projects' }, PYTHON)).toMatchObject({
      plain: returned([20, '/box/tree/product.py']),
      other: returned([`${people}/projects/app/product.py`.length, '/box/tree/product.py']),
    })
    const command = {
      argv: ['node', '-p', '[process.cwd().length, process.cwd()].join()'],
      cwd: 'tree' as const,
    }
    const elsewhere = `${people}/projects/app`.length
    for (const [writable, length, at] of [
      [false, 9, '/box/tree'],
      [true, 13, '/tmp/run/tree'],
    ] as const) {
      expect(await bothWays(inPython, { place: 'projects' }, { command, writable })).toMatchObject({
        plain: { stdout: { text: `${length},${at}\n` } },
        other: { stdout: { text: `${elsewhere},${at}\n` } },
      })
    }
  })

  it('stays the usual one for a tree of many files, and that is recorded', async () => {
    const many = Object.fromEntries(Array.from({ length: 1001 }, (_, n) => [`files/${n}`, '']))
    const { other, recorded } = await bothWays({ ...writes, ...many }, { place: 'projects', ci: '1' })
    expect(other).toMatchObject(shown(REFUSED, 18))
    expect(recorded).toEqual({ ci: '1' })
  })
})
