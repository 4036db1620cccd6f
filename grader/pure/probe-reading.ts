import type { Finding } from '../../specs/grade.ts'
import { observationSchema, type Observation } from '../../specs/observation.ts'
import type { ExecEnd } from '../../specs/sandbox.ts'
import type { Frame, FrameReading } from './frame.ts'
import { signalOfExitCode } from './signals.ts'

/** What one run of one probe came to. */
export type ProbeReading =
  /**
   * The host never said hello: nothing of the product had run, so nothing is known of it. `isMissing`: there is no such
   * program in the image.
   */
  | { readonly kind: 'not-started'; readonly why: string; readonly isMissing: boolean }
  /** `tidy`: the wrapper came to its end and left nothing of the probe behind. */
  | {
      readonly kind: 'observed'
      readonly observation: Observation
      readonly findings: readonly Finding[]
      readonly tidy: boolean
    }
  /** The frames make no observation. The findings say why. */
  | { readonly kind: 'garbled'; readonly findings: readonly Finding[] }

/** How a shell says that it found no such program. */
const NOT_FOUND_CODE = 127

const LAST_FRAMES: readonly string[] = [
  'returned',
  'threw',
  'unreachable',
  'timeout',
  'limit',
  'exited',
  'rewrote',
]

/**
 * Makes an observation of what came out of a box. A last frame of the host decides; without one, the end of the process
 * does: what was observed before it is kept.
 * @param end how the exec ended, as the engine says.
 */
export function readProbe(row: string, reading: FrameReading, end: ExecEnd): ProbeReading {
  const wrapper = reading.frames.filter(({ from }) => from === 'wrapper')
  const host = reading.frames.filter(({ from }) => from === 'host')
  const forged = [...forgeries(row, reading), ...disorder(row, wrapper, host)]
  const left = [...leftovers(row, wrapper), ...killedWrapper(row, wrapper, host, end)]
  if (host[0]?.kind !== 'hello') {
    return forged.length > 0
      ? { kind: 'garbled', findings: forged }
      : {
          kind: 'not-started',
          why: describeEnd(end, wrapper),
          isMissing: toldCode(wrapper) === NOT_FOUND_CODE,
        }
  }
  const parsed = observationSchema.safeParse(observationOf(wrapper, host, end))
  if (!parsed.success) {
    return { kind: 'garbled', findings: [...forged, forgery(row, 'frames that are no observation')] }
  }
  const tidy = wrapper.at(-1)?.kind === 'end' && left.length === 0
  return { kind: 'observed', observation: parsed.data, findings: [...forged, ...left], tidy }
}

/** What the wrapper could not clear away after a probe. */
function leftovers(row: string, wrapper: readonly Frame[]): readonly Finding[] {
  return wrapper.flatMap(({ body: { left } }): Finding[] => {
    if (typeof left !== 'string' || left === '') return []
    return left === 'process'
      ? [{ kind: 'leftover-process', row, detail: 'a process that could not be ended' }]
      : [{ kind: 'leftover-files', row, detail: `something was left in ${left.slice(0, 100)}` }]
  })
}

/**
 * The host had its last word, and then somebody killed the shell above it. Nobody in a box may do that but the product.
 * Without a last word the crash itself is the observation.
 */
function killedWrapper(
  row: string,
  wrapper: readonly Frame[],
  host: readonly Frame[],
  end: ExecEnd,
): readonly Finding[] {
  const hasAnswer = host.some(({ kind }) => LAST_FRAMES.includes(kind))
  const signal = end.kind === 'exited' && wrapper.length === 0 ? signalOfExitCode(end.code) : undefined
  return hasAnswer && signal !== undefined
    ? [{ kind: 'killed-wrapper', row, detail: `the shell that runs the checks was ended by ${signal}` }]
    : []
}

function forgeries(row: string, { problems }: FrameReading): readonly Finding[] {
  return problems
    .filter(({ kind }) => kind !== 'cut')
    .map(({ kind, detail }) => forgery(row, `${kind}: ${detail}`))
}

function forgery(row: string, detail: string): Finding {
  return { kind: 'forged-frame', row, detail }
}

/** Frames with a right nonce in an order that our hosts never write. */
function disorder(row: string, wrapper: readonly Frame[], host: readonly Frame[]): readonly Finding[] {
  const hellos = host.filter(({ kind }) => kind === 'hello').length
  const last = host.findIndex(({ kind }) => LAST_FRAMES.includes(kind))
  const known = host.every(({ kind }) => [...LAST_FRAMES, 'hello', 'step', 'uncaught'].includes(kind))
  const ordered = (host.length === 0 || host[0]?.kind === 'hello') && hellos <= 1
  const ended = last === -1 || last === host.length - 1
  const one = wrapper.length <= 1 && wrapper.every(({ kind }) => kind === 'end')
  return known && ordered && ended && one
    ? []
    : [forgery(row, 'frames in an order that no host of ours writes')]
}

function observationOf(wrapper: readonly Frame[], host: readonly Frame[], end: ExecEnd): unknown {
  const steps = host.filter(({ kind }) => kind === 'step').map(({ body }) => body)
  const last = host.find(({ kind }) => LAST_FRAMES.includes(kind))
  // A host that was killed did not write its last word itself, or was not let finish it.
  if (last !== undefined && !wasKilled(wrapper)) return { ...last.body, outcome: last.kind, steps }
  if (end.kind === 'timeout') return { outcome: 'timeout', steps }
  if (end.kind === 'limit') return { outcome: 'limit', limit: end.limit, steps }
  const uncaught = host.find(({ kind }) => kind === 'uncaught')
  const code = toldCode(wrapper) ?? end.code
  const signal = signalOfExitCode(code)
  const how = signal === undefined ? { code, signal: null } : { code: null, signal }
  return { ...uncaught?.body, outcome: 'crashed', ...how, steps }
}

function wasKilled(wrapper: readonly Frame[]): boolean {
  const told = toldCode(wrapper)
  return told !== undefined && signalOfExitCode(told) !== undefined
}

/** With which code the host ended, if the wrapper was there to say so. */
function toldCode(wrapper: readonly Frame[]): number | undefined {
  const told = wrapper.find(({ kind }) => kind === 'end')?.body['code']
  return typeof told === 'number' ? told : undefined
}

function describeEnd(end: ExecEnd, wrapper: readonly Frame[]): string {
  const told = toldCode(wrapper)
  if (told !== undefined) return `the host ended with ${told}`
  if (end.kind === 'exited') return `the wrapper ended with ${end.code}`
  return end.kind === 'limit' ? `a limit (${end.limit})` : 'no sign of life in time'
}
