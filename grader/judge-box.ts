import { z } from 'zod'
import type { CheckSet, RowRule } from '../specs/check-set.ts'
import type { Judged, Observed } from '../specs/examiner.ts'
import { Fault } from '../specs/fault.ts'
import type { BoxLimits, RunningBox, Sandbox } from '../specs/sandbox.ts'
import { BoxSession } from './box-session.ts'
import { hosts } from './host-files.ts'
import { readFrames, type Frame } from './pure/frame.ts'
import { filesFor } from './pure/probe-job.ts'

/** Judges compute over small data: what they may use is the same whatever the task. */
const LIMITS: BoxLimits = {
  memoryBytes: 512 * 1024 * 1024,
  cpus: 1,
  processes: 64,
  fileSizeBytes: 16 * 1024 * 1024,
  openFiles: 256,
  tmpBytes: 32 * 1024 * 1024,
  diskBytes: 64 * 1024 * 1024,
  outputBytes: 8 * 1024 * 1024,
}
const USER = '20000:20000'
const ROOT = '/tmp/run'
/** For one judge module over all of its rows. */
const TIMEOUT_MS = 60_000
const REASON_CHARS = 1000

const answerSchema = z.strictObject({
  index: z.number().int().min(0),
  pass: z.boolean(),
  reason: z.string().optional(),
  unanswered: z.literal(true).optional(),
})
type Answer = z.infer<typeof answerSchema>

/**
 * Judges observations by the modules that their rules name, in a box that holds no product: one process a module.
 * A row that a judge does not answer for, by throwing or by taking too long, does not pass.
 * @returns one answer for each of `observed`, in its order.
 * @throws Fault `infra/…` when the engine failed or no judge could be started.
 */
export async function judgeInBox(request: {
  readonly sandbox: Sandbox
  readonly runId: string
  readonly imageId: string
  readonly rules: ReadonlyMap<string, RowRule>
  readonly files: CheckSet['files']
  readonly observed: readonly Observed[]
  readonly signal: AbortSignal
}): Promise<readonly Judged[]> {
  const { observed, rules, signal } = request
  const judged = new Array<Judged | undefined>(observed.length).fill(undefined)
  const modules = Map.groupBy(observed.keys(), (index) => rules.get(observed[index]?.row ?? '')?.judge)
  let box: RunningBox | undefined
  try {
    for (const [module, indexes] of modules) {
      if (module === undefined) throw new Fault('bug/no-judge', 'a row without a judge came to the judge box')
      box ??= await startBox(request)
      const { answers, isReusable } = await judgeModule(box, module, indexes, request)
      for (const index of indexes) {
        const answer = answers.get(index)
        judged[index] = judgement(observed[index]?.row ?? '', answer)
      }
      if (!isReusable) {
        await box.destroy()
        box = undefined
      }
    }
  } finally {
    await box?.destroy()
  }
  signal.throwIfAborted()
  return judged as readonly Judged[]
}

function judgement(row: string, answer: Answer | undefined): Judged {
  if (answer === undefined) {
    return { row, pass: false, mismatch: 'the judge did not answer in time', unanswered: true }
  }
  if (answer.unanswered === true) {
    return { row, pass: false, mismatch: cut(answer.reason ?? 'the judge did not answer'), unanswered: true }
  }
  if (answer.pass) return { row, pass: true }
  return { row, pass: false, mismatch: cut(`judge: ${answer.reason ?? 'no reason given'}`) }
}

function cut(reason: string): string {
  return reason.slice(0, REASON_CHARS).toWellFormed()
}

function startBox(
  request: Pick<Parameters<typeof judgeInBox>[0], 'sandbox' | 'runId' | 'imageId' | 'signal'>,
) {
  const { sandbox, runId, imageId, signal } = request
  const spec = {
    kind: 'judge',
    imageId,
    runId,
    limits: LIMITS,
    mounts: [],
    user: USER,
    workdir: '/',
    env: {},
  } as const
  return sandbox.startBox(spec, signal)
}

async function judgeModule(
  box: RunningBox,
  module: string,
  indexes: readonly number[],
  request: Parameters<typeof judgeInBox>[0],
): Promise<{ readonly answers: ReadonlyMap<number, Answer>; readonly isReusable: boolean }> {
  const { rules, observed, files, signal } = request
  const rows = indexes.map((index) => {
    const { row, observation } = observed[index] as Observed
    const rule = rules.get(row)
    return { index, row, observation, seed: rule?.seed ?? 0, input: rule?.input }
  })
  const own = [...filesFor(module, 'judges', files)]
  const job = {
    root: ROOT,
    module,
    files: Object.fromEntries(own.map(([path, bytes]) => [path, Buffer.from(bytes).toString('base64')])),
    rows,
  }
  const options = { user: USER, root: ROOT, files: { node: hosts().judge }, outputBytes: LIMITS.outputBytes }
  const session = await BoxSession.open(box, options, signal)
  const result = await session.run({
    runtime: 'node',
    timeZone: 'UTC',
    locale: 'C.UTF-8',
    job,
    timeoutMs: TIMEOUT_MS,
  })
  if (result.isOpen) await session.close()
  const { frames } = readFrames(result.stdout, result.nonces)
  if (!frames.some(({ kind }) => kind === 'hello')) {
    throw new Fault('infra/judge-not-started', `the judge ${module} was never started (${result.end.kind})`)
  }
  return { answers: answersOf(frames, new Set(indexes)), isReusable: result.isOpen }
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
