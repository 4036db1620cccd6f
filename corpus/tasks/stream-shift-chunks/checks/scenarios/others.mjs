// Things that are not byte streams of node:stream.
import { Writable } from 'node:stream'

const legacy = () => {
  const calls = []
  const second = { data: Buffer.from('world!'), next: null }
  const first = { data: Buffer.from('ab'), next: second }
  return { calls, _readableState: { objectMode: false, length: 8, buffer: { head: first, tail: second, length: 2 } },
    read (...args) { calls.push(args); return first.data } }
}

export default async ({ load, input }) => {
  const shift = await load('.')
  switch (input.what) {
    case 'export': return typeof shift
    case 'export-import': return typeof (await load('.', { as: 'import' })).default
    case 'writable': return shift(new Writable({ write (c, e, cb) { cb() } }))
    case 'plain': return shift(input.object)
    case 'array': return shift([])
    case 'streamx': {
      const calls = []
      const stream = { _duplexState: input.state, _readableState: input.readable || {}, read (...args) { calls.push(args); return input.gives } }
      const result = shift(stream)
      return { result, calls }
    }
    case 'legacy': { const s = legacy(); shift(s); return s.calls }
  }
}
