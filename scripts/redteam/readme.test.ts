import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readSeeds, REDTEAM } from './read-seeds.ts'
import { kindTable } from './table.ts'

const page = readFileSync(join(REDTEAM, 'README.md'), 'utf8')
const { kinds, attacks } = readSeeds()
const section = (title: string) => page.split(/^## /m).find((each) => each.startsWith(title)) ?? ''

describe('the page of the red team', () => {
  it('has every kind, with the number of its seeds', () => {
    const seeds = attacks.map(({ id, kind }) => ({ seed: id, kind, honest: false }))
    expect(section('Kinds')).toContain(kindTable(seeds, kinds))
  })

  it('names every wrong fix that suites are known not to see', () => {
    const named = [...section('What suites do not see').matchAll(/^\| (`[^|]+) \|/gm)].flatMap(([, seeds]) =>
      [...seeds!.matchAll(/`([\w-]+)`/g)].map(([, seed]) => seed!),
    )
    const unseen = attacks.filter(({ unseenBySuite }) => unseenBySuite !== undefined).map(({ id }) => id)
    expect(named.toSorted()).toEqual(unseen.toSorted())
  })
})
