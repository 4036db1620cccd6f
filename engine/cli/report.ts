import { printable } from '../pure/printable.ts'
import { listRuns, type ListedRun } from '../run/list-runs.ts'
import { readRun } from '../run/read-run.ts'
import { reportText } from '../view/report-text.ts'
import type { AddCommand } from './add-command.ts'

/** `assay report RUN`: the result of a run, from its record. */
export const reportCommand: AddCommand = (program, action) => {
  program
    .command('report')
    .argument('[run]', 'a run id, or the directory of a run; all runs are listed when absent')
    .description('prints the result of a run, or lists the runs')
    .action(
      action(async (context, [run]) => {
        const workshop = await context.workshop()
        if (run === undefined) {
          const runs = await listRuns(workshop.state)
          context.print(runs, () =>
            runs.length === 0 ? `no runs in ${workshop.state.runs}` : runs.map(listLine).join('\n'),
          )
          return 0
        }
        const { report, directory } = await readRun(workshop.state, run)
        context.print({ ...report, directory }, () => reportText(report, context.brush, directory))
        return 0
      }),
    )
}

function listLine({ run, task, verdict, at }: ListedRun): string {
  return `${run}  ${verdict.padEnd(12)}  ${at.padEnd(24)}  ${printable(task)}`.trimEnd()
}
