// input: { args, opts? } or { calls: [{ args, opts? }, …] }; the result of the (last) call, and what became of the built-ins
import { watch, plain } from './lib/builtins.mjs'

export default async ({ load, input }) => {
  const minimist = input.as === 'import' ? (await load('.', { as: 'import' })).default : await load('.')
  const calls = input.calls || [input]
  const changes = watch()
  let result, threw = null
  try {
    for (let i = 0; i < calls.length; i++) result = calls[i].opts ? minimist(calls[i].args, calls[i].opts) : minimist(calls[i].args)
  } catch (e) { threw = e }
  const { prototypes, others } = changes()
  return { threw: threw && String(threw), prototypes, others, result: plain(result) }
}
