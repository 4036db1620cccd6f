import { printable } from '../pure/printable.ts'
import type { HeldRun } from '../run/held.ts'
import type { Paint } from './paint.ts'

/** One line of a list of held runs. */
export function heldLine({ run, task, cause, missing, at }: HeldRun, brush: Paint): string {
  return `${run}  ${at}  ${printable(task)}  ${brush('yellow', cause)}  missing: ${printable(missing, 160)}`
}

/** Why a run is held and what can be done about it, as text for a terminal. */
export function heldText(held: HeldRun, brush: Paint): string {
  const { run, task, title, cause, gap, missing, attempt, choices, claims, commands } = held
  const whose = attempt === undefined ? '' : ` (attempt ${attempt})`
  return [
    `${brush('bold', `assay · ${printable(task)}`)}  ${printable(title, 100)}`,
    `run      ${run}`,
    `held     ${brush('yellow', cause)}${whose}${gap === undefined ? '' : `, gap: ${gap}`}`,
    `settled  by ${printable(missing, 2000)}`,
    ...(choices === undefined ? [] : [`choose   one of attempts ${choices.join(', ')}`]),
    ...claims.flatMap(({ statement, spec_ref, verdict, missing: lacks }) => [
      `claim    ${verdict}: ${printable(statement, 300)}`,
      `         from “${printable(spec_ref, 300)}”`,
      ...(lacks === undefined ? [] : [`         missing: ${printable(lacks, 600)}`]),
    ]),
    'next',
    ...commands.map((command) => `         ${printable(command, 500)}`),
  ].join('\n')
}
