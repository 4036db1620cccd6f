import type { Command } from 'commander'
import { stateRoot } from '../state-directory.ts'
import { liveView, type LiveView } from '../view/live-view.ts'
import { paint, wantsColour, type Paint } from '../view/paint.ts'
import { openWorkshop, sweepLeftovers, type Workshop, type WorkshopOptions } from '../workshop.ts'

/** Options that every command has. */
export interface GlobalOptions {
  readonly state?: string
  readonly dockerHost?: string
  readonly json?: boolean
  readonly quiet?: boolean
  readonly runtime?: string
  readonly log?: string
}

/** What a command works with: the parts, where to print, and when to stop. */
export interface CommandContext {
  readonly options: GlobalOptions
  readonly signal: AbortSignal
  /** For a command that finishes its present step at the first Ctrl-C, and stops at the second. */
  readonly drain: () => AbortSignal
  /** Progress goes to stderr; stdout is for results. */
  readonly view: LiveView
  readonly brush: Paint
  /** Opened at the first use, so that `--help` and wrong usage touch nothing. */
  workshop(): Promise<Workshop>
  /** Removes what killed commands left on the engine. */
  sweep(): Promise<void>
  /** The result: one JSON document with `--json`, else the text. */
  readonly print: (document: unknown, text: () => string) => void
}

const SILENT: LiveView = {
  event: () => undefined,
  note: () => undefined,
  status: () => undefined,
  output: () => undefined,
  end: () => undefined,
}

/** The context of the command that runs. */
export function contextOf(command: Command, signal: AbortSignal, drain: () => AbortSignal): CommandContext {
  const options = command.optsWithGlobals<GlobalOptions>()
  let workshop: Promise<Workshop> | undefined
  const workshopOptions: WorkshopOptions = {
    signal,
    stateRoot: stateRoot(options.state, process.env),
    ...(options.dockerHost === undefined ? {} : { dockerHost: options.dockerHost }),
    ...(options.runtime === undefined ? {} : { runtime: options.runtime }),
    ...(options.log === 'info' || options.log === 'warn' ? { logLevel: options.log } : {}),
  }
  const view = options.quiet === true ? SILENT : liveView(process.stderr, () => performance.now())
  return {
    options,
    signal,
    drain,
    view,
    brush: paint(options.json !== true && wantsColour(process.stdout)),
    workshop: () => (workshop ??= openWorkshop(workshopOptions)),
    sweep: () => sweepLeftovers(workshopOptions),
    print: (document, text) => {
      view.end()
      process.stdout.write(options.json === true ? `${JSON.stringify(document, null, 2)}\n` : `${text()}\n`)
    },
  }
}
