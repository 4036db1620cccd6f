import { describe, expect, it } from 'vitest'
import { observeWith, runHost } from '../testing/run-host.ts'

const scenario = (expression: string) => `export default async ({ load }) => {
  const product = await load('.')
  return ${expression}
}`
const commonJs = (body: string) => ({ 'package.json': '{"name":"product","main":"m.js"}', 'm.js': body })
const valueOf = async (expression: string, body = '') => {
  const observation = await observeWith('node', { tree: commonJs(body), scenario: scenario(expression) })
  if (observation.outcome !== 'returned') throw new Error(JSON.stringify(observation))
  return observation.value
}

describe('values are written as', () => {
  it.each<[string, string, unknown]>([
    ['undefined', 'undefined', { $t: 'undefined' }],
    [
      'numbers that JSON lacks',
      '[NaN, Infinity, -Infinity, -0, 0, 1e21]',
      [
        { $t: 'number', value: 'NaN' },
        { $t: 'number', value: 'Infinity' },
        { $t: 'number', value: '-Infinity' },
        { $t: 'number', value: '-0' },
        0,
        1e21,
      ],
    ],
    [
      'bigints and symbols',
      "[10n ** 20n, Symbol('s'), Symbol.iterator]",
      [
        { $t: 'bigint', value: '100000000000000000000' },
        { $t: 'symbol', description: 's' },
        { $t: 'symbol', description: 'Symbol.iterator' },
      ],
    ],
    [
      'dates',
      '[new Date(0), new Date(NaN)]',
      [
        { $t: 'date', iso: '1970-01-01T00:00:00.000Z' },
        { $t: 'date', iso: null },
      ],
    ],
    [
      'maps and sets in their order',
      "[new Map([['b', 1], [{}, 2]]), new Set([2, 1])]",
      [
        {
          $t: 'map',
          entries: [
            ['b', 1],
            [{}, 2],
          ],
        },
        { $t: 'set', values: [2, 1] },
      ],
    ],
    [
      'bytes of all kinds',
      '[Buffer.from("hi"), new Uint8Array([1]), new Uint16Array([1]).buffer, new DataView(new ArrayBuffer(2), 1), new Float64Array(1)]',
      [
        { $t: 'bytes', of: 'Buffer', base64: 'aGk=' },
        { $t: 'bytes', of: 'Uint8Array', base64: 'AQ==' },
        { $t: 'bytes', of: 'ArrayBuffer', base64: 'AQA=' },
        { $t: 'bytes', of: 'DataView', base64: 'AA==' },
        { $t: 'bytes', of: 'Float64Array', base64: 'AAAAAAAAAAA=' },
      ],
    ],
    [
      'functions, promises, proxies, regular expressions',
      '[function f() {}, class C {}, Promise.resolve(), new Proxy({}, {}), new Proxy(() => 1, {}), /a/giu]',
      [
        { $t: 'function', name: 'f' },
        { $t: 'function', name: 'C' },
        { $t: 'promise' },
        { $t: 'proxy' },
        { $t: 'proxy' },
        { $t: 'regexp', source: 'a', flags: 'giu' },
      ],
    ],
    ['arrays with holes', '[, 1]', [{ $t: 'hole' }, 1]],
    [
      'objects without a prototype, and of another realm',
      "[Object.create(null), (await import('node:vm')).runInNewContext('({ a: [1] })')]",
      [{}, { a: [1] }],
    ],
    [
      'instances by their own data',
      'new (class Point { x = 1; #secret = 2; get y() { return 3 } })()',
      { $t: 'instance', class: 'Point', props: { x: 1 } },
    ],
    [
      'boxed values and addresses',
      '[new Number(1), Object("s"), new URL("http://a/b")]',
      [
        { $t: 'instance', class: 'Number', props: { value: 1 } },
        { $t: 'instance', class: 'String', props: { value: 's' } },
        { $t: 'instance', class: 'URL', props: { href: 'http://a/b' } },
      ],
    ],
    [
      'a plain object that looks like one of ours',
      "({ $t: 'error', name: 'TypeError' })",
      {
        $t: 'object',
        entries: [
          ['$t', 'error'],
          ['name', 'TypeError'],
        ],
      },
    ],
    ['a key __proto__', `JSON.parse('{"__proto__":{"a":1}}')`, JSON.parse('{"__proto__":{"a":1}}')],
    [
      'strings with a lone surrogate, as values and as keys',
      String.raw`['\ud800a', { '\udc00': 1 }, '😀']`,
      [
        { $t: 'string', utf16: 'd800 61' },
        { $t: 'object', entries: [[{ $t: 'string', utf16: 'dc00' }, 1]] },
        '😀',
      ],
    ],
    [
      'cycles by where they lead',
      '(() => { const a = { list: [{}] }; a.list[0].up = a; a.list.push(a.list); return { "x/y": a } })()',
      { 'x/y': { list: [{ up: { $t: 'ref', path: '/x~1y' } }, { $t: 'ref', path: '/x~1y/list' }] } },
    ],
    [
      'what is met twice without a cycle, twice',
      '(() => { const a = { n: 1 }; return [a, a] })()',
      [{ n: 1 }, { n: 1 }],
    ],
    [
      'getters without calling them',
      '({ get a() { throw new Error() }, b: 1 })',
      { a: { $t: 'accessor' }, b: 1 },
    ],
    [
      'errors with class chain, code, cause and own data',
      "Object.assign(new (class MyError extends RangeError { name = 'MyError' })('m', { cause: 1 }), { code: 'E', at: 2 })",
      {
        $t: 'error',
        name: 'MyError',
        message: 'm',
        classes: ['MyError', 'RangeError', 'Error'],
        code: 'E',
        cause: 1,
        props: { at: 2 },
      },
    ],
    [
      'errors of several',
      "new AggregateError([new Error('a')], 'm')",
      {
        $t: 'error',
        name: 'AggregateError',
        message: 'm',
        classes: ['AggregateError', 'Error'],
        errors: [{ $t: 'error', name: 'Error', message: 'a', classes: ['Error'] }],
      },
    ],
    [
      'errors that are none by birth',
      "Object.create(TypeError.prototype, { message: { value: 'm' } })",
      { $t: 'error', name: 'TypeError', message: 'm', classes: ['TypeError', 'Error'] },
    ],
  ])('%s', async (_name, expression, expected) => {
    expect(await valueOf(expression)).toEqual(expected)
  })

  it.each([
    ['a string beyond reason', "'x'.repeat(2e6)", { $t: 'truncated', why: 'size' }],
    ['bytes beyond reason', 'Buffer.alloc(1e6)', { $t: 'truncated', why: 'size' }],
  ])('cut off: %s', async (_name, expression, expected) => {
    expect(await valueOf(expression)).toEqual(expected)
  })

  it.each([
    ['a huge array', 'new Array(3e5).fill(1)'],
    ['a sparse array of the longest length', 'Object.assign([], { length: 2 ** 32 - 1 })'],
    ['a huge set', 'new Set(Array.from({ length: 3e5 }, (_, i) => i))'],
    ['nesting without end', '(() => { let a = {}; for (let i = 0; i < 1e4; i += 1) a = { a }; return a })()'],
    [
      'a tree that doubles at each level',
      '(() => { let a = 1; for (let i = 0; i < 40; i += 1) a = [a, a]; return a })()',
    ],
  ])('cut off: %s', async (_name, expression) => {
    expect(JSON.stringify(await valueOf(expression))).toContain('"$t":"truncated"')
  })
})

describe('a hostile product', () => {
  it('gains nothing by patching what the host might use', async () => {
    const patches = `
      const fs = require('fs'), util = require('util')
      exports.value = { a: [1, 'x', new Map([[1, new Set([2])]])], d: new Date(0), b: Buffer.from('hi'), r: /a/g, e: new TypeError('m') }
      JSON.stringify = () => '"forged"'
      for (const prototype of [Array.prototype, Map.prototype, Set.prototype, String.prototype, Function.prototype, Object.prototype, RegExp.prototype, Date.prototype, Buffer.prototype]) {
        for (const key of ['map', 'forEach', 'push', 'join', 'toJSON', 'toString', 'valueOf', 'call', 'apply', 'bind', 'replace', 'charCodeAt', 'toISOString', 'get', 'set', 'value']) {
          try { Object.defineProperty(prototype, key, { value: () => 'forged', configurable: true, writable: true }) } catch {}
        }
      }
      Object.prototype.enumerable = true; Object.prototype.as = 'require'
      Array.prototype[Symbol.iterator] = function* () { yield 'forged' }
      Array.isArray = () => false; Object.keys = () => ['forged']; Reflect.ownKeys = () => []; Reflect.apply = () => 'forged'
      Object.getPrototypeOf = () => null; Object.is = () => true; Number.isFinite = () => false; Promise.prototype.then = () => 'forged'
      fs.writeSync = () => 0; util.types.isProxy = () => true; process.exit = () => {}; process.reallyExit = () => {}
      globalThis.setImmediate = () => {}; globalThis.setTimeout = () => {}
      delete Object.prototype.get; delete Object.prototype.set; delete Object.prototype.value
      Object.defineProperty(Array.prototype, 0, { set() { throw new Error('forged') }, get() { return 'forged' }, configurable: true })`
    expect(await valueOf('product.value', patches)).toEqual({
      a: [1, 'x', { $t: 'map', entries: [[1, { $t: 'set', values: [2] }]] }],
      d: { $t: 'date', iso: '1970-01-01T00:00:00.000Z' },
      b: { $t: 'bytes', of: 'Buffer', base64: 'aGk=' },
      r: { $t: 'regexp', source: 'a', flags: 'g' },
      e: { $t: 'error', name: 'TypeError', message: 'm', classes: ['TypeError', 'Error'] },
    })
  })

  it('an error of a class that only borrows the name of a built-in has not its class', async () => {
    const borrowed = 'new (class TypeError extends (class RangeError extends Error {}) {})("m")'
    expect(await valueOf(borrowed)).toMatchObject({ classes: ['Error'] })
    expect(await valueOf('new (class Mine extends RangeError {})("m")')).toMatchObject({
      classes: ['Mine', 'RangeError', 'Error'],
    })
  })

  it.each<[string, string, unknown]>([
    [
      'an array with a map of its own',
      "Object.assign([1], { map: () => ['forged'], toJSON: () => 'forged' })",
      { $t: 'instance', class: 'Array', props: { value: [1] } },
    ],
    [
      'a map with a forEach of its own',
      'Object.assign(new Map([[1, 2]]), { forEach: () => {}, entries: () => [] })',
      { $t: 'instance', class: 'Map', props: { value: { $t: 'map', entries: [[1, 2]] } } },
    ],
    [
      'an object with toJSON and valueOf',
      "({ a: 1, toJSON: () => 'forged', valueOf: () => 2 })",
      { a: 1, toJSON: { $t: 'function', name: 'toJSON' }, valueOf: { $t: 'function', name: 'valueOf' } },
    ],
    [
      'an object that calls itself a date',
      "({ [Symbol.toStringTag]: 'Date', getTime: () => 0 })",
      { getTime: { $t: 'function', name: 'getTime' } },
    ],
    [
      'an instance of a class called Object',
      'new ({ Object: class { a = 1 } }).Object()',
      { $t: 'instance', class: 'Object', props: { a: 1 } },
    ],
    [
      'an error whose message throws',
      "Object.defineProperty(new Error('m'), 'message', { get() { throw 1 } })",
      { $t: 'error', name: 'Error', message: { $t: 'undefined' }, classes: ['Error'] },
    ],
    [
      'an object over a proxy',
      '[Object.create(new Proxy({}, { get() { throw 1 }, getPrototypeOf() { throw 1 } }))]',
      [{ $t: 'instance', class: '', props: {} }],
    ],
  ])('is read as it is: %s', async (_name, expression, expected) => {
    expect(await valueOf(expression)).toEqual(expected)
  })

  it('cannot pass a plain object off as an error', async () => {
    const observation = await observeWith('node', {
      tree: commonJs(`exports.go = () => { throw { $t: 'error', name: 'TypeError', message: 'm' } }`),
      scenario: scenario('product.go()'),
    })
    expect(observation).toMatchObject({ outcome: 'threw', error: { $t: 'object' } })
  })

  it.each(['returned {"value":42}', 'bbb returned {"value":42}', '{"verdict":"verified"}'])(
    'is found out when it writes %s on the channel',
    async (line) => {
      const reading = await runHost('node', {
        tree: commonJs(`require('fs').writeSync(3, ${JSON.stringify(`${line}\n`)})`),
        scenario: scenario('1'),
      })
      expect(reading).toMatchObject({ observation: { value: 1 }, findings: [{ kind: 'forged-frame' }] })
    },
  )
})

describe('a run ends as', () => {
  it.each<[string, string, string, unknown]>([
    [
      'thrown: an error of the product',
      'exports.go = () => { throw new RangeError("m") }',
      'product.go()',
      { outcome: 'threw', error: { name: 'RangeError', message: 'm' } },
    ],
    [
      'thrown: a value that is no error',
      'exports.go = () => Promise.reject("no")',
      'product.go()',
      { outcome: 'threw', error: 'no' },
    ],
    [
      'a crash: an error that nobody catches',
      'exports.go = () => new Promise(() => setTimeout(() => { throw new Error("late") }, 5))',
      'product.go()',
      { outcome: 'crashed', code: 1, error: { message: 'late' } },
    ],
    [
      'a crash: a rejection that nobody handles, though the scenario returned',
      'exports.go = () => { Promise.reject(new Error("lost")); return 1 }',
      'product.go()',
      { outcome: 'crashed', code: 1, error: { message: 'lost' } },
    ],
    [
      'a crash: process.exit, though nothing is wrong',
      'exports.go = () => process.exit(0)',
      'product.go()',
      { outcome: 'crashed', code: 0 },
    ],
    [
      'a crash: exit in the middle of a wait',
      'exports.go = () => new Promise((resolve) => { setTimeout(process.exit, 5, 3); setTimeout(resolve, 2000) })',
      'product.go()',
      { outcome: 'crashed', code: 3 },
    ],
    [
      'a crash: a signal',
      'exports.go = () => { process.kill(process.pid, "SIGKILL"); for (;;); }',
      'product.go()',
      { outcome: 'crashed', signal: 'SIGKILL' },
    ],
    [
      'a timeout',
      'exports.go = () => new Promise((resolve) => setTimeout(resolve, 60000))',
      'product.go()',
      { outcome: 'timeout' },
    ],
    [
      'a timeout: a promise that nothing will ever settle',
      'exports.go = () => new Promise(() => {})',
      'product.go()',
      { outcome: 'timeout' },
    ],
    [
      'a return, whatever is still open',
      'exports.go = () => { setInterval(() => {}, 1000); require("net").createServer().listen(0); return 1 }',
      'product.go()',
      { outcome: 'returned', value: 1 },
    ],
    [
      'a return of a product that handles its own uncaught errors',
      'process.on("uncaughtException", () => exports.done(1)); exports.go = () => new Promise((resolve) => { exports.done = resolve; setTimeout(() => { throw 1 }, 5) })',
      'product.go()',
      { outcome: 'returned', value: 1 },
    ],
    [
      'thrown: a product that fails while it loads',
      'throw new TypeError("at load")',
      '1',
      { outcome: 'threw', error: { message: 'at load' } },
    ],
    [
      'thrown: a product that misses what it needs itself',
      'require("not-installed")',
      '1',
      { outcome: 'threw', error: { code: 'MODULE_NOT_FOUND' } },
    ],
  ])('%s', async (_name, body, expression, expected) => {
    const run = { tree: commonJs(body), scenario: scenario(expression), timeoutMs: 1000 }
    expect(await observeWith('node', run)).toMatchObject(expected as object)
  })

  it('a crash keeps the steps before it', async () => {
    const observation = await observeWith('node', {
      tree: commonJs('exports.go = () => process.exit(2)'),
      scenario: `export default async ({ load, observe }) => { observe('a', undefined); observe('b', [1]); (await load('.')).go() }`,
    })
    expect(observation).toMatchObject({
      outcome: 'crashed',
      code: 2,
      steps: [
        { name: 'a', value: { $t: 'undefined' } },
        { name: 'b', value: [1] },
      ],
    })
  })

  it.each([
    ['a file that is not there', "load('./none.js')"],
    ['a file that is not there, by import', "load('./none.js', { as: 'import' })"],
    ['a package that is not there', "load('none')"],
    ['a package that is not there, by import', "load('none', { as: 'import' })"],
    ['a subpath that is not exported', "load('product/none')"],
    ['a subpath that is not exported, by import', "load('product/none', { as: 'import' })"],
  ])('unreachable: %s', async (_name, expression) => {
    const tree = { 'package.json': '{"name":"product","exports":"./m.js"}', 'm.js': '' }
    const source = `export default ({ load }) => ${expression}`
    expect((await observeWith('node', { tree, scenario: source })).outcome).toBe('unreachable')
  })

  it('what the scenario makes of it, when it catches a missing file', async () => {
    const source = `export default ({ load }) => load('./none.js').catch((error) => error.code)`
    expect(await observeWith('node', { scenario: source })).toMatchObject({ value: 'MODULE_NOT_FOUND' })
  })

  it.each([
    ['does not parse', 'export default ('],
    ['exports no function', 'export default 1'],
    ['misses a helper', "import './lib/none.mjs'; export default () => 1"],
  ])('unreachable, as an error of its own, when the scenario %s', async (_name, source) => {
    expect(await observeWith('node', { scenario: source })).toMatchObject({
      outcome: 'unreachable',
      error: { name: 'ScenarioLoadError' },
    })
  })
})

describe('load', () => {
  const both = {
    'package.json': JSON.stringify({
      name: '@scope/both',
      exports: {
        '.': { import: './m.mjs', require: './m.cjs' },
        './sub': './sub.js',
        './only': { import: './m.mjs' },
      },
    }),
    'm.mjs': 'export const by = "import"',
    'm.cjs': 'exports.by = "require"',
    'sub.js': 'exports.by = "subpath"',
    'lib/file.js': 'module.exports = require("dependency") + __filename.slice(-12)',
  }
  const installed = {
    'dependency/package.json': '{"name":"dependency"}',
    'dependency/index.js': 'module.exports = "installed "',
  }
  it.each([
    ['the main export by require', "(await load('.')).by", 'require'],
    ['the main export by import', "(await load('.', { as: 'import' })).by", 'import'],
    ['a subpath', "(await load('@scope/both/sub')).by", 'subpath'],
    ['what only import may have', "(await load('@scope/both/only')).by", 'import'],
    ['the package by its name', "(await load('@scope/both')).by", 'require'],
    [
      'a file of the tree, with what is installed beside it',
      "await load('./lib/file.js')",
      'installed /lib/file.js',
    ],
    ['a file of the tree without its ending', "await load('./lib/file')", 'installed /lib/file.js'],
    [
      'a file of the tree by import',
      "(await load('./lib/file.js', { as: 'import' })).default",
      'installed /lib/file.js',
    ],
    ['what is installed', "await load('dependency')", 'installed '],
    ['nothing else: the scenario may import by name too', "(await import('@scope/both')).by", 'import'],
  ])('gives %s', async (_name, expression, expected) => {
    const source = `export default async ({ load }) => ${expression}`
    expect(await observeWith('node', { tree: both, installed, scenario: source })).toMatchObject({
      value: expected,
    })
  })

  it.each([
    ['an ES module', { 'package.json': '{"type":"module","main":"m.js"}', 'm.js': 'export const a = 1' }],
    [
      'an ES module that awaits',
      { 'package.json': '{"type":"module","main":"m.js"}', 'm.js': 'export const a = await 1' },
    ],
    [
      'a package that has the name of a builtin module',
      { 'package.json': '{"name":"events","main":"m.js"}', 'm.js': 'exports.a = 1' },
    ],
    ['a tree without package.json', { 'index.js': 'exports.a = 1' }],
  ])('gives %s', async (_name, tree) => {
    expect(await observeWith('node', { tree, scenario: scenario('product.a') })).toMatchObject({ value: 1 })
  })
})

it('gives a scenario its helpers, its input and the same random numbers for the same seed', async () => {
  const run = (seed: number) =>
    observeWith('node', {
      scenario: `import { twice } from './lib/twice.mjs'
        export default ({ input, seed, random, tmp }) => [twice(input), seed, [random(), random()], tmp === process.cwd()]`,
      helpers: { 'scenarios/lib/twice.mjs': 'export const twice = (n) => 2 * n' },
      input: 21,
      seed,
    })
  const first = await run(5)
  expect(first).toMatchObject({ value: [42, 5, expect.anything(), true] })
  expect(await run(5)).toEqual(first)
  expect(await run(6)).not.toEqual(first)
})

it('shows a product a process of its own', async () => {
  const look = `exports.look = () => ({ argv: process.argv.length, execArgv: process.execArgv, globals: ['fs', 'require', 'module'].filter((name) => name in globalThis),
    main: require.main === module, stdin: require('fs').readFileSync(0, 'utf8'), host: Object.keys(require.cache).filter((key) => key.includes('hosts')) })`
  expect(await valueOf('product.look()', look)).toEqual({
    argv: 2,
    execArgv: [],
    globals: [],
    main: false,
    stdin: '',
    host: [],
  })
})
