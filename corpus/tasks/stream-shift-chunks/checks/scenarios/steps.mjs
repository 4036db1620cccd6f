// Plays steps on one stream of node:stream and reports what shift() and others gave.
// input: { kind, options?, steps, as? }
// steps: ['write', x] ['push', x] ['end'] ['shift', times?] ['read', n?] ['unshift', x] ['encoding', e] ['wait'] ['length'] ['ends']
//        ['drain'] (shift until null, wait, again, until 'end' or nothing more comes) ['on-readable'] ['data'] ['iterate']
import { PassThrough, Transform, Duplex, Readable } from 'node:stream'

const wait = async () => { for (let i = 0; i < 4; i++) await new Promise(r => setImmediate(r)) }
const show = x => {
  if (x === null) return null
  if (Buffer.isBuffer(x)) return 'buffer ' + x.toString('latin1')
  if (typeof x === 'string') return 'string ' + x
  return { other: x }
}
const bytes = x => x && typeof x === 'object' && x.hex !== undefined ? Buffer.from(x.hex, 'hex') : x

const make = (kind, options = {}, chunks) => {
  switch (kind) {
    case 'passthrough': return new PassThrough(options)
    case 'readable': return new Readable({ read () {}, ...options })
    case 'duplex': return new Duplex({ read () {}, write (c, e, cb) { cb() }, ...options })
    // each character of what is written becomes a chunk of three
    case 'transform': return new Transform({
      transform (c, e, cb) { for (const x of String(c.text || c)) this.push(x.repeat(3)); cb() }, ...options })
    // gives one of the chunks at each call of read()
    case 'pull': { let i = 0; return new Readable({ read () { this.push(i < chunks.length ? bytes(chunks[i++]) : null) }, ...options }) }
    case 'pull-later': { let i = 0; return new Readable({ read () { setImmediate(() => this.push(i < chunks.length ? bytes(chunks[i++]) : null)) }, ...options }) }
  }
}

export default async ({ load, input }) => {
  const shift = input.as === 'import' ? (await load('.', { as: 'import' })).default : await load('.')
  const stream = make(input.kind, input.options, input.chunks)
  let ends = 0
  stream.on('end', () => { ends++ })
  const out = []
  for (const [step, x] of input.steps) {
    switch (step) {
      case 'write': stream.write(bytes(x)); break
      case 'push': stream.push(bytes(x)); break
      case 'end': if (input.kind === 'readable' || input.kind === 'duplex') stream.push(null); else stream.end(); break
      case 'shift': for (let i = 0; i < (x || 1); i++) out.push(show(shift(stream))); break
      case 'read': out.push(show(x === undefined ? stream.read() : stream.read(x))); break
      case 'unshift': stream.unshift(bytes(x)); break
      case 'encoding': stream.setEncoding(x); break
      case 'wait': await wait(); break
      case 'length': out.push({ length: stream.readableLength }); break
      case 'ends': await wait(); out.push({ ends }); break
      case 'drain':
        for (let idle = 0; idle < 20 && !ends;) {
          const chunk = shift(stream)
          if (chunk !== null) { out.push(show(chunk)); idle = 0 } else { idle++; await wait() }
        }
        break
      case 'on-readable':
        stream.on('readable', () => { let chunk; while ((chunk = shift(stream)) !== null) out.push(show(chunk)) })
        break
      case 'data': {
        let rest = ''
        stream.on('data', c => { rest += c })
        await new Promise(resolve => stream.on('end', resolve))
        out.push({ rest })
        break
      }
      case 'iterate': {
        let rest = ''
        for await (const c of stream) rest += c
        out.push({ rest })
        break
      }
    }
  }
  return out
}
