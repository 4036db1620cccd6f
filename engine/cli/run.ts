import type { Command } from 'commander'
import { Fault } from '../../specs/fault.ts'
import { loadPolicy, loadTask } from '../task/load-task.ts'
import { resumeRun, runTask } from '../run/run-task.ts'
import { reportText } from '../view/report-text.ts'
import type { AddCommand } from './add-command.ts'
import type { CommandContext } from './context.ts'
import type { FinishedRun } from '../run/run-task.ts'

interface RunOptions {
  readonly policy?: string
  readonly resume?: string
  readonly dropTornLine?: boolean
  readonly attempts?: string
  readonly race?: string
  readonly land?: string
  readonly sign?: string
}

const RACES = ['first', 'best', 'all'] as const

/** `assay run TASK`: from a request to a decision. */
export const runCommand: AddCommand = (program, action) => {
  withRunOptions(program.command('run'))
    .option('--resume <run>', 'goes on with a run that was interrupted')
    .option('--drop-torn-line', 'with --resume: goes on without a last line of the journal that was cut off')
    .description('worker and oracle side by side, gate, grading, decision: does everything')
    .action(
      action(async (context, [task]) => {
        const options = context.options as RunOptions
        const { resume, dropTornLine = false } = options
        if (resume !== undefined) {
          if (task !== undefined || WITH_A_TASK.some((name) => options[name] !== undefined))
            throw new Fault(
              'config/usage',
              'assay run --resume: expected neither a task nor what it is run with: the run has both',
            )
          const finished = await resumeRun(await context.workshop(), resume, watchOf(context), {
            dropTornLine,
          })
          return finish(context, finished)
        }
        if (dropTornLine) throw new Fault('config/usage', '--drop-torn-line: expected with --resume only')
        return runOne(context, task, options)
      }),
    )
}

/** `assay race TASK --attempts N`: several attempts at once, under one seal. */
export const raceCommand: AddCommand = (program, action) => {
  withRunOptions(program.command('race'))
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
const WITH_A_TASK = ['policy', 'attempts', 'race', 'land', 'sign'] as const

function withRunOptions(command: Command): Command {
  return command
    .argument('[task]', 'a task directory')
    .option('--policy <file>', "replaces the task's policy")
    .option('--attempts <n>', "how many attempts; the task's workers take turns")
    .option('--race <kind>', `${RACES.join(', ')}: replaces the policy's`)
    .option('--land <repo#branch>', 'lands what is verified on a branch of a repository')
    .option('--sign <key>', 'with --land: signs an attestation with this ed25519 key, as a git note')
}

async function runOne(
  context: CommandContext,
  task: string | undefined,
  { policy: file, attempts, race, land, sign }: RunOptions,
): Promise<number> {
  // Read before anything is opened: what is wrong with it leaves nothing behind.
  if (task === undefined) throw new Fault('config/usage', 'assay run: expected a task directory')
  if (sign !== undefined && land === undefined)
    throw new Fault('config/usage', '--sign: expected with --land only')
  const { policy, notify } = file === undefined ? {} : await loadPolicy(file)
  const loaded = await loadTask(task, {
    ...policy,
    ...(attempts === undefined ? {} : { attempts: countOf(attempts) }),
    ...(race === undefined ? {} : { race: raceOf(race) }),
  })
  const landing = land === undefined ? {} : { landing: { land, ...(sign === undefined ? {} : { sign }) } }
  const options = { ...landing, ...(notify === undefined ? {} : { notify }) }
  return finish(context, await runTask(await context.workshop(), loaded, watchOf(context), options))
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
