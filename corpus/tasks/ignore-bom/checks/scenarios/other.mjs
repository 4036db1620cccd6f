// Things beside the rules.
export default async ({ load, input }) => {
  const ignore = await load(input.build === 'legacy' ? './legacy.js' : '.')
  if (input.what === 'array') {
    const texts = Object.freeze([...input.texts])
    ignore().add(texts)
    return texts
  }
  if (input.what === 'valid') return input.paths.map((p) => ignore.isPathValid(p))
  if (input.what === 'addPattern') {
    const ig = ignore().addPattern(input.text)
    return input.paths.map((p) => ig.ignores(p))
  }
}
