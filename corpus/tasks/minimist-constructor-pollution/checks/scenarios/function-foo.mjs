// the call of the request, and what a function has afterwards
export default async ({ load }) => {
  const minimist = await load('.')
  const argv = minimist(['--_.concat.constructor.prototype.foo', 'polluted'])
  const seen = (function () {}).foo
  const own = Object.getOwnPropertyNames(Function.prototype).includes('foo')
  delete Function.prototype.foo
  return { seen: seen === undefined ? null : seen, own, type: typeof argv, list: Array.isArray(argv._), length: argv._.length, listKeys: Object.keys(argv._) }
}
