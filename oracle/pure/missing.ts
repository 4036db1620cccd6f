import type { Json } from '../../specs/json.ts'
import type { Observation } from '../../specs/observation.ts'
import { readable } from './readable.ts'

const MISSING_CODES: ReadonlySet<unknown> = new Set([
  'ENOENT',
  'MODULE_NOT_FOUND',
  'ERR_MODULE_NOT_FOUND',
  'ERR_PACKAGE_PATH_NOT_EXPORTED',
  'ERR_PACKAGE_IMPORT_NOT_DEFINED',
  'ERR_UNSUPPORTED_DIR_IMPORT',
])
const MISSING_NAMES: ReadonlySet<unknown> = new Set([
  'ModuleNotFoundError',
  'ImportError',
  'FileNotFoundError',
])
const MISSING_MESSAGE =
  /is not a function$|is not a constructor$|does not provide an export named|^Cannot find (?:module|package)|has no attribute|No module named/
const MISSING_OUTPUT =
  /Cannot find (?:module|package)|MODULE_NOT_FOUND|ModuleNotFoundError|No module named|No such file or directory|ENOENT|command not found/

/**
 * What base lacks, where a row fails on it only because something is not there yet: a module, an export, a file, a
 * command. A row like that says nothing about base's behaviour, so it is marked; it stays valid, since what is
 * missing may be just what the request asks for.
 * @returns the missing thing in base's own words, or undefined when base reached a behaviour.
 */
export function missingOn(observation: Observation): string | undefined {
  switch (observation.outcome) {
    case 'unreachable':
      return messageOf(observation.error) ?? 'the product could not be driven at all'
    case 'threw':
      return missingInError(observation.error)
    case 'crashed':
      return observation.error === undefined ? undefined : missingInError(observation.error)
    case 'exited': {
      const stderr = observation.stderr.text ?? ''
      if (observation.code !== 127 && (observation.code === 0 || !MISSING_OUTPUT.test(stderr)))
        return undefined
      const line = stderr.split('\n').find((text) => MISSING_OUTPUT.test(text))
      return readable(line?.trim() ?? `exit ${observation.code ?? 'without a code'}`, 200)
    }
    case 'returned':
    case 'timeout':
    case 'limit':
    case 'rewrote':
      return undefined
  }
}

function missingInError(error: Json): string | undefined {
  const message = messageOf(error)
  if (message === undefined) return undefined
  const isMissing =
    MISSING_CODES.has(field(error, 'code')) ||
    MISSING_NAMES.has(field(error, 'name')) ||
    MISSING_MESSAGE.test(message)
  return isMissing ? message : undefined
}

function messageOf(error: Json): string | undefined {
  const message = field(error, 'message')
  return typeof message === 'string' ? readable(message.split('\n')[0] ?? '', 200) : undefined
}

/** Only an encoded error counts: a plain object that a product threw may say anything. */
function field(error: Json, key: string): Json | undefined {
  if (typeof error !== 'object' || error === null || Array.isArray(error)) return undefined
  const fields = error as Readonly<Record<string, Json>>
  return fields['$t'] === 'error' ? fields[key] : undefined
}
