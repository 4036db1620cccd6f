'use strict'
const { test } = require('node:test')
const assert = require('node:assert')
const { spawnSync } = require('node:child_process')
const path = require('node:path')
const { slug, words } = require('..')

const run = (...args) =>
  spawnSync(process.execPath, [path.join(__dirname, '../cli.js'), ...args], { encoding: 'utf8' })

test('spaces', () => {
  assert.strictEqual(slug('Two   words'), 'two-words')
})

test('mixed', () => {
  assert.strictEqual(slug('a -_- b, c'), 'a-b-c')
})

test('ends', () => {
  assert.strictEqual(slug('--x y!'), 'x-y')
})

test('command line', () => {
  assert.strictEqual(run('!New:  Things!').stdout, 'new-things\n')
})

test('letters', () => {
  assert.strictEqual(slug('Ab1'), 'ab1')
})

test('no string', () => {
  assert.throws(() => slug(5), TypeError)
})

test('words', () => {
  assert.deepStrictEqual(words(' one  two'), ['one', 'two'])
})

test('usage', () => {
  assert.strictEqual(run().status, 2)
})
