import { resolve } from 'node:path'
import { gradeChange, type Change, type GradedChange } from '../grade/grade-change.ts'
import { printable } from '../pure/printable.ts'
import { loadTask } from '../task/load-task.ts'
import { Fault } from '../../specs/fault.ts'
import { count } from '../view/count.ts'
import { nextStep } from '../view/next-step.ts'
import type { Paint } from '../view/paint.ts'
import { gradeLines } from '../view/report-text.ts'
import { readPatch } from '../workers/patch-worker.ts'
import type { AddCommand } from './add-command.ts'
import { sealWatchOf } from './seal.ts'

interface GradeOptions {
  readonly diff?: string
  readonly tree?: string
  readonly rev?: string
  readonly base?: boolean
  readonly fresh?: boolean
}

/** `assay grade TASK --diff FILE`: a change that exists already. */
export const gradeCommand: AddCommand = (program, action) => {
  program
    .command('grade')
    .argument('<task>', 'a task directory')
    .option('--diff <file>', 'a diff against base')
    .option('--tree <directory>', 'a folder with the changed tree')
    .option('--rev <revision>', 'a revision of the repository that base comes from')
    .option('--base', 'base itself')
    .option('--fresh', 'grades anew, whatever was graded before')
    .description('grades a change that exists already, from whatever source')
    .action(
      action(async (context, [task]) => {
        const asked = context.options as GradeOptions
        const change = changeOf(asked)
        const loaded = await loadTask(task ?? '')
        // Before anything is opened, fetched or built.
        if ('diff' in change) await readPatch(resolve(change.diff))
        const result = await gradeChange(await context.workshop(), loaded, change, sealWatchOf(context), {
          fresh: asked.fresh === true,
        })
        context.print(result, () => gradedText(result, context.brush))
        return result.exitCode
      }),
    )
}

function changeOf({ diff, tree, rev, base }: GradeOptions): Change {
  const given: Change[] = [
    ...(diff === undefined ? [] : [{ diff }]),
    ...(tree === undefined ? [] : [{ tree }]),
    ...(rev === undefined ? [] : [{ rev }]),
    ...(base === true ? [{ base } as const] : []),
  ]
  const [change, second] = given
  if (change === undefined || second !== undefined) {
    throw new Fault('config/usage', 'assay grade: expected exactly one of --diff, --tree, --rev, --base')
  }
  return change
}

function gradedText(result: GradedChange, brush: Paint): string {
  const { grade, opened, seal, verdict, heldFor, notSealed } = result
  const colour = verdict === 'verified' ? 'green' : verdict === 'refuted' ? 'red' : 'yellow'
  const lines = [
    `${brush('bold', result.task)}  ${brush(colour, verdict)}${heldFor === undefined ? '' : `, held: ${heldFor}`}${result.cached ? brush('dim', '  (graded before)') : ''}`,
  ]
  if (seal !== undefined) lines.push(`seal  ${seal.seal.slice(0, 19)}… ${seal.manifest.claims.length} claims`)
  if (opened?.tree !== undefined)
    lines.push(`tree  ${opened.tree.slice(0, 12)}, ${count(opened.changed, 'changed path')}`)
  if (opened?.gate.kind === 'refused') {
    for (const { path, reason, detail } of opened.gate.refusals) {
      lines.push(`  ${brush('red', 'refused')} ${printable(path)} ${reason}: ${printable(detail, 400)}`)
    }
  }
  if (opened !== undefined && opened.dependencies.kind !== 'none') {
    lines.push(
      `  ${brush('yellow', '!')} manifest or lockfile changed: ${printable(opened.dependencies.paths.join(', '), 400)}`,
    )
  }
  if (result.missing !== undefined) {
    lines.push(`missing  ${printable(result.missing, 400)}${nextStep(heldFor)}`)
  }
  for (const reason of notSealed ?? []) lines.push(`  ${printable(reason, 400)}`)
  if (grade !== undefined)
    lines.push(`checks  ${grade.failed} of ${grade.of} failed`, ...gradeLines(grade, brush))
  return lines.join('\n')
}
