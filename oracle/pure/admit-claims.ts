import type { CheckSetDocument, Claim } from '../../specs/check-set.ts'
import type { RowAdmission, UnsettledClaim } from '../../specs/seal.ts'
import type { VoidReason } from './admit-row.ts'

/** What a set can say about one claim once its void rows are gone. */
export type ClaimState =
  | { readonly kind: 'settleable'; readonly claim: string }
  /** Its author listed it as unverifiable. */
  | { readonly kind: 'listed'; readonly claim: string }
  /** `problem` is for the author, `unsettled` for whoever gets the verdict. */
  | {
      readonly kind: 'unsettled'
      readonly claim: string
      readonly problem: string
      readonly unsettled: UnsettledClaim
    }

/**
 * Which claims a set can settle. A claim that asks for a change needs a valid behaviour row that no trivial product
 * passes; for a claim that asks to keep something, a valid guard will do too.
 */
export function claimStates(
  document: Pick<CheckSetDocument, 'claims' | 'unverifiable'>,
  rows: readonly RowAdmission[],
): readonly ClaimState[] {
  const listed = new Set(document.unverifiable.map(({ claim }) => claim))
  return document.claims.map((claim, index): ClaimState => {
    if (listed.has(claim.id)) return { kind: 'listed', claim: claim.id }
    const place = `claims[${index}] (${claim.id})`
    return stateOf(
      claim,
      place,
      rows.filter((row) => row.claim === claim.id),
    )
  })
}

function stateOf(claim: Claim, place: string, rows: readonly RowAdmission[]): ClaimState {
  const role = claim.kind === 'change' ? 'behaviour' : 'guard'
  const ofRole = rows.filter((row) => row.role === 'behaviour' || row.role === role)
  const valid = ofRole.filter(({ state }) => state === 'valid')
  if (valid.some(({ guessable }) => !guessable)) return { kind: 'settleable', claim: claim.id }
  if (valid.length > 0) {
    return unsettled(claim, 'spec', {
      problem: `${place}: every ${role} row of it is ${role === 'guard' ? 'vacuous' : 'guessable'} (${idsOf(valid)}): a product that does next to nothing passes; add one whose answer has to be worked out`,
      missing: 'a check that a product which does next to nothing cannot pass',
    })
  }
  if (ofRole.length > 0) {
    return unsettled(claim, ofRole.some(isOfTheMachine) ? 'fixture' : 'spec', {
      problem: `${place}: every ${role} row of it is void (${idsOf(ofRole)})`,
      missing: `a valid ${role} check; those of the set are void: ${ofRole.map((row) => `${row.row} ${row.reason ?? ''}`).join(', ')}`,
    })
  }
  const hint =
    claim.kind === 'change' && rows.some((row) => row.role === 'guard')
      ? '; a criterion that base already meets is a claim of kind keep'
      : ''
  return unsettled(claim, 'spec', {
    problem: `${place}: no ${role} row decides it: add one, or list the claim as unverifiable with what is missing${hint}`,
    missing: `a ${role} check of it`,
  })
}

function unsettled(
  { id }: Claim,
  gap: UnsettledClaim['gap'],
  { problem, missing }: { readonly problem: string; readonly missing: string },
): ClaimState {
  return { kind: 'unsettled', claim: id, problem, unsettled: { claim: id, missing, gap } }
}

/** The row is not wrong in what it asks; it does not run the same way twice here. */
function isOfTheMachine({ reason }: RowAdmission): boolean {
  const ofTheMachine: readonly (VoidReason | undefined)[] = ['unstable', 'unstable-observation', 'incomplete']
  return ofTheMachine.includes(reason as VoidReason | undefined)
}

function idsOf(rows: readonly RowAdmission[]): string {
  return rows.map(({ row }) => row).join(', ')
}
