import { existsSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Command } from 'commander'
import { Fault } from '../../specs/fault.ts'
import type { BatchWatch } from '../batch/batch-task.ts'
import { findTasks, isTask } from '../batch/find-tasks.ts'
import { resumeBatch, runBatch } from '../batch/run-batch.ts'
import type { BatchReport } from '../pure/batch-summary.ts'
import { durationOption } from '../pure/duration-option.ts'
import type { Notify } from '../../specs/policy.ts'
import { batchText, batchView } from '../view/batch-view.ts'
import { loadPolicy, loadTask } from '../task/load-task.ts'
import { resumeRun, runTask } from '../run/run-task.ts'
import { reportText } from '../view/report-text.ts'
import type { AddCommand } from './add-command.ts'
import type { CommandContext } from './context.ts'
import type { FinishedRun } from '../run/run-task.ts'

interface RunOptions {
  readonly policy?: string
  readonly resume?: string | true
  readonly concurrency?: string
  readonly budget?: string
  readonly dropTornLine?: boolean
  readonly attempts?: string
  readonly race?: string
  readonly land?: string
  readonly sign?: string
}

const RACES = ['first', 'best', 'all'] as const

/** `assay run TASK`: from a request to a decision; of several tasks, a batch. */
export const runCommand: AddCommand = (program, action) => {
  withRunOptions(
    program
      .command('run')
      .argument('[tasks...]', 'a task directory; several, a folder or a list of them make a batch'),
  )
    .option('--concurrency <n>', 'of a batch: runs side by side (default: as the host has room)')
    .option('--budget <time>', 'of a batch: begins nothing more after this, e.g. 90m or 6h')
    .option(
      '--resume [id]',
      'goes on with a run or a batch that was interrupted; the last batch when no id is given',
    )
    .option('--drop-torn-line', 'with --resume: goes on without a last line of the journal that was cut off')
    .description('worker and oracle side by side, gate, grading, decision: does everything')
    .action(
      action(async (context, tasks) => {
        const options = context.options as RunOptions
        const { resume, dropTornLine = false, concurrency, budget } = options
        if (resume !== undefined) {
          if (tasks.length > 0 || WITH_A_TASK.some((name) => options[name] !== undefined))
            throw new Fault(
              'config/usage',
              'assay run --resume: expected neither a task nor what it is run with: the run has both',
            )
          if (resume === true || resume.startsWith('batch-')) return resumeTasks(context, resume, options)
          if (budget !== undefined) throw new Fault('config/usage', '--budget: expected with a batch only')
          const finished = await resumeRun(await context.workshop(), resume, watchOf(context), {
            dropTornLine,
          })
          return finish(context, finished)
        }
        if (dropTornLine) throw new Fault('config/usage', '--drop-torn-line: expected with --resume only')
        const [only] = tasks
        const isBatch = tasks.length > 1 || concurrency !== undefined || budget !== undefined
        if (only !== undefined && (isBatch || (await isSeveral(only))))
          return runTasks(context, tasks, options)
        return runOne(context, only, options)
      }),
    )
}

/** A folder or a list of tasks. */
async function isSeveral(path: string): Promise<boolean> {
  if (await isTask(path)) return false
  const found = await stat(path).catch(() => undefined)
  // A folder that holds neither a task nor tasks is best told so by who looks for them.
  return found?.isFile() === true || (found?.isDirectory() === true && !existsSync(join(path, 'request.md')))
}

async function runTasks(
  context: CommandContext,
  tasks: readonly string[],
  options: RunOptions,
): Promise<number> {
  const { land, sign, concurrency } = options
  const paths = await findTasks(tasks)
  const { overrides, notify } = await rulesOf(options)
  if (concurrency !== undefined && !/^(?:[1-9]|[1-5][0-9]|6[0-4])$/.test(concurrency))
    throw new Fault('config/usage', `--concurrency: expected a number from 1 to 64, not ${concurrency}`)
  const batch = {
    overrides,
    ...(concurrency === undefined ? {} : { concurrency: Number(concurrency) }),
    ...(land === undefined ? {} : { land }),
    ...(sign === undefined ? {} : { sign }),
  }
  const workshop = await context.workshop()
  const run = (watch: BatchWatch) => runBatch(workshop, paths, batch, watch)
  return finishBatch(context, await withBatchWatch(context, options, notify, run))
}

async function resumeTasks(
  context: CommandContext,
  resume: string | true,
  options: RunOptions,
): Promise<number> {
  const id = resume === true ? undefined : resume
  const workshop = await context.workshop()
  const run = (watch: BatchWatch) => resumeBatch(workshop, id, watch)
  return finishBatch(context, await withBatchWatch(context, options, undefined, run))
}

/** Lets `use` work with a watch whose drain also comes when the budget is spent. */
async function withBatchWatch(
  { view, brush, signal, drain }: CommandContext,
  { budget }: RunOptions,
  notify: Notify | undefined,
  use: (watch: BatchWatch) => Promise<BatchReport>,
): Promise<BatchReport> {
  const shown = batchView(view, brush, () => performance.now())
  const spent = new AbortController()
  const timer =
    budget === undefined
      ? undefined
      : setTimeout(
          () => spent.abort(new Fault('interrupted/budget', `the budget of ${budget} is spent`)),
          durationOption('--budget', budget),
        )
  try {
    return await use({
      onBegun: shown.begun,
      onEvent: shown.event,
      onEnded: shown.ended,
      note: view.note,
      signal,
      drain: AbortSignal.any([drain(), spent.signal]),
      ...(notify === undefined ? {} : { notify }),
    })
  } finally {
    clearTimeout(timer)
  }
}

function finishBatch(context: CommandContext, report: BatchReport): number {
  context.print(report, () => batchText(report, context.brush))
  return report.exitCode
}

/** `assay race TASK --attempts N`: several attempts at once, under one seal. */
export const raceCommand: AddCommand = (program, action) => {
  withRunOptions(program.command('race').argument('[task]', 'a task directory'))
    .description('several attempts at one task side by side: the first, or the best, that is verified')
    .action(
      action(async (context, [task]) => {
        const options = context.options as RunOptions
        if (options.attempts === undefined)
          throw new Fault('config/usage', 'assay race: expected --attempts N')
        return runOne(context, task, options)
      }),
    )
}

/** Options that a resumed run has from its beginning. */
const WITH_A_TASK = ['policy', 'attempts', 'race', 'land', 'sign', 'concurrency'] as const

function withRunOptions(command: Command): Command {
  return command
    .option('--policy <file>', "replaces the task's policy")
    .option('--attempts <n>', "how many attempts; the task's workers take turns")
    .option('--race <kind>', `${RACES.join(', ')}: replaces the policy's`)
    .option('--land <repo#branch>', 'lands what is verified on a branch of a repository')
    .option('--sign <key>', 'with --land: signs an attestation with this ed25519 key, as a git note')
}

async function runOne(
  context: CommandContext,
  task: string | undefined,
  options: RunOptions,
): Promise<number> {
  // Read before anything is opened: what is wrong with it leaves nothing behind.
  if (task === undefined) throw new Fault('config/usage', 'assay run: expected a task directory')
  const { overrides, notify } = await rulesOf(options)
  const { land, sign } = options
  const loaded = await loadTask(task, overrides)
  const landing = land === undefined ? {} : { landing: { land, ...(sign === undefined ? {} : { sign }) } }
  const run = { ...landing, ...(notify === undefined ? {} : { notify }) }
  return finish(context, await runTask(await context.workshop(), loaded, watchOf(context), run))
}

/** The policy that the options ask for, as far as it replaces a task's, and who is told. */
async function rulesOf({ policy: file, attempts, race, land, sign }: RunOptions) {
  if (sign !== undefined && land === undefined)
    throw new Fault('config/usage', '--sign: expected with --land only')
  const { policy, notify } = file === undefined ? {} : await loadPolicy(file)
  const overrides = {
    ...policy,
    ...(attempts === undefined ? {} : { attempts: countOf(attempts) }),
    ...(race === undefined ? {} : { race: raceOf(race) }),
  }
  return { overrides, notify }
}

function countOf(attempts: string): number {
  if (/^[1-9][0-9]?$/.test(attempts) && Number(attempts) <= 64) return Number(attempts)
  throw new Fault('config/usage', `--attempts: expected a number from 1 to 64, not ${attempts}`)
}

function raceOf(race: string): (typeof RACES)[number] {
  const found = RACES.find((one) => one === race)
  if (found !== undefined) return found
  throw new Fault('config/usage', `--race: expected one of ${RACES.join(', ')}, not ${race}`)
}

/** Where a run tells what happens. */
export function watchOf({ view, signal, drain }: CommandContext) {
  return { onEvent: view.event, onOutput: view.output, note: view.note, signal, drain: drain() }
}

function finish(context: CommandContext, { report, directory }: FinishedRun): number {
  context.print({ ...report, directory }, () => reportText(report, context.brush, directory))
  return report.exitCode
}
