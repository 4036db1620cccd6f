// input: { args: [...], via?: 'default' | 'import' | 'import-default', before?: [[...args], ...] }
export default async ({ load, input }) => {
  const via = input.via ?? 'require'
  let camelCase
  if (via.startsWith('import')) {
    const namespace = await load('.', { as: 'import' })
    camelCase = via === 'import' ? namespace.default : namespace.default.default
  } else {
    const main = await load('.')
    camelCase = via === 'default' ? main.default : main
  }
  for (const args of input.before ?? []) camelCase(...args)
  return camelCase(...input.args)
}
