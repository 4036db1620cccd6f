import { Fault } from '../../specs/fault.ts'
import {
  replayFixtureDecisions,
  replayFixtureGrades,
  type ReplayResult,
  type ReplayWatch,
} from '../fixture/replay.ts'
import { printable } from '../pure/printable.ts'
import type { Paint } from '../view/paint.ts'
import type { AddCommand } from './add-command.ts'
import type { CommandContext } from './context.ts'

/** `assay replay FIXTURE`: the same decisions, or the same grades, on any machine. */
export const replayCommand: AddCommand = (program, action) => {
  program
    .command('replay')
    .argument('<fixture>', 'a directory made by assay fixture pack')
    .option('--level <level>', 'decisions (needs no engine) or grades', 'decisions')
    .option(
      '--build-image',
      "at level grades, build the image from the fixture's own Dockerfile, which you have read",
    )
    .description('replays a recorded run and prints the first event that comes out differently')
    .action(
      action(async (context, [fixture]) => {
        const result = await replayAt(context, fixture ?? '')
        const { recorded, ...document } = result
        context.print({ ...document, verdict: recorded.report.verdict }, () =>
          replayText(result, context.brush),
        )
        return result.divergence === undefined ? 0 : 1
      }),
    )
}

async function replayAt(context: CommandContext, fixture: string): Promise<ReplayResult> {
  const { level, buildImage = false } = context.options as { level?: string; buildImage?: boolean }
  if (level === 'decisions') return replayFixtureDecisions(fixture)
  if (level === 'grades')
    return replayFixtureGrades(fixture, await context.workshop(), replayWatchOf(context, buildImage))
  throw new Fault('config/usage', `--level ${String(level)}: expected decisions or grades`)
}

/** Shows each tree as it is graded again. */
export function replayWatchOf({ view, signal, brush }: CommandContext, mayBuildImage: boolean): ReplayWatch {
  return {
    note: view.note,
    signal,
    mayBuildImage,
    onGraded: (attempt, verdict, failed, of, same) => {
      const agrees = same ? brush('green', 'as recorded') : brush('red', 'not as recorded')
      view.note(`attempt ${attempt}: ${verdict}, ${failed} of ${of} checks failed, ${agrees}`)
    },
  }
}

/** What a replay found, in a few lines. */
export function replayText(result: ReplayResult, brush: Paint): string {
  const { divergence, level, run, events, decisions, judged, graded, otherObservations } = result
  const lines = [
    `replay of run ${run} at level ${level}`,
    `  ${events} events, ${decisions} decisions, ${judged} observations judged again, ${graded} trees graded again`,
  ]
  if (otherObservations.length > 0) {
    lines.push(
      `  ${otherObservations.length} rows with the same result but another observation: ${printable(otherObservations.slice(0, 5).join('; '), 300)}`,
    )
  }
  if (divergence === undefined) return [...lines, `  ${brush('green', 'the same')}`].join('\n')
  return [
    ...lines,
    `  ${brush('red', 'different')} at event ${divergence.seq}: ${printable(divergence.what)}`,
    `    recorded ${printable(divergence.recorded, 500)}`,
    `    replayed ${printable(divergence.replayed, 500)}`,
  ].join('\n')
}
