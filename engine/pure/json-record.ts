import { isJson } from '../../specs/json.ts'

/** Whether a value is a plain JSON object. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * Text as a JSON object; undefined when it is anything else, or nested deeper than any reader of it may go (D11). A byte
 * order mark at its start is let pass, as npm does.
 */
export function parseJsonRecord(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text.replace(/^\ufeff/, ''))
    return isRecord(value) && isJson(value) ? value : undefined
  } catch {
    return undefined
  }
}
