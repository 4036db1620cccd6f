// parse: the value, or the name and the message of the error
export default async ({ load, input }) => {
  const JSON5 = await load('.')
  try {
    const value = input.double ? JSON5.parse(input.text, (k, v) => typeof v === 'number' ? v * 2 : v) : JSON5.parse(input.text)
    return { value }
  } catch (e) {
    return { error: e.name, message: e.message, line: e.lineNumber ?? null, column: e.columnNumber ?? null }
  }
}
