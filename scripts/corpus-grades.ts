import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { gradeChange, type Change } from '../engine/grade/grade-change.ts'
import type { Policy } from '../specs/policy.ts'
import { loadTask } from '../engine/task/load-task.ts'
import type { Workshop } from '../engine/workshop.ts'

/** `corpus.json` of a task: what is graded beside base, and what ought to come out. */
const corpusSchema = z.strictObject({
  id: z.string(),
  kind: z.string(),
  licence: z.string().nullable(),
  publishedFix: z.strictObject({
    package: z.string().optional(),
    version: z.string().optional(),
    integrity: z.string().optional(),
    diff: z.string().optional(),
    /** The sentence of the request that the published fix breaks: then it is rightly refuted. */
    breaks: z.string().optional(),
  }),
  attempts: z.array(
    z.looseObject({
      id: z.string(),
      file: z.string(),
      expect: z.enum(['verified', 'refuted']),
      how: z.string(),
    }),
  ),
})
export type CorpusEntry = z.infer<typeof corpusSchema>

/** One graded tree of a corpus task. */
export interface CorpusGrade {
  readonly task: string
  readonly what: string
  readonly expect: 'verified' | 'not-verified'
  readonly got: 'verified' | 'refuted' | 'unverifiable'
  /** Claims that were refuted or unverifiable, or why there is no grade. */
  readonly because: readonly string[]
  readonly ok: boolean
}

export const TASKS = join(import.meta.dirname, '../corpus/tasks')

export function corpusTasks(): readonly string[] {
  return readdirSync(TASKS, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort()
}

export function corpusEntry(task: string): CorpusEntry {
  return corpusSchema.parse(JSON.parse(readFileSync(join(TASKS, task, 'corpus.json'), 'utf8')))
}

/** Everything that a corpus task has to be graded: base, the published fix, another right one, wrong ones. */
export function changesOf(
  task: string,
): readonly { what: string; change: Change; expect: CorpusGrade['expect'] }[] {
  const { publishedFix, attempts } = corpusEntry(task)
  return [
    { what: 'base', change: { base: true }, expect: 'not-verified' },
    {
      what: 'published fix',
      change: fixOf(task, publishedFix),
      expect: publishedFix.breaks === undefined ? 'verified' : 'not-verified',
    },
    ...attempts.map(({ id, file, expect }) => ({
      what: id,
      change: { diff: join(TASKS, task, file) },
      expect: expect === 'verified' ? ('verified' as const) : ('not-verified' as const),
    })),
  ]
}

/**
 * Grades one tree of a corpus task.
 * @param policy fields that replace the task's: a quick run has fewer repeats.
 */
export async function gradeCorpus(
  workshop: Workshop,
  task: string,
  { what, change, expect }: ReturnType<typeof changesOf>[number],
  signal: AbortSignal,
  policy: Partial<Policy> = {},
): Promise<CorpusGrade> {
  const loaded = await loadTask(join(TASKS, task), policy)
  const watch = { note: () => undefined, onTry: () => undefined, signal }
  const { verdict, grade, opened, heldFor, notSealed } = await gradeChange(workshop, loaded, change, watch)
  const because = [
    ...(notSealed ?? []),
    ...(heldFor === undefined ? [] : [`held: ${heldFor}`]),
    ...(opened?.gate.kind === 'refused'
      ? opened.gate.refusals.map(({ path, reason }) => `${path} ${reason}`)
      : []),
    ...(grade?.findings.map(({ kind, detail }) => `${kind}: ${detail}`) ?? []),
    ...(grade?.claims ?? [])
      .filter((claim) => claim.verdict !== 'verified')
      .map((claim) => `${claim.claim} ${claim.verdict}: ${claim.evidence.slice(0, 3).join(', ')}`),
  ]
  const isVerified = verdict === 'verified' && heldFor === undefined
  return { task, what, expect, got: verdict, because, ok: isVerified === (expect === 'verified') }
}

function fixOf(task: string, fix: CorpusEntry['publishedFix']): Change {
  if (fix.diff !== undefined) return { diff: join(TASKS, task, fix.diff) }
  const { package: name, version, integrity } = fix
  if (name === undefined || version === undefined || integrity === undefined) {
    throw new Error(`${task}/corpus.json: publishedFix: expected a diff, or package, version and integrity`)
  }
  return { source: { from: 'npm', package: name, version, integrity } }
}
