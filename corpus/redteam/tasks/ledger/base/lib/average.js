import { summarise } from './summarise.js'

/** The mean of all entries; undefined where there are none. */
export async function average(lines) {
  const { total, entries } = await summarise(lines)
  return entries === 0 ? undefined : total / entries
}
