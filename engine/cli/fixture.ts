import { packFixture } from '../fixture/pack-fixture.ts'
import type { AddCommand } from './add-command.ts'

/** `assay fixture pack RUN --to DIRECTORY`. */
export const fixtureCommand: AddCommand = (program, action) => {
  program
    .command('fixture')
    .description('recorded runs that can be moved')
    .command('pack')
    .argument('<run>', 'a finished run')
    .requiredOption('--to <directory>', 'where the fixture goes; must not exist')
    .option('--provenance <text>', 'who made what is in it', 'recorded by assay')
    .description('packs a finished run')
    .action(
      action(async (context, [run]) => {
        const { to, provenance } = context.options as unknown as { to: string; provenance: string }
        const directory = await packFixture(await context.workshop(), run ?? '', {
          to,
          provenance,
          note: context.view.note,
          signal: context.signal,
        })
        context.print({ directory }, () => directory)
        return 0
      }),
    )
}
