import type { CheckSet } from '../specs/check-set.ts'
import type { TreeId } from '../specs/digest.ts'
import { Fault, faultFamily } from '../specs/fault.ts'
import type { Admission, Seal } from '../specs/seal.ts'
import { gatherEvidence, type AdmissionPorts } from './admission.ts'
import type { Author, HandIn, Reply } from './authors/author.ts'
import type { VerdictsOf } from './pure/admit-trials.ts'
import { decideAdmission, type AdmissionEvidence } from './pure/decide-admission.ts'
import type { ValidateExpectation } from './pure/expectation-rules.ts'
import { problemLines } from './pure/problem.ts'
import { readable } from './pure/readable.ts'
import { readCheckSet } from './read-check-set.ts'
import { sealCheckSet } from './seal.ts'

export interface MakeSealRequest {
  readonly author: Author
  /** The request's text. */
  readonly request: string
  readonly base: TreeId
  readonly imageId: string
  /** How often the author may hand in a set, the first time included. */
  readonly tries: number
  /** Runs of every row on base. */
  readonly admissionRuns: number
  /** Runs of every valid row on each trial. */
  readonly trialRuns: number
  /** 64 lower-case hex digits of fresh randomness. */
  readonly nonceSeed: string
  /** 32 bits of randomness, for the order in which rows run. */
  readonly orderSeed: number
  readonly signal: AbortSignal
  readonly onTry?: (tried: OracleTry) => void | Promise<void>
}

export interface MakeSealPorts extends AdmissionPorts {
  readonly validateExpectation: ValidateExpectation
  readonly verdictsOf: VerdictsOf
}

/** What became of one try, for the journal. */
export interface OracleTry {
  readonly try: number
  readonly outcome:
    'admitted' | 'not-admitted' | 'unreadable' | 'unusable' | Exclude<HandIn['kind'], 'handed-in'>
  readonly reasons: readonly string[]
  /** The end of what the author wrote to stderr, escaped. */
  readonly log?: string
}

export type SealOutcome =
  | { readonly kind: 'sealed'; readonly seal: Seal; readonly checkSet: CheckSet; readonly tries: number }
  /** `reasons` of the last try; the run is held until a person writes or mends a set. */
  | {
      readonly kind: 'not-admitted'
      readonly reasons: readonly string[]
      readonly gap: 'spec'
      readonly tries: number
    }

/** A set that could be tried on base, and what was seen. */
interface Tried {
  readonly set: CheckSet
  readonly evidence: AdmissionEvidence
}

/**
 * Lets an author write a check set until one is admitted, and seals it. What is wrong goes back to the author while it
 * has tries left. Then the last set that can do without its void rows is sealed with flags; how lenient that is, is in
 * `decideAdmission`.
 * @throws Fault `infra/…` when the engine failed, `config/…` when the author is not there.
 */
export async function makeSeal(request: MakeSealRequest, ports: MakeSealPorts): Promise<SealOutcome> {
  const tries = request.author.hearsReasons ? request.tries : 1
  const seen: Tried[] = []
  let reply: Reply | undefined
  for (let number = 1; number <= tries; number += 1) {
    const handIn = await request.author.handIn({
      ...(reply === undefined ? {} : { reply }),
      signal: request.signal,
    })
    const judged = await judgeHandIn(handIn, request, ports)
    if (judged.tried !== undefined) seen.push(judged.tried)
    await report(request, number, judged, handIn)
    const { reasons, admission, tried } = judged
    const isAdmitted = tried !== undefined && admission?.admitted === true
    const usable = isAdmitted
      ? { tried, admission }
      : number === tries
        ? lastThatWillDo(seen, ports)
        : undefined
    if (usable !== undefined) {
      const { seal, checkSet } = sealed(usable.tried, usable.admission, request, ports)
      return { kind: 'sealed', seal, checkSet, tries: number }
    }
    reply = { try: number, reasons, ...(admission === undefined ? {} : { admission }) }
  }
  return { kind: 'not-admitted', reasons: reply?.reasons ?? [], gap: 'spec', tries }
}

interface JudgedHandIn {
  readonly outcome: OracleTry['outcome']
  readonly reasons: readonly string[]
  readonly admission?: Admission
  readonly tried?: Tried
}

async function judgeHandIn(
  handIn: HandIn,
  request: MakeSealRequest,
  ports: MakeSealPorts,
): Promise<JudgedHandIn> {
  if (handIn.kind !== 'handed-in') return { outcome: handIn.kind, reasons: [whyNoSet(handIn)] }
  const read = readCheckSet(handIn.files, {
    request: request.request,
    validateExpectation: ports.validateExpectation,
  })
  if (read.kind === 'refused') return { outcome: 'unreadable', reasons: problemLines(read.problems) }
  try {
    const { base, admissionRuns, trialRuns, orderSeed, nonceSeed, signal } = request
    const text = request.request
    const evidence = await gatherEvidence(
      { set: read.set, request: text, base, runs: admissionRuns, trialRuns, orderSeed, nonceSeed, signal },
      ports,
    )
    const admission = decideAdmission(evidence, { lenient: false, verdictsOf: ports.verdictsOf })
    const outcome = admission.admitted ? 'admitted' : 'not-admitted'
    return { outcome, reasons: admission.reasons, admission, tried: { set: read.set, evidence } }
  } catch (error) {
    // A judge that does not load, a pattern that cannot be compared: the author's to mend, like any other reason.
    if (!(error instanceof Fault) || faultFamily(error.code) !== 'oracle') throw error
    return { outcome: 'unusable', reasons: [readable(error.message, 1000)] }
  }
}

function whyNoSet(handIn: Exclude<HandIn, { kind: 'handed-in' }>): string {
  switch (handIn.kind) {
    case 'nothing':
      return 'no set was handed in: the checks folder is empty'
    case 'timeout':
      return `no set was handed in within ${handIn.timeoutMs} ms`
    case 'limit':
      return `the author's box ran into its ${handIn.limit} limit`
    case 'refused':
      return handIn.reason
  }
}

/** The newest set that can be sealed without its void rows. */
function lastThatWillDo(
  seen: readonly Tried[],
  { verdictsOf }: MakeSealPorts,
): { readonly tried: Tried; readonly admission: Admission } | undefined {
  for (const tried of seen.toReversed()) {
    const admission = decideAdmission(tried.evidence, { lenient: true, verdictsOf })
    if (admission.admitted) return { tried, admission }
  }
  return undefined
}

function sealed(
  { set, evidence }: Tried,
  admission: Admission,
  request: MakeSealRequest,
  { examiner }: MakeSealPorts,
): { readonly seal: Seal; readonly checkSet: CheckSet } {
  const seal = sealCheckSet({
    set,
    request: request.request,
    base: request.base,
    imageId: request.imageId,
    runner: examiner.runner,
    admission,
    baseObservations: evidence.baseObservations,
    author: request.author.label,
    nonceSeed: request.nonceSeed,
    ...(evidence.canaries === undefined ? {} : { spoiledCanaries: evidence.canaries.spoiled }),
  })
  return { seal, checkSet: set }
}

async function report(
  request: MakeSealRequest,
  number: number,
  { outcome, reasons }: JudgedHandIn,
  { log }: HandIn,
): Promise<void> {
  await request.onTry?.({ try: number, outcome, reasons, ...(log === undefined ? {} : { log }) })
}
