import { expect, test } from 'vitest'
import { debianMirror } from './apt-sources.ts'

test.each([
  [
    'the first stanza',
    'Types: deb\n# note\nURIs: http://one/debian\nSuites: x\n\nTypes: deb\nURIs: http://two/\n',
    'http://one/debian',
  ],
  ['the first line', '# deb http://no/\ndeb http://one/debian/ bookworm main\n', 'http://one/debian'],
  ['options are skipped', 'deb [arch=amd64 signed-by=/k] https://one/d bookworm main\n', 'https://one/d'],
  ['none where there is no source', '# nothing\n', undefined],
])('%s', (_, sources, mirror) => {
  expect(debianMirror(sources)).toBe(mirror)
})
