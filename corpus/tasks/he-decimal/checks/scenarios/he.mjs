// input: { fn?, args | codes + options, via?, global?: {...}, before?: [[...args], ...] }
// `codes`: UTF-16 code units of the text. `global`: set on he.encode.options before anything is called.
export default async ({ load, input }) => {
  const he = input.via === 'import' ? (await load('.', { as: 'import' })).default : await load('.')
  if (input.read) return input.read.reduce((value, key) => value[key], he)
  Object.assign(he.encode.options, input.global ?? {})
  const args = input.codes ? [String.fromCharCode(...input.codes), input.options] : [...input.args]
  if (args[1]) Object.freeze(args[1])
  for (const before of input.before ?? []) he.encode(...before)
  return he[input.fn ?? 'encode'](...args)
}
