import { resolve } from 'node:path'
import { readKey } from '../landing/attestation.ts'
import { verifyCommit } from '../landing/verify-commit.ts'
import { printable } from '../pure/printable.ts'
import { listRuns, type ListedRun } from '../run/list-runs.ts'
import { readRun } from '../run/read-run.ts'
import { reportText } from '../view/report-text.ts'
import type { AddCommand } from './add-command.ts'
import type { CommandContext } from './context.ts'

/** `assay report RUN`: the result of a run, from its record. */
export const reportCommand: AddCommand = (program, action) => {
  program
    .command('report')
    .argument('[run]', 'a run id, or the directory of a run; all runs are listed when absent')
    .option('--verify <commit>', 'checks a commit that landed against its attestation and its repository')
    .option('--repository <folder>', 'with --verify: the repository', '.')
    .option('--key <file>', 'with --verify: the public ed25519 key that has to have signed')
    .description('prints the result of a run, lists the runs, or checks a commit that landed')
    .action(
      action(async (context, [run]) => {
        const options = context.options as ReportOptions
        if (options.verify !== undefined) return verify(context, options.verify, options)
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

interface ReportOptions {
  readonly verify?: string
  readonly repository?: string
  readonly key?: string
}

/** Exit code 0 when all is as it says, else 1. */
async function verify(
  { print, brush, signal }: CommandContext,
  commit: string,
  { repository = '.', key }: ReportOptions,
): Promise<number> {
  const publicKey = key === undefined ? undefined : await readKey(resolve(key), 'public')
  const verified = await verifyCommit(resolve(repository), commit, publicKey, process.env, signal)
  const ok = verified.checks.every((check) => check.ok)
  print({ ...verified, ok }, () =>
    [
      ...verified.checks.map((check) => {
        const mark = check.ok ? brush('green', '✓') : brush('red', '✗')
        return `${mark} ${check.what.padEnd(10)} ${printable(check.detail, 400)}`
      }),
      `commit ${verified.commit}: ${ok ? brush('green', 'as it says') : brush('red', 'NOT as it says')}`,
    ].join('\n'),
  )
  return ok ? 0 : 1
}

function listLine({ run, task, verdict, at }: ListedRun): string {
  return `${run}  ${verdict.padEnd(12)}  ${at.padEnd(24)}  ${printable(task)}`.trimEnd()
}
