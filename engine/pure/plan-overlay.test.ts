import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import { planOverlay } from './plan-overlay.ts'

type Entry = Parameters<typeof planOverlay>[0]['output'][number]
const file = (path: string, objectId: string): Entry => ({ path, mode: '100644', objectId })
const link = (path: string): Entry => ({ path, mode: '120000', objectId: 'link' })
const isProtected = (path: string) => /(?:^|\/)(?:conf|t)[^/]*$/.test(path)

/** What the tree is after the plan: `path=content`, sorted. */
function result(output: readonly Entry[], plan: ReturnType<typeof planOverlay>): readonly string[] {
  const tree = new Map(output.map((entry) => [entry.path, entry]))
  for (const path of plan.remove) tree.delete(path)
  for (const entry of plan.set) tree.set(entry.path, entry)
  return [...tree.values()].map(({ path, objectId }) => `${path}=${objectId}`).sort()
}

const BASE = [file('conf', 'base'), file('src', 'base'), file('d/t1', 'base')]

describe('an overlay', () => {
  it.each<[string, readonly Entry[], readonly Entry[], readonly string[], readonly string[]]>([
    ['leaves base as it is', BASE, [], ['conf=base', 'd/t1=base', 'src=base'], []],
    [
      'keeps what the output changed elsewhere',
      [file('conf', 'base'), file('src', 'mine'), file('d/t1', 'base')],
      [],
      ['conf=base', 'd/t1=base', 'src=mine'],
      [],
    ],
    [
      'restores a protected path that was changed',
      [file('conf', 'mine'), file('src', 'base'), file('d/t1', 'base')],
      [],
      ['conf=base', 'd/t1=base', 'src=base'],
      ['conf'],
    ],
    [
      'restores one that was deleted',
      [file('conf', 'base'), file('src', 'base')],
      [],
      ['conf=base', 'd/t1=base', 'src=base'],
      ['d/t1'],
    ],
    [
      'removes one that was added',
      [...BASE, file('e/conf', 'mine')],
      [],
      ['conf=base', 'd/t1=base', 'src=base'],
      ['e/conf'],
    ],
    [
      'removes a protected link',
      [...BASE, link('e/conf')],
      [],
      ['conf=base', 'd/t1=base', 'src=base'],
      ['e/conf'],
    ],
    [
      'lays a sealed file over a protected one',
      BASE,
      [file('d/t1', 'sealed')],
      ['conf=base', 'd/t1=sealed', 'src=base'],
      [],
    ],
    [
      'names a path that both the output and the seal changed',
      [file('conf', 'base'), file('src', 'base'), file('d/t1', 'mine')],
      [file('d/t1', 'sealed')],
      ['conf=base', 'd/t1=sealed', 'src=base'],
      ['d/t1'],
    ],
    [
      'removes a link where a sealed file needs a folder',
      [file('conf', 'base'), file('src', 'base'), link('d')],
      [file('d/t1', 'sealed')],
      ['conf=base', 'd/t1=sealed', 'src=base'],
      ['d', 'd/t1'],
    ],
    [
      'removes a folder where a sealed file needs a name',
      [...BASE, file('x/a', 'mine'), file('x/b/c', 'mine')],
      [file('x', 'sealed')],
      ['conf=base', 'd/t1=base', 'src=base', 'x=sealed'],
      ['x/a', 'x/b/c'],
    ],
    [
      'removes a link where base has a protected folder',
      [file('conf', 'base'), file('src', 'base'), link('d')],
      [],
      ['conf=base', 'd/t1=base', 'src=base'],
      ['d', 'd/t1'],
    ],
  ])('%s', (_, output, sealed, expected, replaced) => {
    const plan = planOverlay({ output, base: BASE, sealed, isProtected })
    expect(result(output, plan)).toEqual(expected)
    expect(plan.replaced).toEqual(replaced)
  })
})

const path = fc
  .array(fc.constantFrom('a', 'b', 'conf', 't1'), { minLength: 1, maxLength: 3 })
  .map((parts) => parts.join('/'))
/** Entries none of which is below another, as a tree has them. */
const tree = fc
  .array(fc.record({ path, objectId: fc.constantFrom('1', '2'), mode: fc.constantFrom('100644', '120000') }))
  .map((entries) =>
    entries.filter(
      (one, index) =>
        !entries
          .slice(0, index)
          .some(
            (other) =>
              `${one.path}/`.startsWith(`${other.path}/`) || `${other.path}/`.startsWith(`${one.path}/`),
          ),
    ),
  ) as fc.Arbitrary<readonly Entry[]>

test.prop([tree, tree, tree])(
  'gives a tree that holds every sealed file, and of protected paths nothing of the output',
  (output, base, sealed) => {
    const plan = planOverlay({ output, base, sealed, isProtected })
    const final = result(output, plan)
    const paths = final.map((entry) => entry.split('=')[0] ?? '')
    for (const one of paths) {
      expect(paths.filter((other) => other.startsWith(`${one}/`))).toEqual([])
    }
    for (const { path: at, objectId } of sealed) expect(final).toContain(`${at}=${objectId}`)
    const taken = new Set(sealed.map((entry) => entry.path))
    for (const at of paths.filter((one) => isProtected(one) && !taken.has(one))) {
      expect(final).toContain(`${at}=${base.find((entry) => entry.path === at)?.objectId ?? 'none'}`)
    }
  },
)
