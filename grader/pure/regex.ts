import { RE2JS } from 're2js'

/** A regular expression in RE2's syntax: linear time whatever the product answers. Flags go inside: `(?i)abc`. */
export interface LinearRegex {
  test(text: string): boolean
  /** The pattern: ajv tells regular expressions apart by it. */
  toString(): string
}

const compiled = new Map<string, LinearRegex>()
const CACHED = 1000

/** @throws Error with the reason when the pattern is not RE2 (look-around and back references are not). */
export function linearRegex(pattern: string): LinearRegex {
  const known = compiled.get(pattern)
  if (known !== undefined) return known
  const regex = RE2JS.compile(pattern)
  const made = { test: (text: string) => regex.matcher(text).find(), toString: () => pattern }
  if (compiled.size >= CACHED) compiled.clear()
  compiled.set(pattern, made)
  return made
}
