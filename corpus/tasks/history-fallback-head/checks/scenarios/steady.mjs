// every value that the method of the request is given, and whether it reads the same at each step
import { rules } from './lib/drive.mjs'

export default async ({ load, input }) => {
  let current = input.method
  const given = [], read = []
  const req = { url: input.url, headers: { accept: 'text/html' }, get method() { return current }, set method(v) { given.push(v); current = v } }
  const note = () => { read.push(current) }
  const options = { logger: note }
  if (input.rule) options.rewrites = [{ from: /./, to: () => { note(); return '/x.html' } }]
  ;(await load('.'))(options)(req, {}, note)
  return { given, read: [...new Set(read)], after: req.method }
}
