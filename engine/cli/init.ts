import { writeTaskFor } from '../task/init-task.ts'
import type { AddCommand } from './add-command.ts'

/** `assay init`: a task for the repository one stands in. */
export const initCommand: AddCommand = (program, action) => {
  program
    .command('init')
    .argument('[id]', 'id of the task; the name of the repository when absent')
    .option('--into <directory>', 'where the task is written', '.assay/tasks')
    .description('writes a task for the repository one stands in')
    .action(
      action(async (context, [id]) => {
        const { into = '.assay/tasks' } = context.options as { into?: string }
        const written = await writeTaskFor({ cwd: process.cwd(), into, ...(id === undefined ? {} : { id }) })
        context.print(written, () =>
          [
            written.directory,
            ...written.files.map((file) => `  ${file}`),
            'Next: write request.md, let somebody who has not seen a fix write checks/, then',
            `  assay seal ${written.directory}`,
            `  assay run ${written.directory}`,
          ].join('\n'),
        )
        return 0
      }),
    )
}
