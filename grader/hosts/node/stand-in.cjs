'use strict'
// What `load` gives where the turn that uses the product is to be the one that loads it: a stand-in that requires it when
// something is first asked of it. Everything is then passed on. What cannot be the same: `typeof` says function.
const ours = Reflect
const { apply, construct, defineProperty, deleteProperty, get, getOwnPropertyDescriptor } = ours
const { getPrototypeOf, has, ownKeys, set, setPrototypeOf } = ours
const OurObject = Object
const OurProxy = Proxy
const weakGet = WeakMap.prototype.get
const weakSet = WeakMap.prototype.set
/** By stand-in, what gives the thing that it stands for. */
const behind = new WeakMap()

/** @param requireIt gives the exports, or throws what requiring them throws. */
function standInFor(requireIt) {
  let exported
  let isLoaded = false
  const real = () => {
    if (!isLoaded) exported = requireIt()
    isLoaded = true
    return exported
  }
  const object = () => OurObject(real())
  // Bound, it has no `prototype` that a stand-in would have to keep.
  const target = function () {}.bind()
  delete target.name
  delete target.length
  const standIn = new OurProxy(target, {
    __proto__: null,
    get: (_, key) => {
      // Who awaits it asks for its `then`, which is no use of it; and gets none, as of any exports.
      if (key === 'then' && !isLoaded) return undefined
      const value = get(object(), key)
      return key === 'then' && typeof value === 'function' ? undefined : value
    },
    has: (_, key) => has(object(), key),
    set: (_, key, value) => set(object(), key, value),
    deleteProperty: (_, key) => deleteProperty(object(), key),
    defineProperty: (_, key, descriptor) => defineProperty(object(), key, descriptor),
    ownKeys: () => ownKeys(object()),
    getOwnPropertyDescriptor: (_, key) => {
      const descriptor = getOwnPropertyDescriptor(object(), key)
      // Nothing that the stand-in itself does not have may be called fixed.
      if (descriptor !== undefined) descriptor.configurable = true
      return descriptor
    },
    getPrototypeOf: () => getPrototypeOf(object()),
    setPrototypeOf: (_, prototype) => setPrototypeOf(object(), prototype),
    apply: (_, self, args) => apply(real(), self, args),
    construct: (_, args, made) => construct(real(), args, made === standIn ? real() : made),
  })
  apply(weakSet, behind, [standIn, real])
  return standIn
}

/** What a stand-in stands for; anything else is itself. */
function unwrap(value) {
  const real = apply(weakGet, behind, [value])
  return real === undefined ? value : real()
}

module.exports = { standInFor, unwrap }
