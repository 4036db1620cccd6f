// Runs in the process of each sealed file, before that loads.
import { createRequire } from 'node:module'
import { chai } from 'vitest'

const { lockAssert, lockMethods } = createRequire(import.meta.url)('../shared/lock.cjs')
lockAssert()
lockMethods(chai.Assertion.prototype)
