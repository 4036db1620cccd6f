import { fc, test } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import { feedbackDelayMs } from './feedback-time.ts'

describe('feedbackDelayMs', () => {
  it.each([
    ['a quick grade waits for the first quantum', 0, 10, 1000, 990],
    ['a grade at the quantum is told at once', 0, 1000, 1000, 0],
    ['a slower one waits for the next', 0, 1001, 1000, 999],
    ['a clock that was set back waits a whole quantum', 500, 100, 1000, 1000],
    ['without a quantum there is no wait', 0, 5, 0, 0],
  ])('%s', (_, delivered, now, quantum, delay) => {
    expect(feedbackDelayMs(delivered, now, quantum)).toBe(delay)
  })
  test.prop([fc.nat(1e9), fc.nat(1e6), fc.integer({ min: 1, max: 1e5 })])(
    'the reply comes at a whole multiple of the quantum',
    (delivered, elapsed, quantum) => {
      const at = elapsed + feedbackDelayMs(delivered, delivered + elapsed, quantum)
      expect(at % quantum).toBe(0)
      expect(at).toBeGreaterThanOrEqual(elapsed)
    },
  )
})
