import type { Finding, Grade } from '../../specs/grade.ts'
import type { EventBody } from '../../specs/journal.ts'
import type { Seal } from '../../specs/seal.ts'

type SealedEvent = Extract<EventBody, { type: 'sealed' }>
type GradedEvent = Extract<EventBody, { type: 'graded' }>

const MAX_PATHS = 20

/** What the journal says of a seal. A replay builds it again from the seal and compares. */
export function sealedEvent({ seal, manifest, admission }: Seal): SealedEvent {
  const valid = manifest.rows.filter(({ state }) => state === 'valid')
  const deciding = valid.filter(({ role }) => role === 'behaviour' || role === 'guard')
  const landing = deciding.filter(({ split }) => split === 'landing').length
  return {
    type: 'sealed',
    seal,
    claims: manifest.claims.length,
    rows: valid.length,
    hasGuard: valid.some(({ role }) => role === 'guard'),
    ...(landing === 0 ? {} : { landing }),
    flags: [...admission.flags],
  }
}

/**
 * What the journal says of a grade, which is kept beside it. A replay builds it again from the grade and compares.
 * @param about where it belongs, the digest that the grade is kept under, and whether it was there before.
 */
export function gradedEvent(
  grade: Grade,
  about: Pick<GradedEvent, 'attempt' | 'round' | 'grade' | 'cached'>,
): GradedEvent {
  const configuration = (grade.restored ?? []).filter(({ why }) => why === 'configuration')
  const [first] = grade.findings
  const open = grade.claims.find(({ verdict }) => verdict === 'unverifiable')
  return {
    type: 'graded',
    ...about,
    verdict: grade.verdict,
    findings: grade.findings.length,
    ...(first === undefined ? {} : { firstFinding: findingText(first) }),
    failed: grade.failed,
    of: grade.of,
    strength: grade.claims.some(({ strength }) => strength === 'in_process') ? 'in_process' : 'isolated',
    ...(configuration.length === 0
      ? {}
      : { configuration: configuration.slice(0, MAX_PATHS).map(({ path }) => path) }),
    ...(open?.gap === undefined ? {} : { gap: open.gap }),
    ...(open?.missing === undefined ? {} : { missing: open.missing }),
  }
}

function findingText({ kind, row }: Finding): string {
  return row === undefined ? kind : `${kind} in ${row}`
}
