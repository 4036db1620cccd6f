// input: one request, or { requests: […] }, with { options?, rewrites? }; report: "where" (default), "next" or "log"
import { drive, rules } from './lib/drive.mjs'

export default async ({ load, input }) => {
  const history = input.as === 'import' ? (await load('.', { as: 'import' })).default : await load('.')
  const log = [], report = input.report || 'where'
  const options = input.options || input.rewrites || report === 'log' ? { ...input.options } : undefined
  if (input.rewrites) options.rewrites = rules(input.rewrites)
  if (report === 'log') options.logger = (...args) => { log.push(args.join(' ')) }
  const middleware = history(options)
  const outcomes = (input.requests || [input]).map(request => drive(middleware, request))
  if (report === 'log') return log
  return input.requests ? outcomes.map(o => o[report]) : outcomes[0][report]
}
