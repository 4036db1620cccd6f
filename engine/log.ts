import { pino, type Logger } from 'pino'

/** What a log line can be about. Sealed material and keys have no field here, so they cannot be logged by mistake. */
export interface LogFields {
  readonly taskId?: string
  readonly runId?: string
  readonly attempt?: number
  readonly seq?: number
  readonly event?: string
}

export interface Log {
  info(fields: LogFields, message: string): void
  warn(fields: LogFields, message: string): void
}

/**
 * Structured lines on stderr; stdout is for results.
 * @param level `silent` unless the user asks for logs: people have the live view.
 */
export function openLog(level: 'silent' | 'warn' | 'info'): Log {
  const logger: Logger = pino({ level, base: null }, pino.destination({ fd: 2, sync: true }))
  return {
    info: (fields, message) => logger.info(fields, message),
    warn: (fields, message) => logger.warn(fields, message),
  }
}
