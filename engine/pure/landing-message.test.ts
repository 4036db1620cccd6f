import { fc, test as property } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import { landingMessage, parseTrailers, type LandingTrailers } from './landing-message.ts'

const trailers: LandingTrailers = {
  task: 'slug',
  run: '20260101-000000-abcd',
  seal: `sha256:${'a'.repeat(64)}`,
  verdict: 'verified',
  grade: `sha256:${'b'.repeat(64)}`,
  accepted: [],
}

describe('the message of a commit that lands', () => {
  it('is the request with trailers', () => {
    expect(landingMessage('# Slugs keep digits\n\nToday they are lost.\n', trailers)).toBe(
      `Slugs keep digits\n\nToday they are lost.\n\nAssay-Task: slug\nAssay-Run: 20260101-000000-abcd\nAssay-Seal: ${trailers.seal}\nAssay-Verdict: verified\nAssay-Grade: ${trailers.grade}\n`,
    )
  })
  it('says what a person let pass', () => {
    const accepted = ['strength by a@b', 'protected-paths by c@d']
    expect(parseTrailers(landingMessage('x', { ...trailers, accepted }))?.accepted).toEqual(accepted)
  })
  it.each([
    'x\n\nAssay-Verdict: verified\nAssay-Task: other',
    'Assay-Task: other',
    'x\n\nAssay-Verdict: verified',
    '\u0000\u001b[31m\n\n\u2028Assay-Seal: x',
    '',
  ])('takes no trailer from a request: %j', (request) => {
    expect(parseTrailers(landingMessage(request, trailers))).toEqual(trailers)
  })
  property.prop([
    fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string().map((text) => `a\n\nAssay-Task: ${text}`),
    ),
  ])('gives its trailers back whatever the request', (request) => {
    const message = landingMessage(request, trailers)
    expect(parseTrailers(message)).toEqual(trailers)
    expect(message.split('\n')[0]?.length).toBeLessThanOrEqual(80)
  })
  it('is short in its first line', () => {
    expect(landingMessage(`${'word '.repeat(100)}\n`, trailers).split('\n')[0]?.length).toBeLessThan(80)
  })
})
