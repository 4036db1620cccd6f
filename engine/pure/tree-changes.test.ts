import { fc, test as property } from '@fast-check/vitest'
import { expect } from 'vitest'
import type { TreeEntry } from '../../specs/trees.ts'
import { changesBetween } from './tree-changes.ts'

const entry = fc.record<TreeEntry>({
  path: fc.constantFrom('a', 'b', 'c/d', 'c/e'),
  mode: fc.constantFrom('100644', '100755', '120000', '160000'),
  objectId: fc.constantFrom('1', '2'),
  sizeBytes: fc.constant(1),
})
const entries = fc.uniqueArray(entry, { selector: ({ path }) => path })

property.prop([entries, entries])('base and its changes give the output', (base, output) => {
  const tree = new Map(base.map((each) => [each.path, each]))
  for (const change of changesBetween(base, output)) {
    if (change.change === 'deleted') expect(tree.delete(change.path)).toBe(true)
    else {
      expect(tree.get(change.path)).toEqual(change.change === 'added' ? undefined : change.before)
      tree.set(change.path, change.after)
    }
  }
  expect(new Set(tree.values())).toEqual(new Set(output))
})
property.prop([entries])('a tree does not differ from itself', (tree) => {
  expect(changesBetween(tree, tree.toReversed())).toEqual([])
})
property.prop([entries, entries])(
  'backwards it is as many, and what was added is deleted',
  (base, output) => {
    const there = changesBetween(base, output)
    const back = changesBetween(output, base)
    const turned = {
      added: 'deleted',
      deleted: 'added',
      modified: 'modified',
      mode: 'mode',
      type: 'type',
    } as const
    expect(back.map(({ path, change }) => [path, change])).toEqual(
      there.map(({ path, change }) => [path, turned[change]]),
    )
  },
)
