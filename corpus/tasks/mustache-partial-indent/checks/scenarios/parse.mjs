export default async ({ load, input }) => {
  const Mustache = await load('.')
  return Mustache.parse(input.template, input.tags)
}
