import { Command, Option } from 'commander'
import { printable } from '../pure/printable.ts'
import type { Act, AddCommand } from './add-command.ts'
import { contextOf } from './context.ts'
import { demoCommand } from './demo.ts'
import { doctorCommand } from './doctor.ts'
import { errorOutput } from './error-output.ts'
import { fixtureCommand } from './fixture.ts'
import { gradeCommand } from './grade.ts'
import { heldCommand } from './held.ts'
import { imagesCommand } from './images.ts'
import { initCommand } from './init.ts'
import { replayCommand } from './replay.ts'
import { reportCommand } from './report.ts'
import { raceCommand, runCommand } from './run.ts'
import { sealCommand } from './seal.ts'
import { version } from './version.ts'

const COMMANDS: readonly AddCommand[] = [
  runCommand,
  raceCommand,
  gradeCommand,
  sealCommand,
  replayCommand,
  reportCommand,
  heldCommand,
  fixtureCommand,
  initCommand,
  doctorCommand,
  imagesCommand,
  demoCommand,
]

const EXIT_CODES = `
Exit codes: 0 verified (or done), 1 refuted, 2 wrong usage or input, 3 held or unverifiable, 4 the infrastructure
failed, 70 a bug of Assay, 130 interrupted.`

/**
 * Runs one command line.
 * @param argv as in `process.argv`.
 * @returns the exit code: 0 verified, 1 refuted, 2 usage or configuration, 3 held or unverifiable, 4 infrastructure,
 * 70 a bug of Assay, 130 interrupted.
 */
export async function runCommandLine(argv: readonly string[]): Promise<number> {
  const signals = listenToSignals()
  let exitCode = 0
  const program = new Command('assay')
    .description('Settles by evidence whether a diff does what was asked: verified, refuted or unverifiable.')
    .version(version())
    .option(
      '--state <directory>',
      'where runs, trees and grades are kept (default: ASSAY_STATE or the XDG state folder)',
    )
    .option('--docker-host <address>', 'the container engine: unix:///path or tcp://host:port')
    .option('--runtime <name>', 'container runtime of all boxes, e.g. runsc')
    .option('--json', 'print one JSON document on stdout, also of an error')
    .addOption(new Option('--log <level>', 'structured log lines on stderr').choices(['warn', 'info']))
    .option('--quiet', 'no progress on stderr')
    .addHelpText('after', EXIT_CODES)
    .configureOutput({ outputError: (text, write) => write(usageLine(text)) })
    .exitOverride()
  const action =
    (act: Act) =>
    async (...args: unknown[]) => {
      const command = args.at(-1) as Command
      const context = contextOf(command, signals.stop, signals.drain)
      try {
        await context.sweep()
        exitCode = await act(context, command.args)
      } finally {
        context.view.end()
      }
    }
  for (const add of COMMANDS) add(program, action)
  try {
    await program.parseAsync([...argv])
    return exitCode
  } catch (error) {
    const { stdout, stderr, exitCode } = errorOutput(error, argv.includes('--json'))
    process.stdout.write(stdout)
    process.stderr.write(stderr)
    return exitCode
  } finally {
    signals.close()
  }
}

/**
 * SIGTERM stops a command. So does SIGINT, but of a command that has asked to drain the first one only lets it finish what
 * is under way.
 */
function listenToSignals() {
  const [stop, drain] = [new AbortController(), new AbortController()]
  let isDraining = false
  const end = () => stop.abort(new DOMException('interrupted', 'AbortError'))
  const onInterrupt = () => {
    if (!isDraining || drain.signal.aborted) {
      end()
      return
    }
    process.stderr.write('assay: finishing what is under way; interrupt again to stop now\n')
    drain.abort()
  }
  process.on('SIGINT', onInterrupt)
  process.on('SIGTERM', end)
  return {
    stop: stop.signal,
    drain: () => {
      isDraining = true
      return drain.signal
    },
    close: () => {
      process.off('SIGINT', onInterrupt)
      process.off('SIGTERM', end)
    },
  }
}

/** What commander says of wrong usage (its suggestions stand on lines of their own) as our one line. */
function usageLine(text: string): string {
  const said = text
    .trim()
    .replace(/^error: /, '')
    .replaceAll(/\s*\n\s*/g, ' ')
  return `assay: ${printable(said, 2000)}; assay --help shows all commands [config/usage]\n`
}
