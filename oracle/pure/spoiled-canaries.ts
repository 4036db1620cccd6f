import type { CanarySeen } from '../../specs/examiner.ts'
import type { SpoiledCanaries } from '../../specs/seal.ts'

/** What became of the canaries of suites in runs on a tree that is right as far as anybody knows. */
export interface CanariesSeen {
  /** Base lacks what is asked for, so that a file may not load there: only on a right trial silence says something. */
  readonly on: 'base' | 'right trial'
  readonly canaries: readonly CanarySeen[]
}

/**
 * The canaries that have to give way to others: they passed where nobody forged anything, or did not run where everything
 * does. The same list again when there is none.
 */
export function spoiledBy(known: SpoiledCanaries, seen: readonly CanariesSeen[]): SpoiledCanaries {
  const runs = seen.flatMap(({ on, canaries }) =>
    canaries.map((one) => ({
      ...one,
      isSpoiled: one.state === 'passed' || (one.state === 'silent' && on === 'right trial'),
    })),
  )
  const more = [...Map.groupBy(runs, ({ file }) => file)].flatMap(([file, all]) => {
    const models = new Set(all.flatMap(({ model, isSpoiled }) => (isSpoiled ? (model ?? []) : [])))
    if (models.size === 0) return []
    // None of them runs: the file does not load with them.
    if (all.every(({ state, isSpoiled }) => state === 'silent' && isSpoiled)) return [[file, 'all'] as const]
    const before = known[file] ?? []
    return [[file, before === 'all' ? before : [...new Set([...before, ...models])].sort(ascending)] as const]
  })
  return more.length === 0 ? known : { ...known, ...Object.fromEntries(more) }
}

/** No copy of a test stands in these files. */
export function withoutCopies(known: SpoiledCanaries, files: readonly string[]): SpoiledCanaries {
  return { ...known, ...Object.fromEntries(files.map((file) => [file, 'all' as const])) }
}

/** Files in which copies of tests stand. */
export function filesWithCopies(seen: readonly CanariesSeen[]): readonly string[] {
  return filesOf(seen, ({ model }) => model !== undefined)
}

/** Files whose canaries assert nothing of the product. */
export function filesWithOwnOnly(seen: readonly CanariesSeen[]): readonly string[] {
  return filesOf(seen, ({ model }) => model === undefined)
}

function filesOf(seen: readonly CanariesSeen[], isMeant: (one: CanarySeen) => boolean): readonly string[] {
  const meant = seen.flatMap(({ canaries }) => canaries).filter(isMeant)
  return [...new Set(meant.map(({ file }) => file))].sort()
}

function ascending(a: number, b: number): number {
  return a - b
}
