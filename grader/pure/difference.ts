import type { RowResult, RowRun } from '../../specs/grade.ts'
import { describeSurroundings, differingDimensions, type Varied } from '../../specs/surroundings.ts'
import { describe } from './match.ts'

const SEEN_CHARS = 200

/**
 * Where a row passes and where it fails, with what was seen in each: `passes with TZ=UTC (returned 1), fails with
 * TZ=Asia/Kolkata (value: expected 1, observed 2)`.
 * @returns undefined when it is not the surroundings: it passed and failed in the same ones, or in one of them only.
 */
export function differenceOf({ runs }: Pick<RowResult, 'runs'>): string | undefined {
  const passed = runs.find(({ pass }) => pass)
  const failed = runs.find(({ pass }) => !pass)
  if (passed === undefined || failed === undefined) return undefined
  const [here, there] = [passed.surroundings ?? {}, failed.surroundings ?? {}]
  const only = differingDimensions(here, there)
  if (only.length === 0 || isMixed(runs)) return undefined
  const where = (varied: Varied) => describeSurroundings(varied, only)
  return (
    `passes with ${where(here)} (${cut(describe(passed.observation))}), ` +
    `fails with ${where(there)} (${cut(failed.mismatch ?? describe(failed.observation))})`
  )
}

/** Whether some surroundings saw it pass and fail. */
function isMixed(runs: readonly RowRun[]): boolean {
  return runs.some((a) =>
    runs.some(
      (b) =>
        a.pass !== b.pass && differingDimensions(a.surroundings ?? {}, b.surroundings ?? {}).length === 0,
    ),
  )
}

function cut(text: string): string {
  return text.length <= SEEN_CHARS ? text : `${text.slice(0, SEEN_CHARS).toWellFormed()}…`
}
