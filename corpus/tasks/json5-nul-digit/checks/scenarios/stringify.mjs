// input: { value, options? } or { value, replacer?, space? }; "as": "import" loads the package by import
export default async ({ load, input }) => {
  const JSON5 = input.as === 'import' ? (await load('.', { as: 'import' })).default : await load('.')
  const args = [input.value]
  if ('options' in input) args.push(input.options)
  else if ('replacer' in input || 'space' in input) args.push(input.replacer ?? null, input.space)
  return JSON5.stringify(...args)
}
