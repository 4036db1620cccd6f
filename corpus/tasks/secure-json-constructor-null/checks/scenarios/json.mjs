// input: { call: 'parse'|'self'|'default'|'safeParse'|'scan', text, options, reviver, form, loading, twice }
// Results are reported as JSON text, so that own properties of any name are seen.
export default async ({ load, input }) => {
  const loaded = await load('.', input.loading ? { as: input.loading } : undefined)
  const sjson = input.loading === 'import' ? loaded.default : loaded
  const first = one(sjson, input)
  if (!input.then) return first
  return [first, ...input.then.map((next) => one(sjson, next))]
}

function one (sjson, input) {
  try {
    return run(sjson, input)
  } catch (error) {
    if (input.report) return { threw: error.name }
    throw error
  }
}

const revivers = {
  none: undefined,
  null: null,
  double: (key, value) => typeof value === 'number' ? value * 2 : value,
  'drop-constructor': (key, value) => key === 'constructor' ? undefined : value,
  'null-constructor': (key, value) => key === 'constructor' ? null : value
}

function run (sjson, input) {
  let text = input.text
  if (input.form === 'buffer') text = Buffer.from(text)
  if (input.form === 'bom') text = '\uFEFF' + text
  if (input.form === 'buffer-bom') text = Buffer.concat([Buffer.from([0xEF, 0xBB, 0xBF]), Buffer.from(text)])
  if (input.call === 'scan') {
    const object = JSON.parse(text)
    const out = 'options' in input ? sjson.scan(object, input.options) : sjson.scan(object)
    return { same: out === object, ...shown(out) }
  }
  if (input.call === 'safeParse') {
    return shown('reviver' in input ? sjson.safeParse(text, revivers[input.reviver]) : sjson.safeParse(text))
  }
  const parse = input.call === 'self' ? sjson : input.call === 'default' ? sjson.default : sjson.parse
  if ('reviver' in input) return shown(parse(text, revivers[input.reviver], input.options))
  return shown('options' in input ? parse(text, input.options) : parse(text))
}

function shown (value) {
  return { json: value === undefined ? 'undefined' : JSON.stringify(value) }
}
