// the function option "unknown": what it was called with, and the result
import { plain } from './lib/builtins.mjs'

export default async ({ load, input }) => {
  const minimist = await load('.')
  const seen = []
  const result = minimist(input.args, { ...input.opts, unknown: arg => { seen.push(arg); return input.answer } })
  return { seen, result: plain(result) }
}
