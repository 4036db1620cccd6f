// Own properties of the built-ins that a dotted option could reach: what changed since watch(), named; put back afterwards.
const { ownKeys, getOwnPropertyDescriptor, defineProperty, deleteProperty, apply } = Reflect
const ObjectIs = Object.is
const targets = [
  ['Object.prototype', Object.prototype], ['Array.prototype', Array.prototype], ['Function.prototype', Function.prototype],
  ['String.prototype', String.prototype], ['Number.prototype', Number.prototype], ['Boolean.prototype', Boolean.prototype],
  ['Object', Object], ['Array', Array], ['Function', Function], ['String', String], ['Number', Number], ['Boolean', Boolean],
  ['Array.prototype.concat', Array.prototype.concat], ['Object.prototype.toString', Object.prototype.toString],
]
const FIVE = 5
const same = (a, b) => !!a && !!b && ObjectIs(a.value, b.value) && a.get === b.get && a.set === b.set && a.enumerable === b.enumerable && a.configurable === b.configurable && a.writable === b.writable

export function watch() {
  const before = []
  for (let i = 0; i < targets.length; i++) {
    const keys = ownKeys(targets[i][1]), ds = []
    for (let j = 0; j < keys.length; j++) ds[j] = getOwnPropertyDescriptor(targets[i][1], keys[j])
    before[i] = { keys, ds }
  }
  return () => {
    const prototypes = [], others = []
    let p = 0, o = 0
    for (let i = 0; i < targets.length; i++) {
      const [name, target] = targets[i], { keys, ds } = before[i]
      const found = []
      let f = 0
      for (let j = 0; j < keys.length; j++) if (!same(ds[j], getOwnPropertyDescriptor(target, keys[j]))) { found[f++] = keys[j]; defineProperty(target, keys[j], ds[j]) }
      const now = ownKeys(target)
      for (let j = 0; j < now.length; j++) {
        let known = false
        for (let k = 0; k < keys.length; k++) if (keys[k] === now[j]) known = true
        if (!known) { found[f++] = now[j]; deleteProperty(target, now[j]) }
      }
      for (let j = 0; j < f; j++) {
        const text = name + ' ' + String(found[j])
        if (i < FIVE) prototypes[p++] = text; else others[o++] = text
      }
    }
    return { prototypes, others }
  }
}

// Own data as plain JSON: functions are named, properties of arrays that are no elements are shown.
export function plain(v) {
  if (typeof v === 'function') return 'function ' + v.name
  if (v === null || typeof v !== 'object') return v
  if (Array.isArray(v)) {
    const extra = Object.keys(v).filter(k => !/^\d+$/.test(k))
    const list = v.map(plain)
    return extra.length ? { list, extra: Object.fromEntries(extra.map(k => [k, plain(v[k])])) } : list
  }
  return Object.fromEntries(Reflect.ownKeys(v).map(k => [String(k), plain(v[k])]))
}
