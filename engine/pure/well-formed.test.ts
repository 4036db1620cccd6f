import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import { canonicalJson } from '../../specs/digest.ts'
import { cutText, wellFormed } from './well-formed.ts'

describe('cutText', () => {
  it.each([
    ['a short text stays', 'abc', 3, 'abc'],
    ['a long text is cut', 'abcd', 3, 'abc'],
    ['a character of two units is not cut in two', 'ab😀', 3, 'ab'],
    ['a character of two units that fits stays', 'a😀b', 3, 'a😀'],
    ['nothing of nothing', '😀', 0, ''],
  ])('%s', (_, text, max, expected) => {
    expect(cutText(text, max)).toBe(expected)
  })
  test.prop([fc.string({ unit: 'grapheme' }), fc.nat(20)])('never makes half a pair', (text, max) => {
    expect(cutText(text, max).isWellFormed()).toBe(true)
  })
})

describe('wellFormed', () => {
  it('mends strings and keys at any depth and leaves the rest', () => {
    expect(wellFormed({ a: ['\ud83d', { '\ude00': 'x' }], n: 1, b: null, ok: '😀' })).toEqual({
      a: ['\ufffd', { '\ufffd': 'x' }],
      n: 1,
      b: null,
      ok: '😀',
    })
  })
  test.prop([fc.jsonValue({ stringUnit: 'binary' }), fc.string({ unit: 'binary' }).map((s) => `${s}\ud800`)])(
    'what comes out has a canonical form',
    (value, text) => {
      expect(() => canonicalJson(wellFormed({ value, text }))).not.toThrow()
    },
  )
})
