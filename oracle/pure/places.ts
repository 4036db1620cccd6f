import type { CheckSetDocument } from '../../specs/check-set.ts'
import { rowId } from '../../specs/expand.ts'
import { pathText } from './problem.ts'

/** Where each row stands in checks.json, with its id: `checks[3].cases[1] (parse#empty)`. */
export function placesOfRows(document: Pick<CheckSetDocument, 'checks'>): ReadonlyMap<string, string> {
  return new Map(
    document.checks.flatMap((check, index) =>
      (check.cases ?? [undefined]).map((row, caseIndex) => {
        const id = rowId(check.id, row?.id)
        const path = ['checks', index, ...(row === undefined ? [] : ['cases', caseIndex])]
        return [id, `${pathText(path)} (${id})`] as const
      }),
    ),
  )
}
