import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { checkSetSchema } from '../specs/check-set.ts'
import { gradeSchema } from '../specs/grade.ts'
import { sealSchema } from '../specs/seal.ts'
import { validateExpectation } from './pure/validate-pattern.ts'
import { rejudge } from './rejudge.ts'

const read = (name: string): unknown =>
  JSON.parse(readFileSync(join(import.meta.dirname, '..', 'specs', 'examples', `${name}.valid.json`), 'utf8'))

describe('the examples in specs/', () => {
  const document = checkSetSchema.parse(read('check-set'))

  it('hold only expectations that the matcher knows', () => {
    const expectations = document.checks.flatMap((check) =>
      [check, ...(check.cases ?? [])].flatMap(({ expect: one }) => (one === undefined ? [] : [one])),
    )
    expect(expectations.flatMap((one) => validateExpectation(one))).toEqual([])
  })
  it('hold a grade that its own observations add up to', () => {
    const grade = gradeSchema.parse(read('grade'))
    expect(rejudge(grade, sealSchema.parse(read('seal')), { document, files: new Map() }, 2).grade).toEqual(
      grade,
    )
  })
})
