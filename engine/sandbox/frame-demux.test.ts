import { test as property, fc } from '@fast-check/vitest'
import { expect, test } from 'vitest'
import { frameDemux, type OutputStream } from './frame-demux.ts'

function frame(stream: 1 | 2, payload: Uint8Array): Buffer {
  const header = Buffer.from([stream, 0, 0, 0, 0, 0, 0, 0])
  header.writeUInt32BE(payload.length, 4)
  return Buffer.concat([header, payload])
}

property.prop([
  fc.array(
    fc.record({ stream: fc.constantFrom(1 as const, 2 as const), payload: fc.uint8Array({ maxLength: 40 }) }),
  ),
  fc.integer({ min: 1, max: 17 }),
])('however the stream is cut, each payload arrives whole at its own end', (frames, pieceBytes) => {
  const seen: Record<OutputStream, Buffer[]> = { stdout: [], stderr: [] }
  const feed = frameDemux((stream, piece) => void seen[stream].push(Buffer.from(piece)))
  const whole = Buffer.concat(frames.map(({ stream, payload }) => frame(stream, payload)))
  for (let at = 0; at < whole.length; at += pieceBytes)
    expect(feed(whole.subarray(at, at + pieceBytes))).toBe(true)
  const wanted = (number: 1 | 2) =>
    Buffer.concat(frames.filter(({ stream }) => stream === number).map(({ payload }) => payload))
  expect(Buffer.concat(seen.stdout)).toEqual(wanted(1))
  expect(Buffer.concat(seen.stderr)).toEqual(wanted(2))
})

test('a stream that is not in frames is refused', () => {
  const feed = frameDemux(() => undefined)
  expect(feed(Buffer.from('plain text of a terminal'))).toBe(false)
})
