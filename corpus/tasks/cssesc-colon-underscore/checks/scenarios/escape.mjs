// input: { text, options?, as?, globals?, calls? }
export default async ({ load, input }) => {
  let cssesc = await load('.', input.as ? { as: input.as } : undefined)
  if (input.as === 'import') cssesc = cssesc.default
  Object.assign(cssesc.options, input.globals)
  if (input.calls) return input.calls.map(([text, options]) => cssesc(text, options))
  return input.options === undefined ? cssesc(input.text) : cssesc(input.text, input.options)
}
