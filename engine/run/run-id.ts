/**
 * A run's id: when it began and a few random characters, so that a listing is in order of time.
 * @param random two bytes or more.
 */
export function runId(now: Date, random: Uint8Array): string {
  const time = now.toISOString().replace(/[-:]/g, '').replace('T', '-').slice(0, 15)
  const tail = [...random].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  return `${time}-${tail}`
}
