export default async ({ load, input }) => (await load('.')).slug(input)
