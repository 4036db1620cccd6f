'use strict'
// The host of one probe: reads its job from standard input, runs it, reports in frames on descriptor 3. It shares its
// process with the product, so everything it needs later is captured here, before the product loads (see encode.cjs).
const fs = require('node:fs')
const { Module } = require('node:module')
const path = require('node:path')
const { pathToFileURL } = require('node:url')
const { openChannel, leave } = require('./channel.cjs')
const { encode } = require('./encode.cjs')
const { makeHistory } = require('./history.cjs')
const { makeLoad } = require('./load.cjs')
const { copyTree, isFull, prepare } = require('./places.cjs')
const { endAll } = require('./processes.cjs')
const { enter, grow } = require('./surroundings.cjs')
const { imul, max } = Math
const { parse, stringify } = JSON
const later = setImmediate
const afterMs = setTimeout
const stopTimer = clearTimeout
const OurPromise = Promise

/** Calls beside take their share of one thread: so many times the limit of one call is that of all of them. */
const SHARE_BESIDE = 3

const job = parse(readInput(Number(process.argv[2])))
const emit = openChannel(job.nonce)
const { mechanism, timeoutMs } = job
const alone = job.alone === true
// Only where they are needed: they double what there is to load.
const runCommand = mechanism === 'command' ? require('./command.cjs').runCommand : undefined
const runSuite = mechanism === 'suite' ? require('./suite.cjs').runSuite : undefined
const startService = mechanism === 'service' ? require('./service.cjs').startService : undefined
const terminals = job.varied?.tty === 'yes' ? require('./terminal.cjs') : undefined

async function main() {
  const places = prepare(job)
  // Before the first sign of life: that no terminal is to be had says nothing of the product.
  const terminal = mechanism === 'command' ? await terminals?.openTerminals() : undefined
  const names = mechanism === 'command' ? undefined : terminals?.drainedTerminals()
  emit('hello', '{}')
  toNowhere(names)
  try {
    copyTree(job)
  } catch (error) {
    if (isFull(error)) return finish('limit', '{"limit":"disk"}')
    return finish('unreachable', '{"error":' + encode(error) + '}')
  }
  enter(places.varied, places)
  if (mechanism === 'command') {
    const { kind, body } = await runCommand(job, places, terminal)
    return finish(kind, stringify(body))
  }
  if (mechanism === 'suite') {
    const { kind, body } = await runSuite(job, places)
    return finish(kind, JSON.stringify(body))
  }
  process.on('uncaughtExceptionMonitor', (error) => {
    tellSteps()
    emit('uncaught', '{"error":' + encode(error) + '}')
  })
  // A scenario that waits for what nothing will ever settle runs out of events: it would not end in any time.
  process.on('beforeExit', () => finish('timeout', '{}'))
  let service
  if (mechanism === 'service') {
    try {
      service = await startService(job, places)
    } catch (error) {
      return finish('unreachable', '{"error":' + encode(error) + '}')
    }
  }
  return runScenario(places, service)
}

/** Ends the scenario when its time is over. A timer of ours must not keep a dead scenario alive: see beforeExit. */
function limitTime(overlaps) {
  const limitMs = overlaps ? SHARE_BESIDE * timeoutMs : timeoutMs
  const timer = afterMs(() => finish('timeout', '{}'), limitMs)
  timer.unref()
  return timer
}

/** Exactly the job: what else may come on descriptor 0 is not for this process. */
function readInput(length) {
  const bytes = Buffer.alloc(length)
  for (let at = 0; at < length;) {
    const read = fs.readSync(0, bytes, at, length - at)
    if (read === 0) throw new Error('the job was cut off')
    at += read
  }
  return bytes.toString('utf8')
}

/**
 * The product finds its input at an end, and what it prints goes nowhere, or to terminals that nobody looks at. Until here
 * our own troubles were printed.
 */
function toNowhere([output, errors] = ['/dev/null', '/dev/null']) {
  for (const [descriptor, name] of [output, output, errors].entries()) {
    fs.closeSync(descriptor)
    fs.openSync(name, fs.constants.O_RDWR | fs.constants.O_NOCTTY)
  }
}

/** Writes the last frame and is gone. What the product still has open does not matter. */
function finish(kind, json) {
  tellSteps()
  if (mechanism !== 'scenario') endAll(alone)
  emit(kind, json)
  leave(0)
}

/** Steps of a scenario that has not come to use the product yet: it may be called a second time. */
const held = []
function tellSteps(step) {
  const { length } = held
  for (let i = 0; i < length; i += 1) emit('step', held[i])
  held.length = 0
  if (step !== undefined) emit('step', step)
}

async function runScenario(places, service) {
  const file = path.join(places.set, job.scenario)
  const { calls = 1, uses = 1, overlap, age = 0 } = places.varied
  const before = max(Number(calls), Number(uses)) - 1
  const others = job.others ?? [job.input === undefined ? {} : { input: job.input }]
  const overlaps = overlap !== undefined
  let timer = limitTime(overlaps && before === 0)
  let grown
  // Once, and our own timer does not take the leap for its time. Who awaits it goes on when timers that became due have run.
  const growUp = () => {
    if (age === 0 || grown !== undefined) return grown
    grow(Number(age))
    stopTimer(timer)
    timer = limitTime(overlaps)
    grown = new OurPromise((resolve) => afterMs(resolve, 1))
    return grown
  }
  const { load, isAbsent, awaitsUse, refuseAtUse } = makeLoad(places, before > 0 ? () => {} : growUp)
  let context = scenarioContext(places, service, load, awaitsUse)
  const history = makeHistory(others, places.own, (input, tmp) => ({
    ...context,
    tmp,
    random: randomFrom(job.seed),
    input,
    observe: () => {},
  }))
  hideHost(file, places)
  let scenario
  try {
    scenario = (await import(pathToFileURL(file).href)).default
    if (typeof scenario !== 'function')
      throw new Error('the scenario has no default export that is a function')
  } catch (error) {
    const cause = encode(error)
    const fields =
      '"name":"ScenarioLoadError","message":"the scenario could not be loaded","classes":["Error"]'
    return finish('unreachable', '{"error":{"$t":"error",' + fields + ',"cause":' + cause + '}}')
  }
  if (before > 0) {
    await history.callBefore(scenario, before)
    stopTimer(timer)
    timer = limitTime(overlaps)
    await growUp()
  }
  const endOthers = overlaps ? history.callBeside(scenario) : undefined
  const call = async () => {
    try {
      return { kind: 'returned', json: '{"value":' + encode(await scenario(context)) + '}' }
    } catch (error) {
      return { kind: isAbsent(error) ? 'unreachable' : 'threw', json: '{"error":' + encode(error) + '}' }
    }
  }
  let { kind, json } = await call()
  // Who wants the product only to be loaded, or has one that cannot be required, has not met it yet.
  if (refuseAtUse()) {
    held.length = 0
    context = scenarioContext(places, service, load, awaitsUse)
    ;({ kind, json } = await call())
  }
  endOthers?.()
  const rewritten = history.rewritten()
  if (rewritten !== undefined) {
    kind = 'rewrote'
    json = rewritten
  }
  // One turn, in which a rejection that nobody handled comes up: a crash wins over a return.
  later(() => finish(kind, json))
}

function scenarioContext(places, service, load, awaitsUse) {
  const { tree, tmp } = places
  const context = {
    load: mechanism === 'service' ? loadsNothing : load,
    tree,
    tmp,
    seed: job.seed,
    random: randomFrom(job.seed),
    input: job.input,
    observe: (name, value) => {
      const step = '{"name":' + encode('' + name) + ',"value":' + encode(value) + '}'
      if (awaitsUse()) held[held.length] = step
      else tellSteps(step)
    },
  }
  if (service !== undefined) context.service = service
  return context
}

async function loadsNothing() {
  throw new Error('the scenario of a service talks to it; it does not load the product')
}

/** mulberry32: the same numbers in [0, 1) for the same seed, everywhere. */
function randomFrom(seed) {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = imul(state ^ (state >>> 15), 1 | state)
    t = (t + imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}

/**
 * The process looks to the product as if the scenario had been started by itself: as a module, which is nobody's
 * `require.main`, or as a script, which is.
 */
function hideHost(file, { cwd, varied }) {
  process.argv = [process.execPath, file]
  process.execArgv = []
  process.mainModule =
    varied.main === 'script' ? Object.assign(new Module(file), { filename: file }) : undefined
  process.chdir(cwd)
  for (const name of ['PWD', 'OLDPWD', 'SHLVL', '_']) delete process.env[name]
  for (const key of Object.keys(require.cache)) if (key.startsWith(__dirname)) delete require.cache[key]
}

// Last, when everything of this file is there.
void main()
