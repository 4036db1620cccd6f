import { expect, test } from 'vitest'
import { imageState, type ImageFacts, type ImageState } from './image-status.ts'

const locked = {
  recipe: 'sha256:r',
  imageId: 'sha256:a',
  builtAt: '2026-01-01T00:00:00Z',
  source: 'registry',
} as const
const ready: ImageFacts = { recipe: 'sha256:r', locked, namedId: 'sha256:a', engineHasLocked: true }

test.each<[string, ImageFacts, ImageState]>([
  ['the engine has exactly the locked image', ready, 'ready'],
  ['its name is gone, the image is there', { ...ready, namedId: undefined }, 'ready'],
  ['nothing is locked', { ...ready, locked: undefined }, 'not-built'],
  ['another image has its name', { ...ready, namedId: 'sha256:b' }, 'mismatch'],
  [
    'another image has its name, and the definition changed',
    { ...ready, namedId: 'x', recipe: 'y' },
    'mismatch',
  ],
  ['the engine lost it', { ...ready, namedId: undefined, engineHasLocked: false }, 'missing'],
  ['the definition changed', { ...ready, recipe: 'sha256:other' }, 'outdated'],
  ['a task image has no definition to compare', { ...ready, recipe: undefined }, 'ready'],
])('%s', (_, facts, state) => {
  expect(imageState(facts)).toBe(state)
})
