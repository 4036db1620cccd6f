export default async ({ load, input }) => {
  const { average } = await load('.')
  return average(input)
}
