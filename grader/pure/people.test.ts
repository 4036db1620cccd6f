import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import { peoplesFolder } from './people.ts'

describe('the folder of a person', () => {
  test.prop([fc.string()])(
    'is the same for the same seed, and one that a shell takes as one word',
    (seed) => {
      const folder = peoplesFolder(seed, '/box/tree')
      expect(folder).toMatch(/^\/(?:home|Users|srv)\/[a-z]{5,}$/)
      expect(peoplesFolder(seed, '/box/tree')).toBe(folder)
    },
  )

  it('is another for nearly every seed', () => {
    const folders = Array.from({ length: 100 }, (_, seed) => peoplesFolder(String(seed), '/box/tree'))
    expect(new Set(folders).size).toBeGreaterThan(90)
  })

  it('is none where the tree itself stands there', () => {
    const folder = peoplesFolder('a seed', '/box/tree') ?? ''
    expect(peoplesFolder('a seed', folder)).toBeUndefined()
    expect(peoplesFolder('a seed', `${folder}/app`)).toBeUndefined()
    expect(peoplesFolder('a seed', `${folder}s/app`)).toBe(folder)
  })
})
