import type { Finding } from '../../specs/grade.ts'

/** One run of one row: what is asked for, and what must come back exactly once. */
export interface RowRunKey {
  readonly row: string
  readonly run: number
}

/** Set equality of the runs that were asked for and those that came back; each difference is a finding (D6). */
export function completeness(
  expected: readonly RowRunKey[],
  received: readonly RowRunKey[],
): readonly Finding[] {
  const wanted = new Set(expected.map(keyOf))
  const counts = new Map<string, number>()
  for (const one of received) counts.set(keyOf(one), (counts.get(keyOf(one)) ?? 0) + 1)
  const missing = expected
    .filter((one) => !counts.has(keyOf(one)))
    .map(({ row, run }): Finding => ({ kind: 'missing-row', row, detail: `run ${run} gave no observation` }))
  const extra = [...new Map(received.map((one) => [keyOf(one), one])).values()].flatMap(
    ({ row, run }): Finding[] => {
      const key = keyOf({ row, run })
      if (!wanted.has(key)) return [{ kind: 'unknown-row', row, detail: `run ${run} was never asked for` }]
      const times = counts.get(key) ?? 0
      return times > 1 ? [{ kind: 'duplicate-row', row, detail: `run ${run} came back ${times} times` }] : []
    },
  )
  return [...missing, ...extra]
}

function keyOf({ row, run }: RowRunKey): string {
  return `${run} ${row}`
}
