import type { Probe } from '../../specs/check-set.ts'
import type { EncodedValue, Observation } from '../../specs/observation.ts'

/** A product that does next to nothing, as what it would show. A check that it passes says little about a fix. */
export interface TrivialProduct {
  readonly name: string
  readonly observation: Observation
}

const VALUES: readonly (readonly [string, EncodedValue])[] = [
  ['null', null],
  ['undefined', { $t: 'undefined' }],
  ['true', true],
  ['false', false],
  ['0', 0],
  ['""', ''],
  ['[]', []],
  ['{}', {}],
]

/**
 * The trivial products for one probe: every observation replaced by null, true, 0, "", [], {}, an error …, and for a
 * command by an exit that writes nothing at all.
 */
export function trivialProducts(probe: Pick<Probe, 'mechanism' | 'command'>): readonly TrivialProduct[] {
  // A report without a result of a test is never a pass, so a product that does nothing shows nothing here.
  if (probe.mechanism === 'suite') return []
  if (probe.mechanism === 'command') {
    const observed = probe.command?.observe ?? []
    const files = Object.fromEntries(observed.map((path) => [path, { kind: 'absent' as const }]))
    const silent = { stdout: { text: '' }, stderr: { text: '' }, files, steps: [] }
    return [0, 1].map((code) => ({
      name: `exit ${code}, no output`,
      observation: { outcome: 'exited', code, signal: null, ...silent },
    }))
  }
  return [
    ...VALUES.map(([name, value]): TrivialProduct => ({
      name,
      observation: { outcome: 'returned', value, steps: [] },
    })),
    { name: 'an error', observation: { outcome: 'threw', error: TRIVIAL_ERROR, steps: [] } },
  ]
}

const TRIVIAL_ERROR: EncodedValue = { $t: 'error', name: 'Error', message: '', classes: ['Error'] }
