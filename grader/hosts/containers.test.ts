import { describe, expect, it } from 'vitest'
import { observeWith } from '../testing/run-host.ts'

/** Values that a product made, as they are written. */
async function written(runtime: 'node' | 'python', source: string): Promise<unknown> {
  const observation = await observeWith(
    runtime,
    runtime === 'node'
      ? {
          tree: { 'package.json': '{"main":"m.js"}', 'm.js': `const vm = require('node:vm'); ${source}` },
          scenario: "export default async ({ load }) => (await load('.')).values",
        }
      : { tree: { 'm.py': source }, scenario: 'def scenario(ctx):\n    return ctx.load("m").values' },
  )
  if (observation.outcome !== 'returned') throw new Error(JSON.stringify(observation))
  return observation.value
}
const instance = (name: string, value: unknown) => ({ $t: 'instance', class: name, props: { value } })

describe('a container of Node.js', () => {
  it('is none where it is used by methods of another', async () => {
    const source = `
      class Words extends Array { *[Symbol.iterator]() {} }
      class Cache extends Map { get() { return 1 } }
      class Day extends Date { getTime() { return 1 } }
      const own = Object.assign([1], { [Symbol.iterator]: 0 })
      exports.values = [Words.of('a'), own, Object.setPrototypeOf([1], null), new Cache([[1, [2]]]), new Day(0)]`
    expect(await written('node', source)).toEqual([
      instance('Words', ['a']),
      instance('Array', [1]),
      instance('', [1]),
      instance('Cache', { $t: 'map', entries: [[1, [2]]] }),
      instance('Day', { $t: 'date', iso: '1970-01-01T00:00:00.000Z' }),
    ])
  })

  it('is one with methods of its own beside them, and in another realm', async () => {
    const source = `
      class More extends Array { last() { return this.at(-1) } }
      exports.values = [More.of(1), 'ab'.match(/a/), Buffer.from('a'), vm.runInNewContext('[[1], { a: 1 }, /a/g]')]`
    expect(await written('node', source)).toEqual([
      [1],
      ['a'],
      { $t: 'bytes', of: 'Buffer', base64: 'YQ==' },
      [[1], { a: 1 }, { $t: 'regexp', source: 'a', flags: 'g' }],
    ])
  })

  it('is no plain object where something hidden speaks for it', async () => {
    const source = `
      const posing = Object.create({ __proto__: null, constructor: Object, toJSON() {} })
      const hiding = Object.defineProperty({ a: 1 }, 'toJSON', { value() {} })
      const yielding = { a: 1, *[Symbol.iterator]() {} }
      exports.values = [Object.assign(posing, { a: 1 }), hiding, yielding, { a: 1, valueOf: 2 }]`
    const posing = { $t: 'instance', class: 'Object', props: { a: 1 } }
    expect(await written('node', source)).toEqual([posing, posing, posing, { a: 1, valueOf: 2 }])
  })

  it('and an error of another realm is what it is called', async () => {
    const source = "exports.values = [vm.runInNewContext(`new RangeError('x')`)]"
    expect(await written('node', source)).toMatchObject([{ classes: ['RangeError', 'Error'] }])
  })
})

describe('a container of Python', () => {
  it('is none where it is used by methods of another', async () => {
    const source = [
      'class Pairs(dict):\n    def __getitem__(self, key):\n        return 1',
      'class Row(list):\n    def __iter__(self):\n        return iter(())',
      'class Plain(dict):\n    pass',
      'class Meta(type):\n    __dict__ = property(lambda cls: {})',
      'class Sly(dict, metaclass=Meta):\n    def get(self, key):\n        return 1',
      'shadowed = Plain(a=1)\nshadowed.get = len',
      'values = [Pairs(a=1), Row([(1,)]), shadowed, Sly(a=1)]',
    ].join('\n')
    expect(await written('python', source)).toEqual([
      instance('Pairs', { a: 1 }),
      instance('Row', [{ $t: 'tuple', values: [1] }]),
      instance('Plain', { a: 1 }),
      instance('Sly', { a: 1 }),
    ])
  })

  it("is one with methods of its own beside them, and where it is the library's", async () => {
    const source = [
      'import collections, os, typing',
      'class More(dict):\n    def __missing__(self, key):\n        return 1\n    def more(self):\n        return 2',
      'class Point(typing.NamedTuple):\n    count: int\n    def norm(self):\n        return 1',
      'values = [More(a=1), Point(3), collections.OrderedDict(a=1), collections.Counter("a"),',
      '  collections.defaultdict(int, a=1), os.terminal_size((1, 2))]',
    ].join('\n')
    expect(await written('python', source)).toEqual([
      { a: 1 },
      { $t: 'tuple', values: [3] },
      { a: 1 },
      { a: 1 },
      { a: 1 },
      { $t: 'tuple', values: [1, 2] },
    ])
  })
})
