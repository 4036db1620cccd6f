'use strict'
const { test } = require('node:test')
const assert = require('node:assert')
const { words } = require('..')

test('words of a sentence', () => {
  assert.deepEqual(words('two  words'), ['two', 'words'])
})
