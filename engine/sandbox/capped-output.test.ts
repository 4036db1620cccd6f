import { test as property, fc } from '@fast-check/vitest'
import { expect } from 'vitest'
import { CappedOutput } from './capped-output.ts'

property.prop([fc.integer({ min: 0, max: 50 }), fc.array(fc.uint8Array({ maxLength: 30 }))])(
  'what is kept is the beginning, up to the cap; what is called back is what is kept; more is truncated',
  (capBytes, pieces) => {
    const called: Buffer[] = []
    const output = new CappedOutput(capBytes, (_, chunk) => called.push(chunk))
    for (const piece of pieces) output.write('stdout', Buffer.from(piece))
    const whole = Buffer.concat(pieces)
    expect(output.bytes('stdout')).toEqual(whole.subarray(0, capBytes))
    expect(Buffer.concat(called)).toEqual(whole.subarray(0, capBytes))
    expect(output.truncated).toBe(whole.length > capBytes)
    expect(output.bytes('stderr')).toHaveLength(0)
  },
)
