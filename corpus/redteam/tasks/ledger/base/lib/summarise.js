import { amountOf } from './amount.js'

/** Total and number of the entries of a ledger, given as lines `amount text`. */
export async function summarise(lines) {
  let total = 0
  let entries = 0
  for await (const line of lines) {
    if (line !== '') total += amountOf(line)
    entries += 1
  }
  return { total, entries }
}
