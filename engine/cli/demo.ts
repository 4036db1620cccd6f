import { join } from 'node:path'
import { replayFixtureGrades } from '../fixture/replay.ts'
import { reportText } from '../view/report-text.ts'
import type { AddCommand } from './add-command.ts'
import { replayText, replayWatchOf } from './replay.ts'

/** Three attempts at one task: a right one, one that only satisfies the example, one that tries to cheat. */
const DEMO_FIXTURE = join(import.meta.dirname, '../../corpus/fixtures/demo')

/** `assay demo`: replays a recorded run at level grades, live, then shows its verdicts with their evidence. */
export const demoCommand: AddCommand = (program, action) => {
  program
    .command('demo')
    .argument('[fixture]', 'another fixture than the one that comes with the source')
    .description('replays three recorded attempts in containers and prints verdicts with their evidence')
    .action(
      action(async (context, [fixture = DEMO_FIXTURE]) => {
        const result = await replayFixtureGrades(
          fixture,
          await context.workshop(),
          replayWatchOf(context, false),
        )
        const { report, directory } = result.recorded
        context.print({ ...report, divergence: result.divergence ?? null }, () =>
          [reportText(report, context.brush, directory), '', replayText(result, context.brush)].join('\n'),
        )
        return result.divergence === undefined ? 0 : 1
      }),
    )
}
