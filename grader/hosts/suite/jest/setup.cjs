'use strict'
// Runs in the process of each sealed file, before that loads and after jest has laid out what it compares with.
const { lockAssert, lockMethods } = require('../shared/lock.cjs')

lockAssert()
const known = globalThis[Symbol.for('$$jest-matchers-object')]
if (known !== undefined) lockMethods(known.matchers)
