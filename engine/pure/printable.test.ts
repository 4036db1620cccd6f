import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import { printable } from './printable.ts'

describe('printable', () => {
  it.each([
    ['ANSI', '\u001b[2Jboo', '\\u001b[2Jboo'],
    ['line breaks and tabs', 'a\r\nb\tc', 'a\\u000d\\nb\\tc'],
    ['direction marks', 'a\u202eb\u2066c', 'a\\u202eb\\u2066c'],
    ['ordinary text of any script', 'größe 测试 🙂', 'größe 测试 🙂'],
  ])('%s', (_, text, safe) => {
    expect(printable(text)).toBe(safe)
  })
  it('cuts what is long', () => {
    expect(printable('abcdef', 3)).toBe('abc…')
  })
  test.prop([fc.string({ unit: 'binary' })])('never lets a control character through', (text) => {
    expect(printable(text, 10_000)).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/)
  })
})
