'use strict'
// Other calls of the scenario in the process of the one that counts: before it and beside it. What they show is nobody's.
// But what a call returned must stay what it was: those before are looked at again when the one that counts is over. The
// product has been here by then, so nothing of an array or a promise is called (see encode.cjs).
const fs = require('node:fs')
const path = require('node:path')
const { encode } = require('./encode.cjs')
const { nowNs } = require('./surroundings.cjs')
const { hasOwn } = Object
const { parse, stringify } = JSON
const OurPromise = Promise
const later = setImmediate
const { mkdirSync } = fs
const { join } = path

/** How long other calls may go on being made: they are for a product that remembers them, not for one that is slow. */
const BUDGET_NS = 250_000_000n
/** Calls beside: so many are under way when the one that counts begins, so many at once, and so many of all. */
const BESIDE = { first: 2, atOnce: 8, most: 64 }
/** In one turn so many steps of promises are met; then whatever else happens in the process has its turn, too. */
const STEPS_OF_A_TURN = 16
/** So many results are kept: one that all calls share is found with any of them. */
const KEPT = 8
/** Longer ones are not shown, only that they changed. */
const SHOWN_CHARS = 100_000

/**
 * The other calls of one scenario. Made before anything of the set or the product is loaded.
 * @param inputs `{input?}` of each, used in turn and again from the start. Each call gets a copy and an empty folder.
 * @param contextWith a scenario's context with another input and another folder.
 */
function makeHistory(inputs, folder, contextWith) {
  const { length } = inputs
  const texts = inputs.map((one) => (hasOwn(one, 'input') ? stringify(one.input) : undefined))
  const call = async (scenario, name, index) => {
    const tmp = join(folder, name)
    mkdirSync(tmp)
    const text = texts[index % length]
    return { returned: await scenario(contextWith(text === undefined ? undefined : parse(text), tmp)) }
  }
  let kept

  const callBefore = async (scenario, times) => {
    const began = nowNs()
    for (let i = 0; i < times && nowNs() - began < BUDGET_NS; i += 1) {
      try {
        const { returned } = await call(scenario, 'earlier-' + (i + 1), i)
        if (i < KEPT) kept = { returned, text: encode(returned), next: kept }
      } catch {
        // The call that counts will say so, too.
      }
    }
  }
  /**
   * Starts calls that overlap the one that counts: the first ones now, and another at each step of it, so that wherever it
   * waits one comes between.
   * @returns what ends that.
   */
  const callBeside = (scenario) => {
    const began = nowNs()
    let made = 0
    let pending = 0
    let goesOn = true
    const start = async () => {
      made += 1
      pending += 1
      try {
        await call(scenario, 'beside-' + made, made - 1)
      } catch {
        // The call that counts will say so, too.
      }
      pending -= 1
    }
    const mayStart = () => goesOn && made < BESIDE.most && nowNs() - began < BUDGET_NS
    const goOn = async () => {
      while (mayStart()) {
        for (let step = 0; step < STEPS_OF_A_TURN; step += 1) {
          await undefined
          if (pending < BESIDE.atOnce && mayStart()) void start()
        }
        await new OurPromise((resolve) => later(resolve))
      }
    }
    while (made < BESIDE.first && mayStart()) void start()
    void goOn()
    return () => {
      goesOn = false
    }
  }
  /** What an earlier call returned and what has become of it, as JSON text; undefined where all is as it was. */
  const rewritten = () => {
    for (let one = kept; one !== undefined; one = one.next) {
      const now = encode(one.returned)
      if (now !== one.text) return '{"before":' + shown(one.text) + ',"after":' + shown(now) + '}'
    }
    return undefined
  }
  return { callBefore, callBeside, rewritten }
}

function shown(text) {
  return text.length > SHOWN_CHARS ? '{"$t":"truncated","why":"size"}' : text
}

module.exports = { makeHistory }
