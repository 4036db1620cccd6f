// what sort of object the result is
export default async ({ load, input }) => {
  const argv = (await load('.'))(input.args)
  return { plain: Object.getPrototypeOf(argv) === Object.prototype, has: argv.hasOwnProperty('a'), keys: Object.keys(argv), list: Array.isArray(argv._), inner: Object.keys(argv.a) }
}
