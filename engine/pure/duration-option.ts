import { Fault } from '../../specs/fault.ts'

const UNITS = { s: 1000, m: 60_000, h: 3_600_000 } as const

/** Milliseconds of `30s`, `90m`, `6h`. @throws Fault `config/usage` that names the option. */
export function durationOption(option: string, text: string): number {
  const match = /^([1-9][0-9]{0,5})(s|m|h)$/.exec(text)
  if (match === null)
    throw new Fault('config/usage', `${option}: expected a duration such as 30s, 90m or 6h, not ${text}`)
  return Number(match[1]) * UNITS[match[2] as keyof typeof UNITS]
}
