import type { Command } from 'commander'
import type { CommandContext } from './context.ts'

/** Does what a command is for and returns the exit code. */
export type Act = (context: CommandContext, args: readonly string[]) => Promise<number>

/** Adds a command to the command line. */
export type AddCommand = (
  program: Command,
  action: (act: Act) => (...args: unknown[]) => Promise<void>,
) => void
