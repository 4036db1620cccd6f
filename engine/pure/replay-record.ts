import { gradeKey } from '../../grader/grade.ts'
import { rejudge } from '../../grader/rejudge.ts'
import type { CheckSet } from '../../specs/check-set.ts'
import { canonicalJson, digestOf } from '../../specs/digest.ts'
import type { Grade } from '../../specs/grade.ts'
import type { EventBody, JournalLine } from '../../specs/journal.ts'
import type { Seal } from '../../specs/seal.ts'
import { compareGrades } from './compare-grades.ts'
import { gradeFacts, sealedEvent } from './event-facts.ts'
import { replayDecisions, type DecisionReplay, type Divergence } from './replay-decisions.ts'

type EventOf<T extends EventBody['type']> = Extract<EventBody, { type: T }>

/** A run as it was recorded: its journal, and what stands beside it under the digests that the journal names. */
export interface Record {
  readonly lines: readonly JournalLine[]
  readonly sealed: { readonly seal: Seal; readonly checkSet: CheckSet } | undefined
  readonly grades: ReadonlyMap<string, Grade>
}

export interface RecordReplay extends DecisionReplay {
  /** Recorded observations that were judged again. */
  readonly judged: number
}

/**
 * Walks a record once, event by event: decides again before each decision, builds the facts of each outcome again from
 * what it is an outcome of, judges the recorded observations again. The first event that comes out differently is the
 * divergence, whatever kind it is.
 */
export function replayRecord(record: Record): RecordReplay {
  const walk = new RecordWalk(record)
  const replay = replayDecisions(record.lines, (line) => walk.check(line))
  return { ...replay, judged: walk.judged }
}

class RecordWalk {
  readonly #record: Record
  #started: EventOf<'run-started'> | undefined
  #sealed: string | undefined
  readonly #opened = new Map<number, EventOf<'opened'>>()
  #merged: EventOf<'merged'> | undefined
  readonly #told = new Map<number, string>()
  judged = 0

  constructor(record: Record) {
    this.#record = record
  }

  check({ seq, body }: JournalLine): Divergence | undefined {
    switch (body.type) {
      case 'run-started': {
        this.#started = body
        const { task, request, policy } = body
        return (
          differs(seq, 'task', body.taskDigest, digestOf({ task, request })) ??
          differs(seq, 'policy', canonicalJson(policy), canonicalJson(task.policy))
        )
      }
      case 'sealed': {
        this.#sealed = body.seal
        const { sealed } = this.#record
        const again = sealed === undefined ? '(no seal)' : canonicalJson(sealedEvent(sealed.seal))
        return differs(seq, 'sealed', canonicalJson(body), again)
      }
      case 'decided':
        if (body.decision.do === 'feedback') {
          const { attempt, failed, of } = body.decision
          this.#told.set(attempt, `${failed} of ${of}`)
        }
        return undefined
      case 'feedback-given':
        return differs(
          seq,
          'feedback',
          `${body.failed} of ${body.of}`,
          this.#told.get(body.attempt) ?? '(none)',
        )
      case 'opened': {
        this.#opened.set(body.attempt, body)
        const [has, ought] = [body.tree !== undefined, body.gate.kind === 'passed']
        return differs(seq, 'opened', has ? 'a tree' : 'no tree', ought ? 'a tree' : 'no tree')
      }
      case 'merged':
        this.#merged = body
        return undefined
      case 'graded':
        return this.#checkGrade(seq, body, this.#opened.get(body.attempt)?.tree)
      case 'regraded':
        return (
          differs(seq, 'tree', body.tree, this.#merged?.graded ?? '(none merged)') ??
          this.#checkGrade(seq, body, body.tree)
        )
      default:
        return undefined
    }
  }

  /** @param tree that it is a grade of, by the record. */
  #checkGrade(seq: number, body: AnyGraded, tree: string | undefined): Divergence | undefined {
    const { sealed, grades } = this.#record
    const grade = grades.get(body.grade)
    const started = this.#started
    if (grade === undefined || sealed === undefined || started === undefined) {
      return { seq, what: body.type, recorded: 'a grade', replayed: '(no grade, seal or beginning)' }
    }
    const again = rejudge(grade, sealed.seal, sealed.checkSet, started.policy.repeats)
    this.judged += grade.rows.reduce((sum, row) => sum + row.runs.length, 0) - again.asRecorded
    const [difference] = compareGrades(grade, again.grade).differences
    return (
      differs(seq, 'tree', grade.tree, tree ?? '(none opened)') ??
      differs(seq, 'seal', grade.seal, this.#sealed ?? '(none)') ??
      differs(seq, 'image', grade.image, started.images.product.id) ??
      differs(seq, 'runner', grade.runner, started.runner) ??
      differs(seq, 'key', grade.key, gradeKey(grade)) ??
      (difference === undefined ? undefined : { seq, ...difference }) ??
      differs(seq, body.type, canonicalJson(body), canonicalJson(asOldAs(body, withFacts(body, again.grade))))
    )
  }
}

type AnyGraded = EventOf<'graded' | 'regraded'>

/** The event as it is with the facts of this grade. */
function withFacts(body: AnyGraded, grade: Grade): AnyGraded {
  const { attempt, grade: digest, cached } = body
  const of =
    body.type === 'graded' ? { type: body.type, round: body.round } : { type: body.type, tree: body.tree }
  return { ...of, attempt, grade: digest, cached, ...gradeFacts(grade) }
}

/** Records of before the first finding was named do not name it. */
function asOldAs(recorded: AnyGraded, again: AnyGraded): AnyGraded {
  return recorded.firstFinding === undefined ? { ...again, firstFinding: undefined } : again
}

function differs(seq: number, what: string, recorded: string, replayed: string): Divergence | undefined {
  return recorded === replayed ? undefined : { seq, what, recorded, replayed }
}
