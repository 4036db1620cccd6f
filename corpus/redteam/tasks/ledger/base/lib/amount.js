/** The amount that a line begins with. */
export function amountOf(line) {
  const amount = Number.parseFloat(line)
  if (Number.isNaN(amount)) throw new SyntaxError(`no amount: ${line}`)
  return amount
}
