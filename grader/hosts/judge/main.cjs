'use strict'
// Runs one judge module over the observations of its rows. No product is here; observations are data. A judge's answer
// counts only as exactly {pass: boolean, reason?: string}; anything else, and a throw, is no answer.
const fs = require('node:fs')
const path = require('node:path')
const { pathToFileURL } = require('node:url')

const job = JSON.parse(readInput(Number(process.argv[2])))
const CHANNEL = 3

function readInput(length) {
  const bytes = Buffer.alloc(length)
  for (let at = 0; at < length;) {
    const read = fs.readSync(0, bytes, at, length - at)
    if (read === 0) throw new Error('the job was cut off')
    at += read
  }
  return bytes.toString('utf8')
}

function emit(kind, body) {
  const bytes = Buffer.from(`${job.nonce} ${kind} ${JSON.stringify(body)}\n`)
  for (let at = 0; at < bytes.length;) at += fs.writeSync(CHANNEL, bytes, at)
}

async function main() {
  const set = path.join(job.root, 'set')
  for (const [name, base64] of Object.entries(job.files)) {
    const file = path.join(set, name)
    fs.mkdirSync(path.dirname(file), { recursive: true })
    fs.writeFileSync(file, Buffer.from(base64, 'base64'))
  }
  emit('hello', {})
  let judge
  try {
    judge = (await import(pathToFileURL(path.join(set, job.module)).href)).default
    if (typeof judge !== 'function') throw new Error('no default export that is a function')
  } catch (error) {
    for (const { index } of job.rows)
      emit('judged', unanswered(index, `the judge could not be loaded: ${text(error)}`))
    process.exit(0)
  }
  for (const row of job.rows) emit('judged', await ask(judge, row))
  process.exit(0)
}

async function ask(judge, { index, observation, seed, input }) {
  try {
    const answer = await judge([observation], { seed, input, decode })
    if (!isAnswer(answer)) {
      return unanswered(index, 'the judge did not answer {pass: boolean, reason?: string}')
    }
    const reason = Object.hasOwn(answer, 'reason') ? answer.reason : undefined
    return { index, pass: answer.pass, ...(reason === undefined ? {} : { reason: cut(reason) }) }
  } catch (error) {
    return unanswered(index, `the judge threw: ${text(error)}`)
  }
}

/** What is inherited is no answer: an earlier row's data may have found its way into a prototype. */
function isAnswer(answer) {
  if (answer === null || typeof answer !== 'object' || !Object.hasOwn(answer, 'pass')) return false
  if (!Object.keys(answer).every((key) => key === 'pass' || key === 'reason')) return false
  if (Object.hasOwn(answer, 'reason') && !['string', 'undefined'].includes(typeof answer.reason)) return false
  return typeof answer.pass === 'boolean'
}

function unanswered(index, reason) {
  return { index, pass: false, unanswered: true, reason }
}

function text(error) {
  return cut(error instanceof Error ? error.message : String(error))
}

function cut(reason) {
  return reason.slice(0, 1000).toWellFormed()
}

/** An encoded value as the JavaScript value it stands for, where there is one; anything else stays as it is. */
function decode(value) {
  if (value === null || typeof value !== 'object') return value
  if (Array.isArray(value)) return value.map(decode)
  const tag = Object.hasOwn(value, '$t') ? value.$t : undefined
  const decoder = typeof tag === 'string' && Object.hasOwn(DECODERS, tag) ? DECODERS[tag] : undefined
  if (decoder !== undefined) return decoder(value)
  return tag === undefined ? fromEntries(Object.entries(value)) : value
}

function fromEntries(entries) {
  return Object.fromEntries(entries.map(([key, element]) => [key, decode(element)]))
}

const DECODERS = {
  undefined: () => undefined,
  number: ({ value }) => Number(value),
  float: ({ value }) => Number(value),
  bigint: ({ value }) => BigInt(value),
  string: ({ utf16 }) => String.fromCharCode(...utf16.split(' ').map((unit) => parseInt(unit, 16))),
  date: ({ iso }) => new Date(iso ?? NaN),
  bytes: ({ base64 }) => Buffer.from(base64, 'base64'),
  map: ({ entries }) => new Map(entries.map(([key, element]) => [decode(key), decode(element)])),
  set: ({ values }) => new Set(values.map(decode)),
  tuple: ({ values }) => values.map(decode),
  object: ({ entries }) => fromEntries(entries),
}

void main()
