export default async ({ load, input }) => (await load('.')).words(input)
