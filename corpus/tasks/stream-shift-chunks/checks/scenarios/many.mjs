// A long queue. input: { count, kind: 'passthrough' | 'readable', encoding?, ahead? }
// With ahead, chunks are added while others are taken: never more than that many are waiting.
import { PassThrough, Readable } from 'node:stream'
import { createHash } from 'node:crypto'

export default async ({ load, input }) => {
  const shift = await load('.')
  const options = { highWaterMark: 1 << 22, ...(input.encoding ? { encoding: input.encoding } : {}) }
  const stream = input.kind === 'readable' ? new Readable({ read () {}, ...options }) : new PassThrough(options)
  const add = input.kind === 'readable' ? c => stream.push(c) : c => stream.write(c)
  const chunk = i => String(i).padEnd(1 + i % 7, '.') + ';'
  const got = []
  const take = () => {
    const c = shift(stream)
    if (c !== null) got.push(String(c))
    return c !== null
  }
  const ahead = input.ahead || input.count
  for (let i = 0; i < input.count; i++) {
    add(chunk(i))
    if (i >= ahead) take()
  }
  while (take()) { /* the rest */ }
  return {
    count: got.length,
    begin: got.slice(0, 4),
    end: got.slice(-2),
    content: createHash('sha256').update(got.join('')).digest('hex'),
    chunks: createHash('sha256').update(got.join('\n')).digest('hex'),
    left: stream.readableLength
  }
}
