/** Another literal of the same kind (a number, a quoted text), too far off to be the next one of something that counts. */
export function otherThan(value: string, random: () => number): string {
  const off = 7 + Math.floor(random() * 90)
  if (/^[-\d]/.test(value)) return String(Number(value) + off)
  const quote = value.slice(0, 1)
  const text = value.slice(1, -1)
  const at = Math.floor(random() * (text.length + 1))
  return `${quote}${text.slice(0, at)}${String(off)}${text.slice(at)}${quote}`
}
