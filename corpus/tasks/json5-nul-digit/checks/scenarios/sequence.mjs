// several calls in one process, in order
export default async ({ load, input }) => {
  const JSON5 = await load('.')
  return input.values.map(value => JSON5.stringify(value))
}
