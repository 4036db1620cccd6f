import { Fault } from '../../specs/fault.ts'

const UNITS = { s: 1000, m: 60_000, h: 3_600_000 } as const

/** What a timer can wait. */
const MAX_MS = 2 ** 31 - 1

/** Milliseconds of `30s`, `90m`, `6h`. @throws Fault `config/usage` that names the option. */
export function durationOption(option: string, text: string): number {
  const match = /^([1-9][0-9]{0,5})(s|m|h)$/.exec(text)
  if (match === null)
    throw new Fault('config/usage', `${option}: expected a duration such as 30s, 90m or 6h, not ${text}`)
  const ms = Number(match[1]) * UNITS[match[2] as keyof typeof UNITS]
  if (ms <= MAX_MS) return ms
  throw new Fault('config/usage', `${option}: expected at most 596h, not ${text}`)
}
