import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { evolve, initialState } from '../state.ts'
import { readChain } from './journal-chain.ts'
import { replayDecisions } from './replay-decisions.ts'

const file = join(import.meta.dirname, '..', '..', 'specs', 'examples', 'journal.valid.jsonl')

describe('the example of a journal in specs/', () => {
  const chain = readChain(readFileSync(file, 'utf8'))

  it('is a whole chain', () => {
    expect(chain.kind === 'broken' ? `line ${chain.line}: ${chain.why}` : chain.kind).toBe('whole')
  })
  it('holds the decisions that decide() makes', () => {
    const decisions = chain.lines.filter(({ body }) => body.type === 'decided').length
    expect(replayDecisions(chain.lines)).toEqual({ decisions, divergence: undefined })
  })
  it('ends with a completed run', () => {
    const end = chain.lines.reduce((state, { body }) => evolve(state, body), initialState).end
    expect(end).toEqual({ outcome: 'completed', attempt: 2 })
  })
})
