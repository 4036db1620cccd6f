'use strict'
// Keeps what tests are run and compare with as it is: called before anything of the tree loads, it makes the short ways
// to a pass that is none (another `assert.equal`, another `expect(…).toBe`) lead nowhere.
const assert = require('node:assert')
const { syncBuiltinESMExports } = require('node:module')
const { defineProperty, freeze, getOwnPropertyDescriptor } = Object

/** No function of `node:assert` can be replaced. */
function lockAssert() {
  for (const api of [assert, assert.strict, assert.AssertionError]) freeze(api)
  syncBuiltinESMExports()
}

/**
 * No method of `target` can be replaced, there can be more of them, and an object that inherits from it can have its own:
 * a frozen prototype would forbid that, and frameworks do it.
 */
function lockMethods(target) {
  for (const name of Reflect.ownKeys(target)) {
    const { configurable, enumerable, value, get } = getOwnPropertyDescriptor(target, name)
    if (!configurable || name === 'constructor') continue
    if (get !== undefined) defineProperty(target, name, { configurable: false })
    else if (typeof value === 'function') {
      defineProperty(target, name, {
        configurable: false,
        enumerable,
        get: () => value,
        set: setter(target, name),
      })
    }
  }
}

function setter(target, name) {
  return function set(value) {
    if (this === target) return
    defineProperty(this, name, { value, writable: true, enumerable: true, configurable: true })
  }
}

module.exports = { lockAssert, lockMethods }
