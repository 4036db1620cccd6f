import { createHash } from 'node:crypto'
import { Fault } from '../../../specs/fault.ts'

/**
 * A subresource integrity (`sha512-` and base64) of a stream. It is always computed from the bytes, never taken from
 * whoever delivered them.
 * @param expected decides the algorithm; sha512 without one.
 */
export async function integrityOf(stream: AsyncIterable<Uint8Array>, expected?: string): Promise<string> {
  const algorithm = expected === undefined ? 'sha512' : expected.slice(0, expected.indexOf('-'))
  const hash = createHash(algorithm)
  for await (const chunk of stream) hash.update(chunk)
  return `${algorithm}-${hash.digest('base64')}`
}

/** @throws Fault `config/integrity` that names what was expected and what came. */
export function requireIntegrity(what: string, expected: string, got: string): void {
  if (expected === got) return
  throw new Fault('config/integrity', `task.yaml: base.integrity: ${what}: expected ${expected}, got ${got}`)
}
