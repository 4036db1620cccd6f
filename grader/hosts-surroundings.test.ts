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
      'a bare environment',
      "['TMPDIR', 'TZ', 'LC_CTYPE'].some((name) => name in process.env)",
      { variables: 'bare' },
      false,
    ],
    ['a time zone that is asked for in it', 'process.env.TZ', { variables: 'bare', timeZone: 'UTC' }, 'UTC'],
    ['a locale of old', 'process.env.LC_CTYPE', { variables: 'C' }, 'C'],
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

describe('the main module', () => {
  const tree = {
    'package.json': '{"main":"m.js"}',
    'm.js': 'exports.of = [require.main?.filename === process.argv[1], typeof require.main]',
  }

  it.each<[string, Varied, unknown]>([
    ['is nobody by itself', {}, [false, 'undefined']],
    ['or the script', { main: 'script' }, [true, 'object']],
  ])('%s', async (_, varied, expected) => {
    expect(await inNode("(await load('.')).of", varied, { tree })).toEqual(expected)
  })
})

describe('a thenable module', () => {
  const other = "(yes) => yes({ by: 'then' })"
  it.each<[string, Readonly<Record<string, string>>, Varied]>([
    ['that is required', { 'm.js': `exports.by = 'exports'; exports.then = ${other}` }, {}],
    ['that is imported', { 'm.js': `exports.by = 'exports'; exports.then = ${other}` }, { load: 'import' }],
    ['of ES', { 'm.js': `export const by = 'exports'; export const then = ${other}` }, { load: 'import' }],
    [
      'that inherits it',
      { 'm.js': `module.exports = Object.create({ then: ${other} }, { by: { value: 'exports' } })` },
      {},
    ],
    [
      'that is a function',
      { 'm.js': `module.exports = Object.assign(() => 1, { by: 'exports', then: ${other} })` },
      {},
    ],
  ])('%s gives its exports', async (name, files, varied) => {
    const type = name === 'of ES' ? 'module' : 'commonjs'
    const tree = { 'package.json': JSON.stringify({ main: 'm.js', type }), ...files }
    expect(await inNode("(await load('.')).by", varied, { tree })).toBe('exports')
  })
})

describe('how Python is called', () => {
  const seen =
    'import sys\ndef f():\n    assert not sys.flags.optimize\n    return [sys.flags.isolated, __name__]'
  const run = (varied: Varied) =>
    observeWith('python', {
      tree: { 'm.py': seen },
      scenario:
        'import sys\ndef scenario(ctx):\n    main = sys.modules["__main__"].__file__\n    return [*ctx.load("m").f(), main == sys.argv[0], sys.flags.optimize]',
      varied,
    })

  it.each<[Varied, unknown]>([
    [{}, [1, 'm', true, 0]],
    [{ interpreter: 'usual' }, [0, 'm', true, 0]],
    [{ interpreter: 'optimized' }, [1, 'm', true, 1]],
  ])('%o', async (varied, expected) => {
    expect(await run(varied)).toMatchObject({ value: expected })
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
      'new Promise((done) => setTimeout(() => done((globalThis.n = (globalThis.n ?? 0) + 1)), 150))'
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

/** Both hosts over a product that is wrong once others are there: `[tree, scenario]` by runtime. */
const inBoth = (node: readonly [string, string], python: readonly [string, string]) =>
  [
    ['node', { 'package.json': '{"main":"m.js"}', 'm.js': node[0] }, node[1]],
    ['python', { 'm.py': python[0] }, python[1]],
  ] as const
const calls = ['3', 'few', 'alone'] as const
const callIn = (
  runtime: 'node' | 'python',
  tree: Readonly<Record<string, string>>,
  body: string,
  [count, uses, overlap]: readonly [string, string, string],
  input: unknown = 'b',
) =>
  observeWith(runtime, {
    tree,
    scenario: body,
    input,
    others: [{ input: 'a' }, { input }],
    varied: {
      calls: count,
      ...(uses === 'few' ? {} : { uses }),
      ...(overlap === 'alone' ? {} : { overlap }),
    },
  })

describe('other inputs in one process', () => {
  const nodeCalls = `export default async ({ load, input }) => (await load('.')).f(input)`
  const pythonCalls = 'def scenario(ctx):\n    return ctx.load("m").f(ctx.input)'

  it.each(
    inBoth(
      ['let kept; exports.f = (text) => (kept ??= text)', nodeCalls],
      ['kept = []\ndef f(text):\n    kept.append(text)\n    return kept[0]', pythonCalls],
    ),
  )('%s: the first answer is given to who asks for another', async (runtime, tree, body) => {
    expect(await callIn(runtime, tree, body, calls)).toMatchObject({ outcome: 'returned', value: 'a' })
  })

  it.each(
    inBoth(
      ['const one = {}; exports.f = (text) => Object.assign(one, { text })', nodeCalls],
      ['one = {}\ndef f(text):\n    one["text"] = text\n    return one', pythonCalls],
    ),
  )('%s: an earlier result that changes is shown', async (runtime, tree, body) => {
    expect(await callIn(runtime, tree, body, calls)).toEqual({
      outcome: 'rewrote',
      before: { text: 'a' },
      after: { text: 'b' },
      steps: [],
    })
  })

  it.each(
    inBoth(
      ['const own = {}; exports.f = (text) => (own[text] ??= { text })', nodeCalls],
      ['own = {}\ndef f(text):\n    return own.setdefault(text, {"text": text})', pythonCalls],
    ),
  )('%s: a result that is kept for the same input only is none', async (runtime, tree, body) => {
    expect(await callIn(runtime, tree, body, calls)).toMatchObject({
      outcome: 'returned',
      value: { text: 'b' },
    })
  })

  it.each(
    inBoth(
      ['let n = 0; exports.f = () => (n += 1)', nodeCalls],
      ['n = [0]\ndef f(_):\n    n[0] += 1\n    return n[0]', pythonCalls],
    ),
  )('%s: a process in use was called many times', async (runtime, tree, body) => {
    const observation = await callIn(runtime, tree, body, ['2', '50', 'alone'])
    expect(observation).toMatchObject({ outcome: 'returned', value: 50 })
  })

  it.each(
    inBoth(
      [
        'let sum; exports.f = async (n) => { sum = 0; for (let i = 0; i < 3; i += 1) { await null; sum += n }; return sum }',
        nodeCalls,
      ],
      [
        'import asyncio\nsum = 0\nasync def f(n):\n    global sum\n    sum = 0\n    for _ in range(3):\n        await asyncio.sleep(0)\n        sum += n\n    return sum',
        'async def scenario(ctx):\n    return await ctx.load("m").f(ctx.input)',
      ],
    ),
  )('%s: a call beside another', async (runtime, tree, body) => {
    const run = (varied: Varied) =>
      observeWith(runtime, { tree, scenario: body, input: 1, others: [{ input: 100 }], varied })
    expect(await run({})).toMatchObject({ value: 3 })
    const { outcome, ...seen } = await run({ overlap: 'beside another' })
    expect(outcome).toBe('returned')
    expect(seen).not.toMatchObject({ value: 3 })
  })

  // It keeps what it was given between two waits only, in the middle of others.
  const inNode = (before: string, between: string) => ({
    tree: {
      'package.json': '{"main":"m.js"}',
      'm.js': `let own; exports.f = async (n) => { ${before}; own = n; ${between}; return own }`,
    },
    scenario: nodeCalls,
  })
  const inPython = (before: string, between: string) => ({
    tree: {
      'm.py': `import asyncio\nasync def f(n):\n    global own\n    ${before}\n    own = n\n    ${between}\n    return own`,
    },
    scenario: 'async def scenario(ctx):\n    return await ctx.load("m").f(ctx.input)',
  })
  const pause = 'await new Promise((resolve) => setTimeout(resolve, 5))'
  it.each([
    ['node, at step 1', 'node', inNode('await null', 'await null')],
    ['node, at step 5', 'node', inNode('for (let i = 0; i < 5; i += 1) await null', 'await null')],
    ['node, at step 12', 'node', inNode('for (let i = 0; i < 12; i += 1) await null', 'await null')],
    ['node, over turns', 'node', inNode(pause, pause)],
    ['python, at step 1', 'python', inPython('await asyncio.sleep(0)', 'await asyncio.sleep(0)')],
    [
      'python, at step 5',
      'python',
      inPython('for _ in range(5): await asyncio.sleep(0)', 'await asyncio.sleep(0)'),
    ],
    ['python, over turns', 'python', inPython('await asyncio.sleep(0.005)', 'await asyncio.sleep(0.005)')],
  ] as const)('%s: another call comes between', async (_, runtime, product) => {
    const observation = await observeWith(runtime, {
      ...product,
      input: 1,
      others: [{ input: 100 }],
      varied: { overlap: 'beside another' },
    })
    expect(observation).toMatchObject({ outcome: 'returned', value: 100 })
  })

  it('calls that take turns are not disturbed by others', async () => {
    const observation = await observeWith('node', {
      tree: {
        'package.json': '{"main":"m.js"}',
        'm.js':
          'let own; let last; const f = async (n) => { own = n; await null; if (n > 99) throw own; return own };' +
          'exports.f = (n) => { const mine = Promise.resolve(last).then(() => f(n)); last = mine.catch(() => {}); return mine }',
      },
      scenario: nodeCalls,
      input: 1,
      others: [{ input: 100 }],
      varied: { overlap: 'beside another' },
    })
    expect(observation).toMatchObject({ outcome: 'returned', value: 1 })
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

describe('loaded in the turn that uses it', () => {
  const load = "(await load('.'))"
  const main = (body: string) => ({ 'package.json': '{"name":"p","main":"m.js"}', 'm.js': body })
  const late = "let now = 'early'; queueMicrotask(() => { now = 'late' });"
  it.each<[string, Readonly<Record<string, string>>, string, unknown]>([
    ['before anything that waits', main(`${late} exports.f = () => now`), `${load}.f()`, 'early'],
    ['by taking a name of it', main(`${late} exports.f = () => now`), `(({ f }) => f())${load}`, 'early'],
    ['by a call', main(`${late} module.exports = () => now`), `${load}()`, 'early'],
    ['by making one', main(`${late} module.exports = class { now = now }`), `(new ${load}()).now`, 'early'],
    [
      'one of its own kind',
      main('module.exports = class A {}'),
      `((A) => new A() instanceof A)${load}`,
      true,
    ],
    ['its keys', main('exports.a = 1; exports.b = 2'), `Object.keys${load}`, ['a', 'b']],
    ['all of it', main('exports.a = 1; exports.b = 2'), `({ ...${load} })`, { a: 1, b: 2 }],
    ['whether it has a name', main('exports.a = 1'), `['a' in ${load}, 'b' in ${load}]`, [true, false]],
    ['itself', main('exports.a = [1]'), `[${load}]`, [{ a: [1] }]],
    [
      'an ES module',
      { 'package.json': '{"main":"m.mjs"}', 'm.mjs': `${late} export const f = () => now; export default 1` },
      `${load}.f()`,
      'early',
    ],
    [
      'an ES module, spread',
      { 'package.json': '{"main":"m.mjs"}', 'm.mjs': 'export const a = 1' },
      `({ ...${load} })`,
      { a: 1 },
    ],
    [
      'one that only import can load',
      { 'package.json': '{"main":"m.mjs"}', 'm.mjs': 'await null; export const a = 1' },
      `${load}.a`,
      1,
    ],
    ['one that is only to be there', main('globalThis.there = 1'), `(${load}, globalThis.there)`, 1],
  ])('%s', async (_, tree, expression, expected) => {
    expect(await inNode(expression, { load: 'at use' }, { tree })).toEqual(expected)
  })

  it.each([
    ['used', 'exports.a = 1', "(observe('first', random()), (await load('.')).a)"],
    [
      'only there',
      'globalThis.there = 1',
      "(observe('first', random()), await load('.'), observe('second', 2), globalThis.there)",
    ],
    ['broken', "throw new TypeError('no')", "(observe('first', random()), (await load('.')).a)"],
  ])('what is %s is seen as ever, with each step once', async (_, body, expression) => {
    const seen = (varied: Varied) =>
      observeWith('node', {
        tree: main(body),
        scenario: scenario(expression),
        varied,
      })
    expect(await seen({ load: 'at use' })).toEqual(await seen({}))
  })
})
