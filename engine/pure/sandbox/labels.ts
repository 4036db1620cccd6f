import type { BoxKind, Owner } from '../../../specs/sandbox.ts'

/** Everything we make on an engine carries these, so that any later command can find and remove it. */
export const LABEL = {
  run: 'assay.run',
  kind: 'assay.kind',
  state: 'assay.state',
  process: 'assay.process',
} as const

/** The labels of a box, a volume or a network. */
export function labelsOf(owner: Owner, runId: string, kind: BoxKind): Record<string, string> {
  return {
    [LABEL.run]: runId,
    [LABEL.kind]: kind,
    [LABEL.state]: owner.state,
    [LABEL.process]: owner.process,
  }
}

/** Engine filters for what this state directory made, of one run or of all. */
export function labelFilters(state: string, runId?: string): { label: string[] } {
  const label = [`${LABEL.state}=${state}`]
  if (runId !== undefined) label.push(`${LABEL.run}=${runId}`)
  return { label }
}

/**
 * Whether something that carries `labels` is to be removed as an orphan: it is ours, and its maker is gone.
 * Without a readable maker it is ours and nobody's, so it goes too.
 * @param isAlive tells of `pid:start` whether that very process still runs.
 */
export function isOrphan(
  labels: Readonly<Record<string, string>>,
  state: string,
  isAlive: (process: string) => boolean,
): boolean {
  if (labels[LABEL.state] !== state) return false
  const maker = labels[LABEL.process]
  return maker === undefined || !isAlive(maker)
}
