import { z } from 'zod'
import type { CheckSet, RowRule } from '../specs/check-set.ts'
import type { Judged, Observed } from '../specs/examiner.ts'
import { Fault } from '../specs/fault.ts'
import type { BoxLimits, RunningBox, Sandbox } from '../specs/sandbox.ts'
import { BoxSession } from './box-session.ts'
import { hosts } from './host-files.ts'
import { readFrames, type Frame } from './pure/frame.ts'
import { nextJudgeRound } from './pure/judge-rounds.ts'
import { filesFor } from './pure/probe-job.ts'

/** Judges compute over small data: every judge box has this much, and more where the task gives its boxes more. */
const LIMITS: BoxLimits = {
  memoryBytes: 512 * 1024 * 1024,
  cpus: 1,
  processes: 64,
  fileSizeBytes: 16 * 1024 * 1024,
  openFiles: 256,
  tmpBytes: 32 * 1024 * 1024,
  diskBytes: 64 * 1024 * 1024,
  inodes: 10_000,
  outputBytes: 8 * 1024 * 1024,
}
const USER = '20000:20000'
const ROOT = '/tmp/run'
/** For one row; loading the module counts for the first. */
const ROW_MS = 20_000
/** A module that was silent about so many rows is not asked about the rest. */
const MAX_SILENT = 3
const REASON_CHARS = 1000

const answerSchema = z.strictObject({
  index: z.number().int().min(0),
  pass: z.boolean(),
  reason: z.string().optional(),
  unanswered: z.literal(true).optional(),
})
type Answer = z.infer<typeof answerSchema>

interface JudgeRequest {
  readonly sandbox: Sandbox
  readonly runId: string
  readonly imageId: string
  /** Of the task's boxes; a judge box has at least its own. */
  readonly limits: BoxLimits
  readonly runtime?: string
  readonly rules: ReadonlyMap<string, RowRule>
  readonly files: CheckSet['files']
  readonly observed: readonly Observed[]
  readonly signal: AbortSignal
}

/**
 * Judges observations by the modules that their rules name, properties among them (D20), in a box that holds no
 * product: one process a module, and a
 * new one after a row at which a process hung or ended. Such a row, and one whose judge threw, is unanswered.
 * @returns one answer for each of `observed`, in its order.
 * @throws Fault `infra/…` when the engine failed or no judge could be started.
 */
export async function judgeInBox(request: JudgeRequest): Promise<readonly Judged[]> {
  const { observed, rules, signal } = request
  const modules = Map.groupBy(observed.keys(), (index) => rules.get(observed[index]?.row ?? '')?.judge)
  const answers = new Map<number, Answer>()
  const unasked = new Set<number>()
  const desk = new JudgeDesk(request)
  try {
    for (const [module, indexes] of modules) {
      if (module === undefined) throw new Fault('bug/no-judge', 'a row without a judge came to the judge box')
      let left: readonly number[] = indexes
      for (let silent = 0; left.length > 0 && silent < MAX_SILENT; silent += 1) {
        for (const [index, answer] of await desk.ask(module, left)) answers.set(index, answer)
        ;({ left } = nextJudgeRound(left, answers))
      }
      for (const index of left) unasked.add(index)
    }
  } finally {
    await desk.close()
  }
  signal.throwIfAborted()
  return observed.map(({ row }, index) => judgement(row, answers.get(index) ?? noAnswer(index, unasked)))
}

function noAnswer(index: number, unasked: ReadonlySet<number>): Answer {
  const reason = unasked.has(index)
    ? `not asked: the judge was silent about ${MAX_SILENT} rows before`
    : 'the judge did not answer in time'
  return { index, pass: false, reason, unanswered: true }
}

function judgement(row: string, answer: Answer): Judged {
  if (answer.unanswered === true) {
    return { row, pass: false, mismatch: cut(answer.reason ?? 'the judge did not answer'), unanswered: true }
  }
  if (answer.pass) return { row, pass: true }
  return { row, pass: false, mismatch: cut(`judge: ${answer.reason ?? 'no reason given'}`) }
}

function cut(reason: string): string {
  return reason.slice(0, REASON_CHARS).toWellFormed()
}

/** A judge box that is replaced when a judge did not come to its end in it. */
class JudgeDesk {
  readonly #request: JudgeRequest
  #box: RunningBox | undefined

  constructor(request: JudgeRequest) {
    this.#request = request
  }

  /** The answers that one process of a judge gives about these rows, one after the other. */
  async ask(module: string, indexes: readonly number[]): Promise<ReadonlyMap<number, Answer>> {
    const { signal } = this.#request
    this.#box ??= await this.#start()
    const options = {
      user: USER,
      root: ROOT,
      files: { node: hosts().judge },
      outputBytes: LIMITS.outputBytes,
    }
    const session = await BoxSession.open(this.#box, options, signal)
    const result = await session.run({
      runtime: 'node',
      timeZone: 'UTC',
      locale: 'C.UTF-8',
      job: jobOf(module, indexes, this.#request),
      timeoutMs: ROW_MS,
      renewed: true,
    })
    if (result.isOpen) await session.close()
    else await this.close()
    const { frames } = readFrames(result.stdout, result.nonces)
    if (!frames.some(({ kind }) => kind === 'hello')) {
      throw new Fault('infra/judge-not-started', `the judge ${module} was never started (${result.end.kind})`)
    }
    return answersOf(frames, new Set(indexes))
  }

  async close(): Promise<void> {
    const box = this.#box
    this.#box = undefined
    await box?.destroy()
  }

  #start(): Promise<RunningBox> {
    const { sandbox, runId, imageId, limits, runtime, signal } = this.#request
    return sandbox.startBox(
      {
        kind: 'judge',
        imageId,
        runId,
        limits: atLeast(LIMITS, limits),
        mounts: [],
        user: USER,
        workdir: '/',
        env: {},
        ...(runtime === undefined ? {} : { runtime }),
      },
      signal,
    )
  }
}

function atLeast(least: BoxLimits, limits: BoxLimits): BoxLimits {
  const keys = Object.keys(least) as (keyof BoxLimits)[]
  return Object.fromEntries(
    keys.map((key) => [key, Math.max(least[key], limits[key])]),
  ) as unknown as BoxLimits
}

function jobOf(module: string, indexes: readonly number[], { rules, observed, files }: JudgeRequest) {
  const rows = indexes.map((index) => {
    const { row, observation } = observed[index] as Observed
    const rule = rules.get(row)
    return { index, row, observation, seed: rule?.seed ?? 0, input: rule?.input }
  })
  const own = [...filesFor(module, 'judges', files)]
  return {
    root: ROOT,
    module,
    files: Object.fromEntries(own.map(([path, bytes]) => [path, Buffer.from(bytes).toString('base64')])),
    rows,
  }
}

/** The first answer for each row that was asked about. */
function answersOf(frames: readonly Frame[], asked: ReadonlySet<number>): ReadonlyMap<number, Answer> {
  const answers = new Map<number, Answer>()
  for (const { from, kind, body } of frames) {
    if (from !== 'host' || kind !== 'judged') continue
    const answer = answerSchema.safeParse(body)
    if (!answer.success || !asked.has(answer.data.index) || answers.has(answer.data.index)) continue
    answers.set(answer.data.index, answer.data)
  }
  return answers
}
