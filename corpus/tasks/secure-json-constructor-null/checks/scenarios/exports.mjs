export default async ({ load }) => {
  const sjson = await load('.')
  const again = await load('.', { as: 'import' })
  return {
    names: Object.keys(sjson).sort(),
    types: [typeof sjson, typeof sjson.default, typeof sjson.parse, typeof sjson.safeParse, typeof sjson.scan],
    self: [sjson.default === sjson, sjson.parse === sjson, again.default === sjson]
  }
}
