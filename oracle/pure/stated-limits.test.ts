import { expect, it } from 'vitest'
import { statedLimits } from './stated-limits.ts'

const baseWith = (manifest: string, path = 'package.json') =>
  new Map([[path, new TextEncoder().encode(manifest)]])
const engines = (node: unknown) => baseWith(JSON.stringify({ name: 'p', engines: { node } }))

it.each([
  ['says nothing without a manifest', new Map<string, Uint8Array>(), []],
  ['says nothing without engines', baseWith('{"name":"p"}'), []],
  ['says nothing where no version is left out', engines('>=18'), []],
  ['says nothing where some of that version is meant', engines('>=22.18 || 24'), []],
  ['leaves out an older version', engines('>=24'), ['runtime']],
  ['leaves out a newer version', engines('^20.19'), ['runtime']],
  ['says nothing in a range that is none', engines('the newest'), []],
  ['says nothing in a number', engines(24), []],
  ['says nothing in a manifest that cannot be read', baseWith('{"engines":{"node":">=24"},}'), []],
  [
    'says nothing in a manifest of another package',
    baseWith('{"engines":{"node":">=24"}}', 'a/package.json'),
    [],
  ],
])('base %s', (_, base, limits) => {
  expect(statedLimits(base)).toEqual(limits)
})
