import type { Finding, Grade } from '../../specs/grade.ts'
import type { EventBody } from '../../specs/journal.ts'
import type { Seal } from '../../specs/seal.ts'

type EventOf<T extends EventBody['type']> = Extract<EventBody, { type: T }>

const MAX_PATHS = 20

/** What the journal says of a seal. A replay builds it again from the seal and compares. */
export function sealedEvent({ seal, manifest, admission }: Seal): EventOf<'sealed'> {
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

type GradeFacts = Omit<EventOf<'regraded'>, 'type' | 'attempt' | 'tree' | 'grade' | 'cached'>

/** What the journal says of a grade, which is kept beside it. A replay builds it again from the grade and compares. */
export function gradeFacts(grade: Grade): GradeFacts {
  const configuration = (grade.restored ?? []).filter(({ why }) => why === 'configuration')
  const [first] = grade.findings
  const open = grade.claims.find(({ verdict }) => verdict === 'unverifiable')
  return {
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
