// What the export looks like, and what a call does to its arguments.
export default async ({ load, input }) => {
  const camelCase = await load('.')
  if (input.what === 'default') return { same: camelCase.default === camelCase, type: typeof camelCase.default }
  if (input.what === 'arguments') {
    const words = Object.freeze([...input.words])
    const options = Object.freeze({ ...input.options })
    camelCase(words, options)
    return { words, options }
  }
  if (input.what === 'map') return input.words.map(camelCase)
}
