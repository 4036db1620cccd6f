import { createHash, createPrivateKey, createPublicKey, sign, verify, type KeyObject } from 'node:crypto'
import {
  envelopeSchema,
  PAYLOAD_TYPE,
  statementSchema,
  type Envelope,
  type Statement,
} from '../../specs/attestation.ts'
import { canonicalJson } from '../../specs/digest.ts'
import { Fault } from '../../specs/fault.ts'
import { readRegularFile } from '../task/read-regular-file.ts'

const MAX_KEY_BYTES = 10_000

/** Reads an ed25519 key, PEM. @throws Fault `config/key` that says what was expected. */
export async function readKey(file: string, kind: 'private' | 'public'): Promise<KeyObject> {
  const pem = await readRegularFile(file, undefined, MAX_KEY_BYTES, 'config/key')
  const key = keyIn(pem, kind)
  if (key?.asymmetricKeyType === 'ed25519') return key
  const how = 'openssl genpkey -algorithm ed25519 -out FILE'
  throw new Fault('config/key', `${file}: expected a ${kind} ed25519 key, PEM (${how} makes one)`)
}

function keyIn(pem: Buffer, kind: 'private' | 'public'): KeyObject | undefined {
  try {
    return kind === 'private' ? createPrivateKey(pem) : createPublicKey(pem)
  } catch {
    return undefined
  }
}

/** Signs a statement as a DSSE envelope. The same statement and key give the same envelope. */
export function signStatement(statement: Statement, key: KeyObject): Envelope {
  const payload = Buffer.from(canonicalJson(statement))
  return {
    payloadType: PAYLOAD_TYPE,
    payload: payload.toString('base64'),
    signatures: [
      { keyid: keyId(createPublicKey(key)), sig: sign(null, signedBytes(payload), key).toString('base64') },
    ],
  }
}

export type OpenedEnvelope =
  /** `isSigned`: by the key that was asked about. */
  | {
      readonly kind: 'statement'
      readonly statement: Statement
      readonly isSigned: boolean
      readonly keys: readonly string[]
    }
  | { readonly kind: 'unreadable'; readonly why: string }

/**
 * Opens an envelope, strictly: it may come from anybody.
 * @param key that has to have signed it; without one nothing is known of who did.
 */
export function openEnvelope(text: string, key: KeyObject | undefined): OpenedEnvelope {
  const envelope = envelopeSchema.safeParse(jsonOf(text))
  if (!envelope.success) return { kind: 'unreadable', why: 'no DSSE envelope of an in-toto statement' }
  const { payload, signatures } = envelope.data
  const bytes = Buffer.from(payload, 'base64')
  const statement = statementSchema.safeParse(jsonOf(bytes.toString('utf8')))
  if (!statement.success) return { kind: 'unreadable', why: 'its payload is no statement of Assay' }
  const isSigned =
    key !== undefined &&
    signatures.some(({ sig }) => verify(null, signedBytes(bytes), key, Buffer.from(sig, 'base64')))
  return {
    kind: 'statement',
    statement: statement.data,
    isSigned,
    keys: signatures.map(({ keyid }) => keyid),
  }
}

/** What DSSE signs: the pre-authentication encoding of type and payload (DSSE protocol, version 1). */
function signedBytes(payload: Buffer): Buffer {
  const head = `DSSEv1 ${PAYLOAD_TYPE.length} ${PAYLOAD_TYPE} ${payload.length} `
  return Buffer.concat([Buffer.from(head), payload])
}

/** Of a public key: sha256 of its SPKI form, in hex. */
function keyId(key: KeyObject): string {
  return createHash('sha256')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest('hex')
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
