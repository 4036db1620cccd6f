// input: { module: 'require' | 'import' | 'mjs', steps: [[op, constructor, ...arguments]] }
// The constructor 'B' is the package's own. Steps that read or write give one result each; a single result is returned bare.
export default async ({ load, input }) => {
  const made = { B: await main(load, input.module) }
  const results = []
  const number = (C, value) => value === '-0 primitive' ? new C(-0) : new C(value)
  for (const [op, name, ...a] of input.steps) {
    const C = made[name]
    if (op === 'config') C.config(a[0])
    else if (op === 'set') C.set(a[0])
    else if (op === 'debug') C.DEBUG = a[0]
    else if (op === 'clone') made[a[0]] = C.clone(a[1])
    else if (op === 'read') results.push(new C(a[0], a[1]).toFixed())
    else if (op === 'call') results.push(C(a[0], a[1]).toFixed())
    else if (op === 'read-number') results.push(new C(new C(a[0]), a[1]).toFixed())
    else if (op === 'read-plain') results.push(new C(a[0]).toFixed())
    else if (op === 'write') results.push(number(C, a[0]).toString(a[1]))
    else if (op === 'method') results.push(number(C, a[0])[a[1]](...a.slice(2)))
    else if (op === 'operation') results.push(String(new C(a[0])[a[1]](...a.slice(2))))
    else if (op === 'json') results.push(JSON.stringify({ n: new C(a[0]), s: `${new C(a[0])}` }))
    else if (op === 'there-and-back') {
      const n = new C(a[0])
      const back = new C(n.toString(a[1]), a[1])
      results.push({ equal: back.eq(n), back: back.toFixed() })
    } else throw new Error('unknown step ' + op)
  }
  return results.length === 1 ? results[0] : results
}

async function main (load, module) {
  if (module === 'mjs') return (await load('./bignumber.mjs', { as: 'import' })).default
  if (module === 'mjs-named') return (await load('./bignumber.mjs', { as: 'import' })).BigNumber
  if (module === 'import') return (await load('.', { as: 'import' })).default
  return load('.')
}
