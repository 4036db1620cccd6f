import { differenceOf } from '../../grader/pure/difference.ts'
import type { ClaimResult, Finding, Grade, RestoredPath, RowResult } from '../../specs/grade.ts'
import { printable } from '../pure/printable.ts'
import type { AttemptReport, Report } from '../pure/report.ts'
import { count } from './count.ts'
import { nextStep } from './next-step.ts'
import type { Paint } from './paint.ts'

const MARKS = { verified: '✓', refuted: '✗', unverifiable: '?' } as const
const COLOURS = { verified: 'green', refuted: 'red', unverifiable: 'yellow' } as const
/** Rows shown per claim; the record has all. */
/** Surroundings are named one by one, and what differs may stand at the end. */
const LINE_LENGTH = 2000
const MAX_ROWS = 1

/** The report of a run as text for a terminal. Everything that came out of a box or a task is escaped. */
export function reportText(report: Report, brush: Paint, record: string): string {
  return [
    ...head(report, brush),
    '',
    ...report.attempts.flatMap((attempt) => [...attemptLines(attempt, brush, record), '']),
    ...landingLines(report.landing),
    ...report.resolved.map(resolvedLine),
    ending(report, brush),
    `record   ${record}`,
  ].join('\n')
}

function head(report: Report, brush: Paint): string[] {
  const { seal } = report
  const lines = [
    `${brush('bold', `assay · ${report.task}`)}  ${printable(report.title, 100)}`,
    `base     ${printable(report.base)} (tree ${report.baseTree.slice(0, 12)}), image ${report.image}`,
  ]
  const { notSealed } = report
  if (notSealed !== undefined) {
    const gap = `gap: ${notSealed.gap}`
    const reasons = notSealed.reasons.map((reason) => `         - ${printable(reason, 1000)}`)
    const which = seal === undefined ? 'none' : `${seal.seal.slice(0, 19)}…, which cannot be used`
    return [...lines, `seal     ${which} (${gap})`, ...reasons]
  }
  if (seal === undefined) return [...lines, 'seal     none']
  const trials =
    seal.wrongTrials.of === 0
      ? ''
      : `, ${seal.wrongTrials.refused} of ${seal.wrongTrials.of} wrong trials refused`
  lines.push(
    `seal     ${seal.seal.slice(0, 19)}… by ${printable(seal.author, 60)}: ${seal.claims} claims, ${seal.valid} valid rows` +
      `${seal.void.length === 0 ? '' : `, ${seal.void.length} void`}${seal.guessable.length === 0 ? '' : `, ${seal.guessable.length} guessable`}${trials}`,
  )
  return [...lines, ...seal.flags.map((flag) => `         ${brush('yellow', '!')} ${printable(flag)}`)]
}

function attemptLines(attempt: AttemptReport, brush: Paint, record: string): string[] {
  const { grade, worked } = attempt
  const score = grade === undefined ? '' : `  ${grade.failed} of ${grade.of} checks failed`
  const title = `attempt ${attempt.attempt}  ${printable(attempt.label, 60)}`
  return [
    `${brush('bold', title)}  ${brush(colourOf(attempt.state), attempt.state)}${score}` +
      `${attempt.rounds > 1 ? `, round ${attempt.rounds}` : ''}${attempt.tree === undefined ? '' : brush('dim', `  tree ${attempt.tree.slice(0, 12)}`)}`,
    ...(attempt.why === undefined ? [] : [`  ${printable(attempt.why, 400)}`]),
    ...(worked === undefined
      ? []
      : [brush('dim', `  its last round: ${worked.end}, output in ${blobFile(record, worked.log)}`)]),
    ...attempt.notes.map((note) => `  ${brush('yellow', '!')} ${printable(note, 400)}`),
    ...(grade === undefined ? [] : gradeLines(grade, brush)),
  ]
}

function blobFile(record: string, digest: string): string {
  return `${record}/blobs/${digest.replace(':', '-')}`
}

/** The claims of a grade with their evidence. */
export function gradeLines(grade: Grade, brush: Paint): string[] {
  const rows = new Map(grade.rows.map((row) => [row.row, row]))
  return [
    ...findingLines(grade.findings, brush),
    ...restoredLines(grade.restored ?? [], brush),
    ...grade.claims.flatMap((claim) => claimLines(claim, rows, brush)),
  ]
}

/** One line for each kind of finding: how often, in how many rows, and the first. The record has all. */
function findingLines(findings: readonly Finding[], brush: Paint): string[] {
  return [...Map.groupBy(findings, ({ kind }) => kind)].map(([kind, some]) => {
    const rows = new Set(some.map(({ row }) => row).filter((row) => row !== undefined))
    const [first] = some
    const times = some.length === 1 ? '' : ` ${some.length} times in ${rows.size} rows, first`
    const where = first?.row === undefined ? '' : ` in ${printable(first.row)}`
    return `  ${brush('red', '! tampering')} ${kind}${times}${where}: ${printable(first?.detail ?? '', 200)}`
  })
}

/** What stood otherwise where tests ran: the paths that configure a runner, and how many others. */
function restoredLines(restored: readonly RestoredPath[], brush: Paint): string[] {
  const of = Map.groupBy(restored, ({ why }) => (why === 'configuration' ? why : 'tests'))
  const configuration = (of.get('configuration') ?? []).map(({ path }) => path).join(', ')
  const tests = (of.get('tests') ?? []).map(({ path }) => path).join(', ')
  return [
    ...(configuration === ''
      ? []
      : [`  ${brush('yellow', '!')} tests ran with base's: ${printable(configuration, 400)}`]),
    ...(tests === '' ? [] : [brush('dim', `  tests ran without the output's: ${printable(tests, 400)}`)]),
  ]
}

function claimLines(claim: ClaimResult, rows: ReadonlyMap<string, RowResult>, brush: Paint): string[] {
  const mark = brush(COLOURS[claim.verdict], `${MARKS[claim.verdict]} ${claim.verdict.padEnd(12)}`)
  const evidence = claim.evidence.map((id) => rows.get(id)).filter((row) => row !== undefined)
  const head = `  ${mark} ${printable(claim.statement, 110)}`
  const weaker = claim.strength === 'in_process' ? ', in the process of the product' : ''
  if (claim.verdict === 'verified') return [`${head}  ${brush('dim', passedText(evidence) + weaker)}`]
  const missing =
    claim.missing === undefined ? [] : [`      missing: ${printable(claim.missing, LINE_LENGTH)}`]
  const failed = evidence.filter(({ result }) => result !== 'pass')
  const shown = failed.slice(0, MAX_ROWS).map((row) => mismatchLine(row, brush))
  const rest = failed.length - MAX_ROWS
  const more = rest > 0 ? [brush('dim', `      … and ${rest} more`)] : []
  return [head, ...missing, ...shown, ...more]
}

/** `8 rows failed on base and pass here, 2 hold on both`. */
function passedText(rows: readonly RowResult[]): string {
  const guards = rows.filter(({ role }) => role === 'guard').length
  const others = rows.length - guards
  const parts = [
    ...(others === 0
      ? []
      : [`${count(others, 'row')} failed on base and ${others === 1 ? 'passes' : 'pass'} here`]),
    ...(guards === 0 ? [] : [`${count(guards, 'row')} ${guards === 1 ? 'holds' : 'hold'} on both`]),
  ]
  return parts.join(', ')
}

function mismatchLine({ row, runs }: RowResult, brush: Paint): string {
  const difference = differenceOf({ runs })
  if (difference !== undefined)
    return `      ${brush('cyan', printable(row))} ${printable(difference, LINE_LENGTH)}`
  const passed = runs.filter(({ pass }) => pass).length
  const mismatch = runs.find(({ pass }) => !pass)?.mismatch ?? 'no observation came back'
  const times = passed === 0 ? '' : brush('dim', ` (${passed} of ${runs.length} runs pass)`)
  return `      ${brush('cyan', printable(row))} ${printable(mismatch, 180)}${times}`
}

function landingLines(landing: Report['landing']): string[] {
  if (landing === undefined) return []
  const { repository, branch, commit, tip, moves } = landing
  const what =
    commit !== undefined
      ? `commit ${commit}`
      : tip === undefined
        ? 'not begun'
        : `nothing, on ${tip.slice(0, 12)}`
  const moved = moves === 0 ? '' : `, moved ${count(moves, 'time')} meanwhile`
  return [`landed   ${what} on ${printable(branch, 100)} of ${printable(repository, 200)}${moved}`]
}

function resolvedLine({ how, cause, reason, by, at }: Report['resolved'][number]): string {
  return `person   ${how} of ${cause} by ${printable(by, 100)} at ${at}: ${printable(reason, 400)}`
}

function ending({ outcome, verdict, exitCode }: Report, brush: Paint): string {
  const word = brush('bold', verdict)
  if (outcome === undefined) return `verdict  ${word}: interrupted, exit ${exitCode}`
  if (outcome.outcome === 'completed') {
    const { accepted, attempt } = outcome
    const colour = verdict === 'verified' ? 'green' : 'yellow'
    const leave = accepted === undefined ? '' : `, with ${accepted.join(', ')} accepted by a person`
    return `verdict  ${brush(colour, word)}: attempt ${attempt} completes the task${leave}, exit ${exitCode}`
  }
  if (outcome.outcome === 'refuted') {
    const why = outcome.by === 'person' ? 'a person rejected it' : 'no attempt did what was asked'
    return `verdict  ${brush('red', word)}: ${why}, exit ${exitCode}`
  }
  const { cause, gap, missing, attempt } = outcome.decision
  const who = attempt === undefined ? '' : ` (attempt ${attempt})`
  return `verdict  ${brush('yellow', word)}: held for a person${who}: ${cause}${gap === undefined ? '' : `, gap: ${gap}`}; missing: ${printable(missing, 300)}${nextStep(cause)}; exit ${exitCode}`
}

function colourOf(state: string): 'green' | 'red' | 'yellow' {
  if (state === 'verified') return 'green'
  return state === 'refuted' || state === 'refused' || state === 'tampered' ? 'red' : 'yellow'
}
