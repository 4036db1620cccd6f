import { expect, it } from 'vitest'
import type { Observation } from '../../specs/observation.ts'
import { withoutColours } from './colours.ts'

it('what a command printed is seen without colours, and nothing else of it is changed', () => {
  const seen: Observation = {
    outcome: 'exited',
    code: 0,
    signal: null,
    stdout: { text: '\u001b[1;38;5;4mnew\u001b[0m\t\u001b[2K\n' },
    stderr: { base64: 'G1sxbf8=' },
    files: {},
    steps: [],
  }
  expect(withoutColours(seen)).toEqual({ ...seen, stdout: { text: 'new\t\u001b[2K\n' } })
})

it('other observations stay as they are', () => {
  const seen: Observation = { outcome: 'returned', value: '\u001b[1m', steps: [] }
  expect(withoutColours(seen)).toEqual(seen)
})
