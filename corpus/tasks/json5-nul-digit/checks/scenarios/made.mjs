// values that JSON cannot hold: text is the string that the made thing yields
export default async ({ load, input }) => {
  const JSON5 = await load('.')
  const { kind, text } = input
  switch (kind) {
    case 'toJSON': return JSON5.stringify({ toJSON: () => text })
    case 'toJSON-nested': return JSON5.stringify({ list: [{ toJSON: () => ({ k: text }) }] })
    case 'toJSON5': return JSON5.stringify({ toJSON5: () => text })
    case 'string-object': return JSON5.stringify(new String(text))
    case 'replacer': return JSON5.stringify({ a: 1, b: [2] }, (key, value) => value === 2 ? text : value)
    case 'replacer-root': return JSON5.stringify(null, () => text)
    case 'replacer-option': return JSON5.stringify({ a: 1 }, { replacer: (key, value) => key === 'a' ? text : value, space: input.space, quote: input.quote })
    case 'replacer-space': return JSON5.stringify([1], (key, value) => value === 1 ? text : value, input.space)
    case 'toJSON-quote': return JSON5.stringify([{ toJSON: () => text }], { quote: input.quote })
  }
  throw new Error('no such kind')
}
