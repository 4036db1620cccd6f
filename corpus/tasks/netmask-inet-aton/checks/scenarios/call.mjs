// input: { fn: 'ip2long' | 'long2ip' | 'Netmask' | 'contains' | 'next' | 'forEach' | 'coffee', args, with?, as? }
// 'each-ip2long', 'each-Netmask', 'each-contains': several addresses, for each the answer or 'Error'; 'coffee': the source
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export default async ({ load, tree, input }) => {
  if (input.fn === 'coffee') {
    const text = readFileSync(join(tree, 'lib/netmask.coffee'), 'utf8')
    return {
      digest: createHash('sha256').update(text).digest('hex'),
      exports: [...text.matchAll(/^exports\.(\w+)/gm)].map(m => m[1]).sort()
    }
  }
  let m
  if (input.as === 'import') m = (await load('.', { as: 'import' })).default
  else m = await load(input.as === 'file' ? './lib/netmask.js' : '.')
  const { fn, args } = input
  if (fn === 'ip2long' || fn === 'long2ip') return m[fn](...args)
  const attempt = f => { try { return f() } catch (e) { return e instanceof Error ? 'Error' : 'no Error' } }
  if (fn === 'each-ip2long') return args.map(a => attempt(() => m.ip2long(a)))
  if (fn === 'each-Netmask') return args.map(a => attempt(() => String(new m.Netmask(...[].concat(a)))))
  if (fn === 'each-contains') return input.with.map(a => attempt(() => new m.Netmask(...args).contains(a)))
  const block = new m.Netmask(...args)
  const show = b => ({
    text: b.toString(), base: b.base, mask: b.mask, hostmask: b.hostmask, bitmask: b.bitmask,
    size: b.size, first: b.first, last: b.last, broadcast: b.broadcast === undefined ? 'none' : b.broadcast
  })
  switch (fn) {
    case 'Netmask': return show(block)
    case 'contains': return block.contains(input.block ? new m.Netmask(...input.with) : input.with[0])
    case 'next': return show(block.next(...input.with))
    case 'forEach': {
      const seen = []
      block.forEach((ip, long, index) => { seen.push([ip, long, index]) })
      return seen
    }
  }
}
