export default async ({ load, input }) => {
  const { summarise } = await load('.')
  return summarise(input)
}
