import { describe, expect, it } from 'vitest'
import type { Varied } from '../specs/surroundings.ts'
import { observeWith, type HostRun } from './testing/run-host.ts'

const nodeValue = async (run: HostRun): Promise<unknown> => {
  const observation = await observeWith('node', run)
  if (observation.outcome !== 'returned') throw new Error(JSON.stringify(observation))
  return observation.value
}
const scenario = (expression: string) =>
  `import fs from 'node:fs'; import os from 'node:os'; import path from 'node:path'
   export default async ({ load, tmp, input, random, observe }) => (${expression})`
const inNode = (expression: string, varied: Varied, more: HostRun = {}) =>
  nodeValue({ scenario: scenario(expression), varied, ...more })

describe('what surrounds a scenario in Node.js', () => {
  it.each<[string, string, Varied, unknown]>([
    ['NODE_ENV', 'process.env.NODE_ENV', { nodeEnv: 'production' }, 'production'],
    ['CI', 'process.env.CI', { ci: '1' }, '1'],
    ['a terminal', '[process.env.TERM, process.env.USER]', { terminal: 'dumb' }, ['dumb', 'dev']],
    ['a umask', 'process.umask().toString(8)', { umask: '077' }, '77'],
    [
      'deep folders',
      "[tmp, os.tmpdir(), os.homedir()].every((at) => at.includes('Eigene Dateien/données/日本語/'))",
      { folders: 'long' },
      true,
    ],
    ['its own folder, which stays empty', 'fs.readdirSync(tmp)', { workdir: 'in use', folders: 'long' }, []],
    ['a working directory in use', "fs.readdirSync('.').sort()", { workdir: 'in use' }, ['.cache', '.notes']],
    [
      'none of that by itself',
      "[process.env.NODE_ENV, process.env.CI, process.env.TERM, fs.readdirSync('.').length].map(String)",
      {},
      ['undefined', 'undefined', 'undefined', '0'],
    ],
  ])('%s', async (_, expression, varied, expected) => {
    expect(await inNode(expression, varied)).toEqual(expected)
  })
})

describe('a terminal', () => {
  const shows = `(async () => {
    const { spawnSync } = await import('node:child_process')
    console.log('x'.repeat(100_000)); console.error('x')
    const child = spawnSync(process.execPath, ['-p', 'process.exitCode = process.stdout.isTTY ? 5 : 6'], { stdio: 'inherit' })
    const { stdin, stdout, stderr } = process
    return [[stdin, stdout, stderr].map(({ isTTY }) => isTTY === true), stdout.columns ?? 0, fs.readFileSync(0, 'utf8'), child.status]
  })()`

  it.each<[string, Varied, unknown]>([
    ['in some runs', { tty: 'yes' }, [[true, true, true], 80, '', 5]],
    ['and not by itself', {}, [[false, false, false], 0, '', 6]],
  ])(
    'is what a scenario in Node.js has, with an input that is at an end: %s',
    async (_, varied, expected) => {
      expect(await inNode(shows, varied)).toEqual(expected)
    },
  )

  it.each<[string, Varied, unknown]>([
    ['in some runs', { tty: 'yes' }, [[true, true, true], '', true]],
    ['and not by itself', {}, [[false, false, false], '', false]],
  ])('is what a scenario in Python has: %s', async (_, varied, expected) => {
    const observation = await observeWith('python', {
      tree: {},
      scenario: `import sys
def scenario(ctx):
    print("x" * 100_000)
    streams = [sys.stdin, sys.stdout, sys.stderr]
    return [[stream.isatty() for stream in streams], sys.stdin.read(), sys.stdout.line_buffering]
`,
      varied,
    })
    expect(observation).toMatchObject({ outcome: 'returned', value: expected })
  })

  const program = `const tty = require('tty'), fs = require('fs')
    const read = () => fs.readFileSync(0, 'utf8')
    console.log(JSON.stringify([[0, 1, 2].map((fd) => tty.isatty(fd)), process.stdout.columns ?? 0, read(), read()]))
    console.error('apart'); process.exit(3)`

  describe.each(['node', 'python'] as const)('is what a command has, under the host in %s', (runtime) => {
    it.each<[string, Varied, string | undefined, unknown]>([
      ['in some runs', { tty: 'yes' }, undefined, [[true, true, true], 80, '', '']],
      ['but for its input where it has one', { tty: 'yes' }, 'a\n', [[false, true, true], 80, 'a\n', '']],
      ['and not by itself', {}, undefined, [[false, false, false], 0, '', '']],
    ])('%s; its output and its errors are told apart', async (_, varied, stdin, shown) => {
      const observation = await observeWith(runtime, {
        tree: { 'show.js': program },
        command: { argv: [process.execPath, '{tree}/show.js'], ...(stdin === undefined ? {} : { stdin }) },
        varied,
      })
      expect(observation).toMatchObject({
        outcome: 'exited',
        code: 3,
        stdout: { text: `${JSON.stringify(shown)}\n` },
        stderr: { text: 'apart\n' },
      })
    })

    it.each([
      [
        'a signal',
        "process.kill(process.pid, 'SIGTERM')",
        { outcome: 'exited', code: null, signal: 'SIGTERM' },
      ],
      [
        'a long output',
        "process.stdout.write('x'.repeat(900_000))",
        { stdout: { text: 'x'.repeat(900_000) } },
      ],
      [
        'a flood',
        "for (;;) require('fs').writeSync(1, 'x'.repeat(9_000))",
        { outcome: 'limit', limit: 'output' },
      ],
      ['a silence', 'setTimeout(() => {}, 60_000)', { outcome: 'timeout' }],
      [
        'somebody who still has it',
        "require('child_process').spawn('sleep', ['60'], { stdio: 'inherit' }).unref(); console.log('done')",
        { outcome: 'exited', code: 0, stdout: { text: 'done\n' } },
      ],
    ])('and it ends with %s as without', async (_, body, expected) => {
      const observation = await observeWith(runtime, {
        tree: { 'end.js': body },
        command: { argv: [process.execPath, '{tree}/end.js'] },
        timeoutMs: 3000,
        varied: { tty: 'yes' },
      })
      expect(observation).toMatchObject(expected)
    })
  })
})

describe('a copy of the tree', () => {
  const tree = {
    'package.json': '{"main":"m.js"}',
    'm.js': 'exports.at = __dirname; exports.dep = require("dep").n',
  }

  it('is what a scenario loads, it can be written, and its dependencies are found', async () => {
    const look = `(async () => {
      const { at, dep } = await load('.')
      fs.writeFileSync(path.join(at, 'new'), '')
      return [at.slice(-15), dep, fs.readdirSync(at).sort(), fs.readdirSync(path.join(at, '..')).sort()]
    })()`
    expect(
      await inNode(
        look,
        {},
        { tree, installed: { 'dep/index.js': 'exports.n = 7' }, copyTo: 'my projects/app' },
      ),
    ).toEqual(['my projects/app', 7, ['m.js', 'new', 'package.json'], ['app', 'node_modules']])
  })

  it('is where a module in Python is found, with its dependencies', async () => {
    const observation = await observeWith('python', {
      tree: { 'here.py': 'import os, dep\ndef at():\n    return os.path.dirname(__file__)[-15:], dep.n\n' },
      installed: { 'dep.py': 'n = 7' },
      scenario:
        'def scenario(ctx):\n    return list(ctx.load("here").at()) + [ctx.tree.endswith("my projects/app")]\n',
      copyTo: 'my projects/app',
    })
    expect(observation).toMatchObject({ value: ['my projects/app', 7, true] })
  })
})

describe('earlier calls in one process', () => {
  const tree = {
    'package.json': '{"main":"m.js"}',
    'm.js': 'let n = 0; exports.next = (list) => { list.push(n); return (n += 1) }',
  }

  it.each([
    ['1', 1],
    ['2', 2],
    ['8', 8],
  ])('%s: the last one counts', async (calls, expected) => {
    expect(await inNode("(await load('.')).next(input)", { calls }, { tree, input: [] })).toBe(expected)
  })

  it('have their own input, folder and numbers, and report nothing', async () => {
    const expression = `(async () => {
      const again = random(); globalThis.first ??= again; globalThis.seen = (globalThis.seen ?? 0) + 1; observe('call', input.length); (await load('.')).next(input); fs.writeFileSync(path.join(tmp, 'x'), '')
      return [fs.readdirSync(tmp), globalThis.seen, globalThis.first === again]
    })()`
    const observation = await observeWith('node', {
      scenario: scenario(expression),
      tree,
      input: ['a'],
      varied: { calls: '3' },
    })
    expect(observation).toMatchObject({ value: [['x'], 3, true], steps: [{ name: 'call', value: 1 }] })
  })

  it('may throw, and do not go on for long', async () => {
    const throwsFirst =
      "(() => { if ((globalThis.n = (globalThis.n ?? 0) + 1) < 3) throw new Error('early'); return 'late' })()"
    expect(await inNode(throwsFirst, { calls: '3' })).toBe('late')
    const slow =
      'new Promise((done) => setTimeout(() => done((globalThis.n = (globalThis.n ?? 0) + 1)), 200))'
    expect(await inNode(slow, { calls: '8' })).toBe(3)
  })

  it('hang like any call', async () => {
    const hangs = 'new Promise((done) => setTimeout(done, 60_000))'
    const observation = await observeWith('node', {
      scenario: scenario(hangs),
      varied: { calls: '2' },
      timeoutMs: 300,
    })
    expect(observation.outcome).toBe('timeout')
  })
})

describe('loaded by import', () => {
  const load = "await load('.')"
  const main = (body: string) => ({ 'package.json': '{"name":"p","main":"m.js"}', 'm.js': body })
  const dual = (esm: string) => ({
    'package.json': '{"name":"p","exports":{"import":"./m.mjs","require":"./m.cjs"}}',
    'm.cjs': "exports.by = 'require'",
    'm.mjs': esm,
  })
  it.each<[string, Readonly<Record<string, string>>, string, unknown]>([
    ['CommonJS gives its exports', main("exports.by = 'either'"), load, { by: 'either' }],
    [
      'a function that is exported, too',
      main('module.exports = Object.assign(() => 1, { a: 2 })'),
      `[(${load})(), (${load}).a]`,
      [1, 2],
    ],
    [
      'but can tell: nobody required it',
      main('exports.parent = typeof module.parent'),
      load,
      { parent: 'undefined' },
    ],
    [
      'a package with both gives its other half',
      dual("export const by = 'import'"),
      `(${load}).by`,
      'import',
    ],
    [
      'by its default, where that holds everything',
      dual("export const by = 'import'; export default { by }"),
      `Object.keys(${load})`,
      ['by'],
    ],
    [
      'by its default, where there is nothing else',
      dual("export default () => 'called'"),
      `(${load})()`,
      'called',
    ],
    ['a file of the tree', main("exports.by = 'file'"), "await load('./m.js')", { by: 'file' }],
    [
      'what cannot be imported is required',
      { ...main(''), 'data.json': '[1]' },
      "await load('./data.json')",
      [1],
    ],
    [
      'as the scenario says, where it says so',
      dual("export const by = 'import'"),
      "(await load('.', { as: 'require' })).by",
      'require',
    ],
    [
      'a package that exports to require only',
      { 'package.json': '{"name":"p","exports":{"require":"./m.cjs"}}', 'm.cjs': 'module.exports = 7' },
      load,
      7,
    ],
  ])('%s', async (_, tree, expression, expected) => {
    expect(await inNode(expression, { load: 'import' }, { tree })).toEqual(expected)
  })

  it('what is not there is unreachable either way', async () => {
    const observation = await observeWith('node', {
      scenario: scenario("await load('./none.js')"),
      tree: main(''),
      varied: { load: 'import' },
    })
    expect(observation.outcome).toBe('unreachable')
  })
})

describe('what surrounds a command', () => {
  const show = `const fs = require('fs'); console.log(JSON.stringify([process.env.NODE_ENV, process.env.CI, process.umask(),
    process.env.HOME.includes('données'), fs.readdirSync('.').sort(), Object.keys(process.env).filter((k) => /assay/i.test(k))]))`
  it.each(['node', 'python'] as const)('under the host in %s', async (runtime) => {
    const observation = await observeWith(runtime, {
      tree: { 'show.js': show },
      command: { argv: [process.execPath, '{tree}/show.js'], files: { 'in.txt': 'x' } },
      varied: { nodeEnv: 'development', ci: 'true', umask: '002', folders: 'long', workdir: 'in use' },
    })
    if (observation.outcome !== 'exited') throw new Error(JSON.stringify(observation))
    expect(JSON.parse(observation.stdout.text ?? '')).toEqual([
      'development',
      'true',
      2,
      true,
      ['.cache', '.notes', 'in.txt'],
      [],
    ])
  })
})

describe('what surrounds a scenario in Python', () => {
  it('is the same', async () => {
    const observation = await observeWith('python', {
      tree: {
        'counting.py':
          'n = 0\ndef next_of(items):\n    global n\n    n += 1\n    items.append(n)\n    return n\n',
      },
      scenario: `import os, tempfile
def scenario(ctx):
    ctx.observe("call", len(ctx.input))
    n = ctx.load("counting").next_of(ctx.input)
    mask = os.umask(0)
    os.umask(mask)
    return [n, os.environ["NODE_ENV"], os.environ["USER"], mask, sorted(os.listdir(".")), os.listdir(ctx.tmp),
            "données" in tempfile.gettempdir(), os.path.expanduser("~") == os.environ["HOME"]]
`,
      input: [0],
      varied: {
        calls: '3',
        nodeEnv: 'production',
        terminal: 'dumb',
        umask: '077',
        workdir: 'in use',
        folders: 'long',
      },
    })
    expect(observation).toMatchObject({
      value: [3, 'production', 'dev', 0o77, ['.cache', '.notes'], [], true, true],
      steps: [{ name: 'call', value: 1 }],
    })
  })
})
