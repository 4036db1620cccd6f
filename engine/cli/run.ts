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
}

/** `assay run TASK`: from a request to a decision. */
export const runCommand: AddCommand = (program, action) => {
  program
    .command('run')
    .argument('[task]', 'a task directory')
    .option('--policy <file>', "replaces the task's policy")
    .option('--resume <run>', 'goes on with a run that was interrupted')
    .option('--drop-torn-line', 'with --resume: goes on without a last line of the journal that was cut off')
    .description('worker and oracle side by side, gate, grading, decision: does everything')
    .action(
      action(async (context, [task]) => {
        const { policy, resume, dropTornLine = false } = context.options as RunOptions
        const watch = watchOf(context)
        if (resume !== undefined) {
          if (task !== undefined || policy !== undefined)
            throw new Fault(
              'config/usage',
              'assay run --resume: expected neither a task nor --policy: the run has both',
            )
          const finished = await resumeRun(await context.workshop(), resume, watch, { dropTornLine })
          return finish(context, finished)
        }
        if (dropTornLine) throw new Fault('config/usage', '--drop-torn-line: expected with --resume only')
        // Read before anything is opened: what is wrong with it leaves nothing behind.
        if (task === undefined) throw new Fault('config/usage', 'assay run: expected a task directory')
        const loaded = await loadTask(task, policy === undefined ? {} : await loadPolicy(policy))
        return finish(context, await runTask(await context.workshop(), loaded, watch))
      }),
    )
}

/** Where a run tells what happens. */
export function watchOf({ view, signal }: CommandContext) {
  return { onEvent: view.event, onOutput: view.output, note: view.note, signal }
}

function finish(context: CommandContext, { report, directory }: FinishedRun): number {
  context.print({ ...report, directory }, () => reportText(report, context.brush, directory))
  return report.exitCode
}
