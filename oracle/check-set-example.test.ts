import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { digestOfBytes } from '../specs/digest.ts'
import { sealSchema } from '../specs/seal.ts'
import { verifySeal } from '../specs/verify-seal.ts'
import { readCheckSet } from './read-check-set.ts'

const examples = join(import.meta.dirname, '..', 'specs', 'examples')
const bytes = (file: string) => readFileSync(join(examples, file))
const inside = readdirSync(join(examples, 'set'), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name).slice(join(examples, 'set').length + 1))
const files = new Map<string, Uint8Array>([
  ['checks.json', bytes('check-set.valid.json')],
  ...inside.map((path) => [path, bytes(`set/${path}`)] as const),
])
const request = bytes('request.md').toString('utf8')

describe('the example of a check set in specs/', () => {
  const outcome = readCheckSet(files, { request, validateExpectation: () => [] })

  it('keeps every rule of the format', () => {
    expect(outcome).toMatchObject({ kind: 'read' })
  })
  it('is what the example of a seal seals', () => {
    const seal = sealSchema.parse(JSON.parse(bytes('seal.valid.json').toString('utf8')))
    expect(
      outcome.kind === 'read' && verifySeal(seal, outcome.set, { request: digestOfBytes(request) }),
    ).toEqual([])
  })
})
