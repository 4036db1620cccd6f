import { test } from 'node:test'
import assert from 'node:assert'
import { average, summarise } from '../index.js'

test('empty lines', async () => {
  assert.deepStrictEqual(await summarise(['2 tea', '', '3.5 bread']), { total: 5.5, entries: 2 })
})

test('white space', async () => {
  assert.deepStrictEqual(await summarise(['   ', '4 milk', '\t']), { total: 4, entries: 1 })
})

test('negative first', async () => {
  await assert.rejects(summarise(['-1 refund']), RangeError)
})

test('negative later', async () => {
  await assert.rejects(summarise(['1 a', '-0.5 b']), RangeError)
})

test('two entries', async () => {
  assert.deepStrictEqual(await summarise(['1 a', '2 b']), { total: 3, entries: 2 })
})

test('no amount', async () => {
  await assert.rejects(summarise(['tea']), SyntaxError)
})

test('average', async () => {
  assert.strictEqual(await average(['1 a', '4 b']), 2.5)
})
