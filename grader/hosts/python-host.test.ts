import { describe, expect, it } from 'vitest'
import { observeWith, runHost } from '../testing/run-host.ts'

const scenario = (expression: string) => `def scenario(ctx):
    product = ctx.load("product")
    return ${expression}
`
const tree = (body: string) => ({ 'product/__init__.py': body })
const valueOf = async (expression: string, body = '') => {
  const observation = await observeWith('python', { tree: tree(body), scenario: scenario(expression) })
  if (observation.outcome !== 'returned') throw new Error(JSON.stringify(observation))
  return observation.value
}

describe('values are written as', () => {
  it.each<[string, string, string, unknown]>([
    [
      'plain data',
      '',
      '[None, True, 1, 1.5, 2.0, "a", {"b": [1]}]',
      [null, true, 1, 1.5, { $t: 'float', value: '2.0' }, 'a', { b: [1] }],
    ],
    [
      'numbers that JSON lacks',
      '',
      '[float("nan"), float("-inf"), -0.0, 2 ** 70]',
      [
        { $t: 'number', value: 'NaN' },
        { $t: 'number', value: '-Infinity' },
        { $t: 'float', value: '-0.0' },
        { $t: 'bigint', value: '1180591620717411303424' },
      ],
    ],
    [
      'tuples, sets and bytes',
      '',
      '[(1, 2), {2, 1}, b"hi", bytearray(b"hi")]',
      [
        { $t: 'tuple', values: [1, 2] },
        { $t: 'set', values: [1, 2] },
        { $t: 'bytes', of: 'bytes', base64: 'aGk=' },
        { $t: 'bytes', of: 'bytearray', base64: 'aGk=' },
      ],
    ],
    [
      'dictionaries with keys that are no text',
      '',
      '{1: "a", (1,): 2}',
      {
        $t: 'map',
        entries: [
          [1, 'a'],
          [{ $t: 'tuple', values: [1] }, 2],
        ],
      },
    ],
    [
      'a dictionary that looks like one of ours',
      '',
      '{"$t": "error"}',
      { $t: 'object', entries: [['$t', 'error']] },
    ],
    ['text with a lone surrogate', '', '"\\ud800a"', { $t: 'string', utf16: 'd800 61' }],
    ['cycles', 'a = {"l": []}\na["l"].append(a)', 'product.a', { l: [{ $t: 'ref', path: '' }] }],
    [
      'instances by their own data',
      'class P:\n    def __init__(self): self.x = 1\n    @property\n    def y(self): raise SystemExit\n',
      'product.P()',
      { $t: 'instance', class: 'P', props: { x: 1 } },
    ],
    [
      'slots and data classes',
      'import dataclasses\nclass S:\n    __slots__ = ("x",)\n    def __init__(self): self.x = 1\n@dataclasses.dataclass\nclass D:\n    x: int = 2\n',
      '[product.S(), product.D()]',
      [
        { $t: 'instance', class: 'S', props: { x: 1 } },
        { $t: 'instance', class: 'D', props: { x: 2 } },
      ],
    ],
    [
      'enumerations, dates and decimals',
      'import enum, datetime, decimal\nclass E(enum.Enum):\n    A = 1\n',
      '[product.E.A, product.datetime.date(2020, 1, 2), product.decimal.Decimal("1.50")]',
      [
        { $t: 'instance', class: 'E', props: { name: 'A', value: 1 } },
        { $t: 'instance', class: 'date', props: { value: '2020-01-02' } },
        { $t: 'instance', class: 'Decimal', props: { value: '1.50' } },
      ],
    ],
    [
      'functions and classes',
      'def f(): pass\nclass C: pass\n',
      '[product.f, product.C, len]',
      [
        { $t: 'function', name: 'f' },
        { $t: 'function', name: 'C' },
        { $t: 'function', name: 'len' },
      ],
    ],
    [
      'named tuples and subclasses of containers',
      'import collections\nN = collections.namedtuple("N", "a b")\nclass L(list): pass\n',
      '[product.N(1, 2), product.L([1]), product.collections.OrderedDict(a=1)]',
      [{ $t: 'tuple', values: [1, 2] }, [1], { a: 1 }],
    ],
  ])('%s', async (_name, body, expression, expected) => {
    expect(await valueOf(expression, body)).toEqual(expected)
  })

  it.each([
    ['a huge list', '[1] * 300000'],
    ['a long text', '"x" * 2000000'],
    ['nesting without end', '__import__("functools").reduce(lambda a, _: [a], range(10000), 1)'],
  ])('cut off: %s', async (_name, expression) => {
    expect(JSON.stringify(await valueOf(expression))).toContain('"$t":"truncated"')
  })
})

describe('a hostile product', () => {
  it('gains nothing by patching what the host might use', async () => {
    const body = `import builtins, json, os, base64
value = {"a": [1, (2,), {3}], "b": b"hi", "e": ValueError("m")}
for name in ("len", "repr", "sorted", "isinstance", "enumerate", "type", "str", "id", "getattr", "list", "range"):
    setattr(builtins, name, lambda *a, **k: "forged")
json.dumps = lambda *a, **k: '"forged"'
json.encoder.encode_basestring_ascii = lambda *a: '"forged"'
base64.b64encode = lambda *a: b"forged"
os.write = lambda *a: 0
os._exit = lambda *a: None
`
    expect(await valueOf('product.value', body)).toEqual({
      a: [1, { $t: 'tuple', values: [2] }, { $t: 'set', values: [3] }],
      b: { $t: 'bytes', of: 'bytes', base64: 'aGk=' },
      e: {
        $t: 'error',
        name: 'ValueError',
        message: 'm',
        classes: ['ValueError', 'Exception', 'BaseException'],
      },
    })
  })

  it('is read as it is, whatever it says of itself', async () => {
    const body = `class AlwaysEqual:
    __class__ = property(lambda self: int)
    def __eq__(self, other): return True
    def __hash__(self): return 0
    def __getattr__(self, name): return "forged"
    def __iter__(self): return iter(["forged"])
    def __repr__(self): return "forged"
class L(list):
    def __iter__(self): return iter(["forged"])
    def __len__(self): return 9
class S(str):
    def __str__(self): return "forged"
    def __add__(self, other): return "forged"
`
    expect(await valueOf('[product.AlwaysEqual(), product.L([1])]', body)).toEqual([
      { $t: 'instance', class: 'AlwaysEqual', props: {} },
      { $t: 'instance', class: 'L', props: { value: [1] } },
    ])
    expect(await valueOf('product.S("s")', body)).toEqual({
      $t: 'instance',
      class: 'S',
      props: { value: 's' },
    })
  })

  it('is found out when it writes on the channel', async () => {
    const body = 'import os\nos.write(3, b"returned {}\\n")\n'
    expect(await runHost('python', { tree: tree(body), scenario: scenario('1') })).toMatchObject({
      observation: { value: 1 },
      findings: [{ kind: 'forged-frame' }],
    })
  })
})

describe('a run ends as', () => {
  it.each<[string, string, string, unknown]>([
    [
      'thrown: an exception of the product, with code and cause',
      'class E(ValueError):\n    def __init__(self):\n        super().__init__("m"); self.code = "X"; self.at = 3\ndef go():\n    raise E() from KeyError("k")\n',
      'product.go()',
      {
        outcome: 'threw',
        error: {
          name: 'E',
          message: 'm',
          code: 'X',
          classes: ['E', 'ValueError', 'Exception', 'BaseException'],
          cause: { name: 'KeyError' },
          props: { at: 3 },
        },
      },
    ],
    [
      'thrown: an exit that the scenario does not catch',
      'import sys\n',
      'product.sys.exit(3)',
      { outcome: 'threw', error: { name: 'SystemExit', code: 3 } },
    ],
    [
      'thrown: an error of the system',
      '',
      'open("/none")',
      { outcome: 'threw', error: { name: 'FileNotFoundError', code: 2 } },
    ],
    [
      'a crash: an exit of the process',
      'import os\n',
      'product.os._exit(0)',
      { outcome: 'crashed', code: 0 },
    ],
    ['a timeout', 'import time\n', 'product.time.sleep(60)', { outcome: 'timeout' }],
    [
      'a return, whatever is still open',
      'import threading, time\nthreading.Thread(target=time.sleep, args=(60,)).start()\n',
      '1',
      { outcome: 'returned', value: 1 },
    ],
    [
      'thrown: a product that fails while it loads',
      'raise TypeError("at load")\n',
      '1',
      { outcome: 'threw', error: { message: 'at load' } },
    ],
    [
      'thrown: a product that misses what it needs itself',
      'import not_installed\n',
      '1',
      { outcome: 'threw', error: { name: 'ModuleNotFoundError' } },
    ],
    ['unreachable: a module that is not there', '', 'ctx.load("product.none")', { outcome: 'unreachable' }],
    ['unreachable: a package that is not there', '', 'ctx.load("none.at.all")', { outcome: 'unreachable' }],
  ])('%s', async (_name, body, expression, expected) => {
    const run = { tree: tree(body), scenario: scenario(expression), timeoutMs: 1000 }
    expect(await observeWith('python', run)).toMatchObject(expected as object)
  })

  it('what an asynchronous scenario returns, with its steps', async () => {
    const source = `import asyncio
from lib.twice import twice
async def scenario(ctx):
    ctx.observe("before", (1,))
    await asyncio.sleep(0)
    return [twice(ctx.input), ctx.seed]
`
    const helpers = { 'scenarios/lib/twice.py': 'def twice(n):\n    return 2 * n\n' }
    expect(await observeWith('python', { scenario: source, helpers, input: 21, seed: 4 })).toEqual({
      outcome: 'returned',
      value: [42, 4],
      steps: [{ name: 'before', value: { $t: 'tuple', values: [1] } }],
    })
  })

  it('unreachable, as an error of its own, when the scenario does not load', async () => {
    expect(await observeWith('python', { scenario: 'def other(): pass\n' })).toMatchObject({
      outcome: 'unreachable',
      error: { name: 'ScenarioLoadError' },
    })
  })
})

describe('a product is found', () => {
  it.each([
    ['in the tree', { 'product.py': 'a = 1\n' }, {}],
    ['in src', { 'src/product.py': 'a = 1\n' }, {}],
    [
      'with what is installed beside it',
      { 'product.py': 'from dependency import a\n' },
      { 'dependency.py': 'a = 1\n' },
    ],
  ])('%s', async (_name, files, installed) => {
    const run = { tree: files, installed, scenario: scenario('product.a') }
    expect(await observeWith('python', run)).toMatchObject({ value: 1 })
  })
})

it('runs commands where there is no other host', async () => {
  const observation = await observeWith('python', {
    tree: {
      'tool.py':
        'import sys\nprint(sys.stdin.read().upper(), end="")\nopen("out", "w").write("done")\nsys.exit(4)\n',
    },
    command: { argv: ['python3', '{tree}/tool.py'], stdin: 'hi', observe: ['out', 'none'] },
  })
  expect(observation).toMatchObject({
    outcome: 'exited',
    code: 4,
    stdout: { text: 'HI' },
    files: { out: { kind: 'file', content: { text: 'done' } }, none: { kind: 'absent' } },
  })
})

it.each([
  ['never ends', ['sleep', '60'], { outcome: 'timeout' }],
  ['floods its output', ['yes'], { outcome: 'limit', limit: 'output' }],
  ['kills itself', ['sh', '-c', 'kill -TERM $$'], { outcome: 'exited', code: null, signal: 'SIGTERM' }],
  [
    'leaves something that holds its output',
    ['sh', '-c', 'echo a; sleep 30 &'],
    { outcome: 'exited', code: 0 },
  ],
  ['is not there', ['./none'], { outcome: 'unreachable' }],
])('observes a command that %s', async (_name, argv, expected) => {
  expect(await observeWith('python', { command: { argv }, timeoutMs: 800 })).toMatchObject(expected)
})
