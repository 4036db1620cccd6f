import { createHash } from 'node:crypto'
import canonicalize from 'canonicalize'
import { z } from 'zod'

/** `sha256:` and 64 lower-case hex digits. */
export const digestSchema = z
  .string()
  .regex(/^sha256:[0-9a-f]{64}$/, 'expected sha256: and 64 lower-case hex digits')
  .describe('sha256: and 64 lower-case hex digits')
export type Digest = string

/** A git tree id: 40 lower-case hex digits (sha1) or 64 (sha256). */
export const treeIdSchema = z
  .string()
  .regex(/^([0-9a-f]{40}|[0-9a-f]{64})$/, 'expected a git tree id: 40 or 64 lower-case hex digits')
  .describe('a git tree id: 40 or 64 lower-case hex digits')
export type TreeId = string

/** A git commit id: 40 lower-case hex digits (sha1) or 64 (sha256). */
export const commitIdSchema = z
  .string()
  .regex(/^([0-9a-f]{40}|[0-9a-f]{64})$/, 'expected a git commit id: 40 or 64 lower-case hex digits')
  .describe('a git commit id: 40 or 64 lower-case hex digits')
export type CommitId = string

/** sha256 of bytes, written as `sha256:<hex>`. */
export function digestOfBytes(bytes: Uint8Array | string): Digest {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`
}

/**
 * Canonical JSON (RFC 8785) of plain data.
 * @throws Error for what JSON cannot hold (NaN, bigint, a lone surrogate): encode observations first.
 */
export function canonicalJson(value: unknown): string {
  const text = canonicalize(value)
  if (text === undefined) throw new Error('canonical JSON of undefined')
  return text
}

/** sha256 over the canonical JSON (RFC 8785) of plain data. */
export function digestOf(value: unknown): Digest {
  return digestOfBytes(canonicalJson(value))
}
