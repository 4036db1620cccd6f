import { countTrials } from '../../oracle/pure/decide-admission.ts'
import type { Observations } from '../../specs/examiner.ts'
import type { Seal, TrialResult } from '../../specs/seal.ts'
import { withExaminer } from '../grade/open-examiner.ts'
import { printable } from '../pure/printable.ts'
import { exploreBase } from '../seal/explore-base.ts'
import { obtainSeal, type ObtainedSeal, type SealWatch } from '../seal/obtain-seal.ts'
import { loadTask } from '../task/load-task.ts'
import { prepareTask } from '../task/prepare-task.ts'
import { count } from '../view/count.ts'
import type { Paint } from '../view/paint.ts'
import type { AddCommand } from './add-command.ts'
import type { CommandContext } from './context.ts'

/** `assay seal TASK`: makes and admits the check set alone. */
export const sealCommand: AddCommand = (program, action) => {
  program
    .command('seal')
    .argument('<task>', 'a task directory')
    .option('--explore', 'only shows what base does in each row; nothing is judged or sealed')
    .option('--fresh', 'asks the oracle anew even if there is a seal')
    .description('makes and admits the check set alone; says what is wrong with it')
    .action(
      action(async (context, [task]) => {
        const { fresh = false, explore = false } = context.options as { fresh?: boolean; explore?: boolean }
        const loaded = await loadTask(task ?? '')
        const workshop = await context.workshop()
        const prepared = await prepareTask(loaded, workshop, context.view.note, context.signal)
        return withExaminer(prepared, workshop, async (examiner, run) => {
          if (explore) {
            const seen = await exploreBase(prepared, examiner, context.signal)
            context.print(seen, () => exploredText(seen))
            return 0
          }
          const watch = sealWatchOf(context)
          const outcome = await obtainSeal(run, prepared, examiner, workshop, watch, { reuse: !fresh })
          const document =
            outcome.kind === 'sealed'
              ? { kind: outcome.kind, reused: outcome.reused, ...outcome.seal }
              : { kind: outcome.kind, reasons: outcome.reasons }
          context.print(document, () => outcomeText(outcome, context.brush))
          return outcome.kind === 'sealed' ? 0 : 3
        })
      }),
    )
}

/** Tells the user about each try of the oracle. */
export function sealWatchOf({ view, signal }: CommandContext): SealWatch {
  return {
    note: view.note,
    signal,
    onTry: ({ try: number, outcome, reasons }) => {
      view.note(
        `oracle: try ${number}: ${outcome}${reasons.length === 0 ? '' : `, ${reasons.length} reasons`}`,
      )
    },
  }
}

function exploredText({ observed, findings }: Observations): string {
  return [
    ...observed.map(
      ({ row, observation }) => `${printable(row)}\n  ${printable(JSON.stringify(observation), 2000)}`,
    ),
    ...findings.map(({ kind, row, detail }) => `${kind} ${printable(row ?? '')}: ${printable(detail)}`),
  ].join('\n')
}

function outcomeText(outcome: ObtainedSeal, brush: Paint): string {
  if (outcome.kind === 'not-admitted') {
    return [
      brush('red', 'not admitted'),
      ...outcome.reasons.map((reason) => `  ${printable(reason, 1000)}`),
    ].join('\n')
  }
  return sealText(outcome.seal, outcome.reused, brush)
}

/** `trial only-one  refuted as it ought to be: 3 rows, first digits#two`. */
function trialText({ id, expect, got, failed }: TrialResult, brush: Paint): string {
  const asExpected =
    got === expect ? brush('green', 'as it ought to be') : brush('red', `ought to be ${expect}`)
  const [first] = failed
  const rows = first === undefined ? '' : `: ${count(failed.length, 'row')}, first ${printable(first)}`
  return `  trial ${printable(id).padEnd(24)} ${got} ${asExpected}${rows}`
}

function sealText({ seal, manifest, admission }: Seal, reused: boolean, brush: Paint): string {
  const valid = manifest.rows.filter(({ state }) => state === 'valid')
  const roles = Map.groupBy(valid, ({ role }) => role)
  const { wrong, wrongRefuted } = countTrials(admission.trials)
  return [
    `${brush('green', 'sealed')} ${seal}${reused ? ' (made before)' : ''}`,
    `  ${manifest.claims.length} claims; ${[...roles].map(([role, rows]) => `${rows.length} ${role}`).join(', ')}`,
    `  ${wrongRefuted} of ${wrong} wrong trials refused`,
    ...admission.trials.map((trial) => trialText(trial, brush)),
    ...admission.flags.map((flag) => `  ${brush('yellow', '!')} ${printable(flag, 400)}`),
    ...manifest.rows
      .filter(({ state }) => state === 'void')
      .map(
        ({ row, reason, detail }) => `  void ${printable(row)}: ${printable(detail ?? reason ?? '', 600)}`,
      ),
    ...manifest.rows.filter(({ guessable }) => guessable).map(({ row }) => `  guessable ${printable(row)}`),
  ].join('\n')
}
