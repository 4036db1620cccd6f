import { describe, expect, it } from 'vitest'
import { occursIn } from './quotation.ts'

const REQUEST = `# Fix "parse"

Calling **\`parse(text)\`** with an _empty_ text must return “nothing” –
never throw.

1. A \`snake_case\` name stays.
2. It's case-sensitive:
   - upper, then
   - lower.
`

describe('a quotation occurs', () => {
  it.each([
    ['as it stands', 'must return “nothing”', true],
    ['with straight quotation marks', 'must return "nothing"', true],
    ['over a line end', 'return "nothing" - never throw', true],
    ['without the emphasis', 'Calling parse(text) with an empty text', true],
    ['with the emphasis', 'Calling **`parse(text)`** with an _empty_', true],
    ['in quotation marks of its own', '"never throw."', true],
    ['over list items', "It's case-sensitive: upper, then lower.", true],
    ['with the list marks', '2. It’s case-sensitive:\n - upper, then', true],
    ['as a heading', '# Fix "parse"', true],
    ['with another word', 'must return "something"', false],
    ['with words left out', 'Calling parse(text) must return', false],
    ['in another case', 'calling parse(text) with', false],
    ['with an underscore that belongs to a word left out', 'A snakecase name', false],
    ['as one short word', 'never', false],
    ['as nothing', '""', false],
    ['as marks only', '** ` **', false],
  ])('%s: %s → %s', (_name, quotation, expected) => expect(occursIn(REQUEST, quotation)).toBe(expected))
})
