import { hostname, userInfo } from 'node:os'
import { Fault } from '../../specs/fault.ts'
import { heldRun, listHeld } from '../run/held.ts'
import { resolveRun, type Answer } from '../run/resolve-run.ts'
import { heldLine, heldText } from '../view/held-text.ts'
import { reportText } from '../view/report-text.ts'
import type { AddCommand } from './add-command.ts'
import { watchOf } from './run.ts'

interface ResolveOptions {
  readonly accept?: boolean
  readonly reject?: boolean
  readonly retry?: boolean
  readonly attempt?: string
  readonly reason?: string
}

/** `assay held`: the runs that wait for a person, and their answers. */
export const heldCommand: AddCommand = (program, action) => {
  const held = program
    .command('held')
    .description('runs that wait for a person: lists, shows and resolves them')
  held
    .command('list', { isDefault: true })
    .description('lists the runs that wait for a person, the oldest first')
    .action(
      action(async (context) => {
        const { state } = await context.workshop()
        const runs = await listHeld(state)
        context.print(runs, () =>
          runs.length === 0 ? 'nothing is held' : runs.map((run) => heldLine(run, context.brush)).join('\n'),
        )
        return 0
      }),
    )
  held
    .command('show')
    .argument('<run>', 'a run id, or the directory of a run')
    .description('why it is held, what would settle it, and the commands to look at it')
    .action(
      action(async (context, [run = '']) => {
        const { state } = await context.workshop()
        const found = await heldRun(state, run)
        if (found === undefined) throw new Fault('config/held', `run ${run}: expected a run that is held`)
        context.print(found, () => heldText(found, context.brush))
        return 0
      }),
    )
  held
    .command('resolve')
    .argument('<run>', 'a run id, or the directory of a run')
    .option('--accept', 'lets what it is held for pass, and goes on')
    .option('--reject', 'ends it as refuted, by a person')
    .option('--retry', 'does again what led to the hold')
    .option('--attempt <n>', 'with --accept: whose output, where verified ones differ')
    .option('--reason <text>', 'why; it is recorded, with who and when')
    .description('answers a hold; the answer is recorded and the run goes on')
    .action(
      action(async (context, [run = '']) => {
        const answer = answerOf(context.options as ResolveOptions)
        const { report, directory } = await resolveRun(
          await context.workshop(),
          run,
          answer,
          watchOf(context),
        )
        context.print({ ...report, directory }, () => reportText(report, context.brush, directory))
        return report.exitCode
      }),
    )
}

function answerOf({ accept, reject, retry, attempt, reason }: ResolveOptions): Answer {
  const given = (['accept', 'reject', 'retry'] as const).filter(
    (how) => ({ accept, reject, retry })[how] === true,
  )
  const [how, second] = given
  if (how === undefined || second !== undefined)
    throw new Fault('config/usage', 'assay held resolve: expected exactly one of --accept, --reject, --retry')
  if (reason === undefined || reason.trim() === '')
    throw new Fault('config/usage', 'assay held resolve: expected --reason TEXT; it is recorded')
  if (attempt !== undefined && !/^[1-9][0-9]{0,2}$/.test(attempt))
    throw new Fault('config/usage', `--attempt: expected a number, not ${attempt}`)
  const by = `${userInfo().username}@${hostname()}`
  return { how, reason, by, ...(attempt === undefined ? {} : { attempt: Number(attempt) }) }
}
