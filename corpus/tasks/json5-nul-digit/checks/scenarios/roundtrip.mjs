// parse(stringify(value))
export default async ({ load, input }) => {
  const JSON5 = await load('.')
  return JSON5.parse(JSON5.stringify(input.value))
}
