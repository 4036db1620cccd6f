export default async ({ load, input }) => {
  const { parse } = await load('.')
  return parse(input[0])
}
