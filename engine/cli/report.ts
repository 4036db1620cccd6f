import { readRun } from '../run/read-run.ts'
import { reportText } from '../view/report-text.ts'
import type { AddCommand } from './add-command.ts'

/** `assay report RUN`: the result of a run, from its record. */
export const reportCommand: AddCommand = (program, action) => {
  program
    .command('report')
    .argument('<run>', 'a run id, or the directory of a run')
    .description('prints the result of a run')
    .action(
      action(async (context, [run]) => {
        const workshop = await context.workshop()
        const { report, directory } = await readRun(workshop.state, run ?? '')
        context.print({ ...report, directory }, () => reportText(report, context.brush, directory))
        return 0
      }),
    )
}
