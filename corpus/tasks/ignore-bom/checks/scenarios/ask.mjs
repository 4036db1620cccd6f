// input: { build?, options?, add: [text | array of texts, ...], ask?, paths, first? }
// Each element of `add` is one call of add(). { "ignore": [...] } stands for another instance with these texts.
// `first`: paths that are asked about before the last call of add().
const load1 = async (load, build) => {
  if (build === 'import') return (await load('.', { as: 'import' })).default
  return load(build === 'legacy' ? './legacy.js' : '.')
}

export default async ({ load, input }) => {
  const ignore = await load1(load, input.build)
  const text = (t) => Array.isArray(t) ? t.map(text)
    : t && typeof t === 'object' && 'ignore' in t ? t.ignore.reduce((ig, x) => ig.add(x), ignore())
      : t
  let ig = input.options ? ignore(input.options) : ignore()
  input.add.forEach((t, i) => {
    if (i === input.add.length - 1 && input.first) input.first.forEach((p) => { ig.ignores(p); ig.test(p) })
    ig = ig.add(text(t))
  })
  switch (input.ask) {
    case 'filter': return ig.filter(input.paths)
    case 'createFilter': return input.paths.filter(ig.createFilter())
    case 'test': return input.paths.map((p) => { const { ignored, unignored } = ig.test(p); return { ignored, unignored } })
    default: return input.paths.map((p) => ig.ignores(p))
  }
}
