import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readSeeds, REDTEAM } from './read-seeds.ts'
import type { Attack } from './seed.ts'
import { kindTable } from './table.ts'

const page = readFileSync(join(REDTEAM, 'README.md'), 'utf8')
const { kinds, attacks } = readSeeds()
const section = (title: string) => page.split(/^## /m).find((each) => each.startsWith(title)) ?? ''

describe('the page of the red team', () => {
  it('has every kind, with the number of its seeds', () => {
    const seeds = attacks.map(({ id, kind }) => ({ seed: id, kind, honest: false }))
    expect(section('Kinds')).toContain(kindTable(seeds, kinds))
  })

  it('names every wrong fix that is known to be verified, with the checks that verify it', () => {
    const named = [...section('Known to remain').matchAll(/^\| ([^|]+) \| (\w+) \|/gm)].flatMap(
      ([, seeds, by]) => [...seeds!.matchAll(/`([\w-]+)`/g)].map(([, seed]) => `${seed!} ${by!}`),
    )
    const open = attacks.flatMap((seed) => openBy(seed).map((by) => `${seed.id} ${by}`))
    expect(named.toSorted()).toEqual(open.toSorted())
  })
})

/** The word of the table for the mechanisms by which a seed says that it is verified. */
function openBy({ open }: Attack): readonly string[] {
  const by = Object.keys(open ?? {})
  return by.length === 2 ? ['both'] : by
}
