import { loadPolicy, loadTask } from '../task/load-task.ts'
import { resumeRun, runTask } from '../run/run-task.ts'
import { reportText } from '../view/report-text.ts'
import type { AddCommand } from './add-command.ts'
import type { CommandContext } from './context.ts'
import type { FinishedRun } from '../run/run-task.ts'

interface RunOptions {
  readonly policy?: string
  readonly resume?: string
}

/** `assay run TASK`: from a request to a decision. */
export const runCommand: AddCommand = (program, action) => {
  program
    .command('run')
    .argument('[task]', 'a task directory')
    .option('--policy <file>', "replaces the task's policy")
    .option('--resume <run>', 'goes on with a run that was interrupted')
    .description('worker and oracle side by side, gate, grading, decision: does everything')
    .action(
      action(async (context, [task]) => {
        const workshop = await context.workshop()
        const { policy, resume } = context.options as RunOptions
        const watch = watchOf(context)
        if (resume !== undefined) return finish(context, await resumeRun(workshop, resume, watch))
        const loaded = await loadTask(task ?? '.', policy === undefined ? {} : await loadPolicy(policy))
        return finish(context, await runTask(workshop, loaded, watch))
      }),
    )
}

/** Where a run tells what happens. */
export function watchOf({ view, signal }: CommandContext) {
  return { onEvent: view.event, note: view.note, signal }
}

function finish(context: CommandContext, { report, directory }: FinishedRun): number {
  context.print({ ...report, directory }, () => reportText(report, context.brush, directory))
  return report.exitCode
}
