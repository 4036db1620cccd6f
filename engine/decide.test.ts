import { describe, expect, it } from 'vitest'
import type { Decision } from '../specs/decision.ts'
import type { EventBody } from '../specs/journal.ts'
import type { Policy } from '../specs/policy.ts'
import { decide } from './decide.ts'
import { fold } from './state.ts'
import {
  COMMIT,
  compared,
  delivered,
  DIGEST as digest,
  merged,
  MERGED_TREE,
  regraded,
  sealed,
  started,
  TIP,
  TREE as tree,
} from './testing/events.ts'

const fault = { code: 'infra/engine', message: 'the engine went away' }

const decided = (decision: Decision): EventBody => ({ type: 'decided', decision })
const sealing = decided({ do: 'seal' })
const start = (attempt: number, round = 1) => decided({ do: 'start', attempt, round })
const opened = (attempt: number, more: Partial<Extract<EventBody, { type: 'opened' }>> = {}): EventBody => ({
  type: 'opened',
  attempt,
  round: 1,
  tree,
  gate: { kind: 'passed' },
  dependencies: { kind: 'none' },
  changed: 1,
  ignored: [],
  ...more,
})
const grading = (attempt: number, round = 1) => decided({ do: 'grade', attempt, round })
const graded = (attempt: number, more: Partial<Extract<EventBody, { type: 'graded' }>> = {}): EventBody => ({
  type: 'graded',
  attempt,
  round: 1,
  grade: digest,
  verdict: 'verified',
  findings: 0,
  failed: 0,
  of: 3,
  strength: 'isolated',
  cached: false,
  ...more,
})
const refuted = (attempt: number) => graded(attempt, { verdict: 'refuted', failed: 1 })
/** Seal and attempt 1 up to its grade. */
const one = (...last: EventBody[]): EventBody[] => [
  started({}, 1),
  sealing,
  start(1),
  sealed,
  delivered(1),
  decided({ do: 'open', attempt: 1, round: 1 }),
  opened(1),
  grading(1),
  ...last,
]

/** Attempt 1 has won, and attempt 2 was told to stop. */
const lost: readonly EventBody[] = [
  started(),
  sealing,
  start(1),
  start(2),
  ...one(graded(1)).slice(3),
  decided({ do: 'stop', attempt: 2, why: 'lost' }),
]

/** Two outputs that passed the gate, with a set that has landing checks; the first one is being graded. */
const both = (policy: Partial<Policy>): EventBody[] => [
  started(policy),
  sealing,
  start(1),
  start(2),
  { ...sealed, landing: 2 } as EventBody,
  ...[1, 2].flatMap((attempt) => [
    delivered(attempt),
    decided({ do: 'open', attempt, round: 1 }),
    opened(attempt),
  ]),
  grading(1),
]

/** Two clean outputs of a race `best`; the second one's diff is the smaller. */
const twoOfBest: readonly EventBody[] = [
  started({ race: 'best' }),
  sealing,
  start(1),
  start(2),
  sealed,
  ...[1, 2].flatMap((attempt) => [
    delivered(attempt),
    decided({ do: 'open', attempt, round: 1 }),
    opened(attempt, { diffLines: attempt === 1 ? 7 : 5 }),
    grading(attempt),
    graded(attempt),
  ]),
]
const comparing = decided({ do: 'compare', attempts: [1, 2] })

/** Attempt 1 is clean, and there is a branch to land on. */
const landing = (policy: Partial<Policy>, ...last: EventBody[]): EventBody[] => [
  started(policy, 1, true),
  ...one(graded(1)).slice(1),
  ...last,
]
const merging = decided({ do: 'merge', attempt: 1 })
const moved = merged(1, { tree: MERGED_TREE, graded: MERGED_TREE })
const regrading = decided({ do: 'regrade', attempt: 1, tree: MERGED_TREE })
const committing = decided({ do: 'commit', attempt: 1, tree, tip: TIP })
const committed: EventBody = { type: 'committed', attempt: 1, tree, tip: TIP, commit: COMMIT }
const landIt: Decision = { do: 'land', attempt: 1, commit: COMMIT, tip: TIP }
const landed: EventBody = { type: 'landed', attempt: 1, commit: COMMIT }
const movedAgain: EventBody = { type: 'target-moved', attempt: 1, tip: TIP }
const landingFailed: EventBody = { type: 'landing-failed', attempt: 1, fault }

/** The run is held, and a person answered. */
function answered(
  events: readonly EventBody[],
  how: 'accept' | 'reject' | 'retry',
  attempt?: number,
): EventBody[] {
  const decision = decide(fold(events))
  if (decision.do !== 'hold') throw new Error(`not held: ${decision.do}`)
  const whose = attempt === undefined ? {} : { attempt }
  const answer: EventBody = { type: 'resolved', how, cause: decision.cause, reason: 'r', by: 'b', ...whose }
  return [...events, decided(decision), answer]
}
const weak = one(graded(1, { strength: 'in_process' }))
const unsettled = one(graded(1, { verdict: 'unverifiable', gap: 'fixture', missing: 'a server' }))

const rows: readonly [string, readonly EventBody[], Decision][] = [
  ['an empty journal waits', [], { do: 'wait' }],
  ['a new run asks for the seal first', [started()], { do: 'seal' }],
  [
    'while the oracle works, the first worker starts',
    [started(), sealing],
    { do: 'start', attempt: 1, round: 1 },
  ],
  ['and then the second', [started(), sealing, start(1)], { do: 'start', attempt: 2, round: 1 }],
  ['with all under way it waits', [started(), sealing, start(1), start(2)], { do: 'wait' }],
  [
    'an output is not opened before the seal',
    [started({}, 1), sealing, start(1), delivered(1)],
    { do: 'wait' },
  ],
  [
    'after the seal it is',
    [started({}, 1), sealing, start(1), delivered(1), sealed],
    { do: 'open', attempt: 1, round: 1 },
  ],
  ['a passed gate leads to a grade', one().slice(0, -1), { do: 'grade', attempt: 1, round: 1 }],
  ['verified completes', one(graded(1)), { do: 'complete', attempt: 1 }],
  [
    'refuted tells the worker k of n',
    one(refuted(1)),
    { do: 'feedback', attempt: 1, round: 1, failed: 1, of: 3, bits: 2 },
  ],
  [
    'refuted by landing checks only tells it nothing',
    one(graded(1, { verdict: 'refuted', failed: 0 })),
    { do: 'refute' },
  ],
  [
    'after the feedback the next round starts',
    [
      ...one(refuted(1)),
      decided({ do: 'feedback', attempt: 1, round: 1, failed: 1, of: 3, bits: 2 }),
      { type: 'feedback-given', attempt: 1, round: 1, failed: 1, of: 3 },
    ],
    { do: 'start', attempt: 1, round: 2 },
  ],
  ['no round left refutes', [started({ rounds: 1 }, 1), ...one(refuted(1)).slice(1)], { do: 'refute' }],
  ['no bits left refutes', [started({ feedbackBits: 1 }, 1), ...one(refuted(1)).slice(1)], { do: 'refute' }],
  [
    'verified with a finding is held as tampered',
    one(graded(1, { findings: 1 })),
    { do: 'hold', cause: 'tampered', attempt: 1, missing: 'an explanation of the integrity findings' },
  ],
  [
    'a finding that is named is named in the hold, with what to do about it',
    one(graded(1, { findings: 1, firstFinding: 'forged-frame in a#b' })),
    {
      do: 'hold',
      cause: 'tampered',
      attempt: 1,
      missing:
        'an explanation of forged-frame in a#b: read the diff, then `assay grade TASK --diff FILE --fresh`',
    },
  ],
  [
    'of several findings the first is named, with their number',
    one(graded(1, { findings: 584, firstFinding: 'leftover-process' })),
    {
      do: 'hold',
      cause: 'tampered',
      attempt: 1,
      missing:
        'an explanation of leftover-process, the first of 584 findings: read the diff, then `assay grade TASK --diff FILE --fresh`',
    },
  ],
  [
    'refuted with a finding hears nothing and is held',
    one(graded(1, { findings: 1, verdict: 'refuted' })),
    { do: 'hold', cause: 'tampered', attempt: 1, missing: 'an explanation of the integrity findings' },
  ],
  [
    'unverifiable is held with its gap',
    one(graded(1, { verdict: 'unverifiable', gap: 'spec', missing: 'which of the two' })),
    { do: 'hold', cause: 'unverifiable', gap: 'spec', attempt: 1, missing: 'which of the two' },
  ],
  [
    'weak evidence is held',
    one(graded(1, { strength: 'in_process' })),
    { do: 'hold', cause: 'strength', attempt: 1, missing: 'isolated evidence for every claim' },
  ],
  [
    'a verified output that changes what configures a test runner is held, with the paths',
    one(graded(1, { configuration: ['conftest.py', 'a/.npmrc'] })),
    {
      do: 'hold',
      cause: 'runner-configuration',
      attempt: 1,
      missing: 'leave to change what configures a test runner: conftest.py, a/.npmrc',
    },
  ],
  [
    'a policy may allow that',
    [
      started({ runnerConfigChanges: 'allow' }, 1),
      ...one(graded(1, { configuration: ['conftest.py'] })).slice(1),
    ],
    { do: 'complete', attempt: 1 },
  ],
  [
    'a refuted output is refuted whatever else it changes',
    one(graded(1, { verdict: 'refuted', failed: 0, configuration: ['conftest.py'] })),
    { do: 'refute' },
  ],
  [
    'a refused tree refutes',
    [
      ...one().slice(0, -2),
      opened(1, { gate: { kind: 'refused', refusals: [{ path: 'x', reason: 'gitlink', detail: '' }] } }),
    ],
    { do: 'refute' },
  ],
  [
    'changed dependencies are held',
    [
      ...one().slice(0, -2),
      opened(1, { dependencies: { kind: 'changed', paths: ['package.json'], satisfied: true, missing: [] } }),
    ],
    { do: 'hold', cause: 'dependencies', attempt: 1, missing: 'leave to change what is installed' },
  ],
  [
    'unless the policy allows what is installed',
    [
      started({ dependencyChanges: 'allow-installed' }, 1),
      ...one().slice(1, -2),
      opened(1, { dependencies: { kind: 'changed', paths: ['package.json'], satisfied: true, missing: [] } }),
    ],
    { do: 'grade', attempt: 1, round: 1 },
  ],
  [
    'a failed grade is tried again',
    one({ type: 'grade-failed', attempt: 1, round: 1, fault }),
    { do: 'grade', attempt: 1, round: 1 },
  ],
  [
    'and held as infrastructure when it keeps failing',
    [started({ infraRetries: 0 }, 1), ...one({ type: 'grade-failed', attempt: 1, round: 1, fault }).slice(1)],
    { do: 'hold', cause: 'infrastructure', attempt: 1, missing: fault.message },
  ],
  ['a failed seal is tried again', [started(), sealing, { type: 'seal-failed', fault }], { do: 'seal' }],
  [
    'a set that is not admitted stops the workers',
    [started(), sealing, start(1), start(2), { type: 'not-sealed', reasons: ['no claim'], gap: 'spec' }],
    { do: 'stop', attempt: 1, why: 'not-sealed' },
  ],
  [
    'every one of them',
    [
      started(),
      sealing,
      start(1),
      start(2),
      { type: 'not-sealed', reasons: ['no claim'], gap: 'spec' },
      decided({ do: 'stop', attempt: 1, why: 'not-sealed' }),
    ],
    { do: 'stop', attempt: 2, why: 'not-sealed' },
  ],
  [
    'while one is being stopped, it waits',
    [
      started({}, 1),
      sealing,
      start(1),
      { type: 'not-sealed', reasons: ['no claim'], gap: 'spec' },
      decided({ do: 'stop', attempt: 1, why: 'not-sealed' }),
    ],
    { do: 'wait' },
  ],
  [
    'and is then held',
    [
      started({}, 1),
      sealing,
      start(1),
      { type: 'not-sealed', reasons: ['no claim'], gap: 'spec' },
      decided({ do: 'stop', attempt: 1, why: 'not-sealed' }),
      { type: 'stopped', attempt: 1 },
    ],
    { do: 'hold', cause: 'not-sealed', gap: 'spec', missing: 'no claim' },
  ],
  [
    'the first verified output stops the others',
    [
      started(),
      sealing,
      start(1),
      start(2),
      sealed,
      delivered(1),
      decided({ do: 'open', attempt: 1, round: 1 }),
      opened(1),
      grading(1),
      graded(1),
    ],
    { do: 'stop', attempt: 2, why: 'lost' },
  ],
  [
    'a seal that keeps failing is held as infrastructure',
    [started({ infraRetries: 0 }, 1), sealing, { type: 'seal-failed', fault }],
    { do: 'hold', cause: 'infrastructure', missing: fault.message },
  ],
  ['while the loser is being stopped, it waits', lost, { do: 'wait' }],
  [
    'and completes when nothing runs any more',
    [...lost, { type: 'stopped', attempt: 2 }],
    { do: 'complete', attempt: 1 },
  ],
  [
    'a race of all completes with the lowest number when all are at their end',
    [
      started({ race: 'all' }),
      ...one(graded(1)).slice(1),
      start(2),
      delivered(2),
      decided({ do: 'open', attempt: 2, round: 1 }),
      opened(2),
      grading(2),
      graded(2),
    ],
    { do: 'complete', attempt: 1 },
  ],
  [
    'verified without a guard is held where the policy requires one',
    [
      started({ requireGuard: true }, 1),
      ...one(graded(1))
        .slice(1)
        .map((event): EventBody => (event.type === 'sealed' ? { ...event, hasGuard: false } : event)),
    ],
    { do: 'hold', cause: 'no-guard', attempt: 1, missing: 'a valid guard' },
  ],
  [
    'a doubt about one attempt goes to a person though another is refuted',
    [
      started({ rounds: 1 }),
      ...one(refuted(1)).slice(1),
      start(2),
      delivered(2),
      decided({ do: 'open', attempt: 2, round: 1 }),
      opened(2),
      grading(2),
      graded(2, { verdict: 'unverifiable', gap: 'fixture', missing: 'a server' }),
    ],
    { do: 'hold', cause: 'unverifiable', gap: 'fixture', attempt: 2, missing: 'a server' },
  ],
  [
    'in a race of all it does not',
    [
      started({ race: 'all' }),
      sealing,
      start(1),
      start(2),
      sealed,
      delivered(1),
      decided({ do: 'open', attempt: 1, round: 1 }),
      opened(1),
      grading(1),
      graded(1),
    ],
    { do: 'wait' },
  ],
  [
    'an attempt that hears nothing is refuted at once',
    [
      started({}, 2),
      sealing,
      start(1),
      start(2),
      sealed,
      delivered(2),
      decided({ do: 'open', attempt: 2, round: 1 }),
      opened(2),
      grading(2),
      refuted(2),
    ],
    { do: 'wait' },
  ],
  [
    'with one answer of the landing checks left, the second output is not graded beside the first',
    both({ landingAnswers: 1 }),
    { do: 'wait' },
  ],
  [
    'an output that fails a check for feedback takes none: the other one is graded',
    [...both({ landingAnswers: 1, rounds: 1 }), refuted(1)],
    { do: 'grade', attempt: 2, round: 1 },
  ],
  [
    'and so it is when the grade failed by the infrastructure',
    [...both({ landingAnswers: 1, infraRetries: 0 }), { type: 'grade-failed', attempt: 1, round: 1, fault }],
    { do: 'grade', attempt: 2, round: 1 },
  ],
  [
    'when the landing checks have answered, an output that is left is held',
    [...both({ landingAnswers: 1 }), graded(1, { verdict: 'refuted', failed: 0 })],
    {
      do: 'hold',
      cause: 'landing-spent',
      gap: 'fixture',
      attempt: 2,
      missing: 'landing checks that have not answered yet',
    },
  ],
  [
    'unless the answer was yes',
    [...both({ landingAnswers: 1, race: 'all' }), graded(1)],
    { do: 'complete', attempt: 1 },
  ],
  [
    'a set without landing checks has no such bound',
    [
      ...both({ landingAnswers: 1 }).map((event): EventBody => (event.type === 'sealed' ? sealed : event)),
      graded(1, { verdict: 'refuted', failed: 0 }),
    ],
    { do: 'grade', attempt: 2, round: 1 },
  ],
  [
    'a run without attempts is held',
    [started({}, 0), sealing, sealed],
    { do: 'hold', cause: 'nothing-delivered', missing: 'an attempt' },
  ],
  ['two clean outputs of a race best are compared', twoOfBest, { do: 'compare', attempts: [1, 2] }],
  ['while they are compared, it waits', [...twoOfBest, comparing], { do: 'wait' }],
  [
    'when they behave the same, the smallest diff wins',
    [...twoOfBest, comparing, compared([1, 2], 0)],
    { do: 'complete', attempt: 2 },
  ],
  [
    'when they do not, a person is asked, with input and both observations',
    [...twoOfBest, comparing, compared([1, 2], 3)],
    {
      do: 'hold',
      cause: 'race-differs',
      gap: 'spec',
      missing: 'word on which is right: input 1: attempt 1 gave 2, attempt 2 gave 3',
    },
  ],
  [
    'when nothing can tell how they behave, that is no agreement',
    [...twoOfBest, comparing, compared([1, 2], 0, 0)],
    {
      do: 'hold',
      cause: 'not-compared',
      gap: 'fixture',
      missing: 'scenarios that tell how outputs behave that differ',
    },
  ],
  [
    'a person can say whose output it is to be',
    answered([...twoOfBest, comparing, compared([1, 2], 3)], 'accept', 1),
    { do: 'complete', attempt: 1 },
  ],
  [
    'comparing that failed is tried again',
    [...twoOfBest, comparing, { type: 'compare-failed', fault }],
    { do: 'compare', attempts: [1, 2] },
  ],
  [
    'and held when it keeps failing',
    [
      started({ race: 'best', infraRetries: 0 }),
      ...twoOfBest.slice(1),
      comparing,
      { type: 'compare-failed', fault },
    ],
    { do: 'hold', cause: 'infrastructure', missing: fault.message },
  ],
  [
    'tampering that is found while comparing speaks against that output, and the other one wins',
    [
      ...twoOfBest,
      comparing,
      { ...compared([1, 2], 0), tampered: { attempt: 2, finding: 'forged-frame in a' } } as EventBody,
    ],
    { do: 'complete', attempt: 1 },
  ],
  [
    'a clean output of a race best alone needs no comparison',
    [started({ race: 'best' }, 1), ...one(graded(1)).slice(1)],
    { do: 'complete', attempt: 1 },
  ],
  ['a winner is merged with what the branch is', landing({}), { do: 'merge', attempt: 1 }],
  [
    'what was graded is what is committed',
    landing({}, merging, merged(1)),
    { do: 'commit', attempt: 1, tree, tip: TIP },
  ],
  [
    'what became another tree by merging is graded',
    landing({}, merging, moved),
    { do: 'regrade', attempt: 1, tree: MERGED_TREE },
  ],
  [
    'and committed when it is verified',
    landing({}, merging, moved, regrading, regraded(1, MERGED_TREE, 'verified')),
    { do: 'commit', attempt: 1, tree: MERGED_TREE, tip: TIP },
  ],
  [
    'and held when it is refuted',
    landing({}, merging, moved, regrading, regraded(1, MERGED_TREE, 'refuted')),
    {
      do: 'hold',
      cause: 'merge-refuted',
      attempt: 1,
      missing: `an output that stands with what landed meanwhile: 1 of 3 checks fail on tree ${MERGED_TREE}`,
    },
  ],
  [
    'and held when it cannot be settled',
    landing({}, merging, moved, regrading, regraded(1, MERGED_TREE, 'unverifiable')),
    { do: 'hold', cause: 'unverifiable', attempt: 1, missing: 'a check for every claim' },
  ],
  [
    'its id is in the journal before it lands',
    landing({}, merging, merged(1), committing, committed),
    landIt,
  ],
  [
    'landed, it completes',
    landing({}, merging, merged(1), committing, committed, decided(landIt), landed),
    { do: 'complete', attempt: 1 },
  ],
  [
    'a branch that moved is merged again',
    landing({}, merging, merged(1), committing, committed, decided(landIt), movedAgain),
    { do: 'merge', attempt: 1 },
  ],
  [
    'and held when it moves too often',
    landing({ landingTries: 1 }, merging, merged(1), committing, committed, decided(landIt), movedAgain),
    {
      do: 'hold',
      cause: 'target-moves',
      attempt: 1,
      missing: 'a branch that stays where it is while a tree is graded',
    },
  ],
  [
    'a conflict is held with its paths',
    landing({}, merging, { type: 'merge-conflict', attempt: 1, tip: TIP, paths: ['a', 'b'] }),
    { do: 'hold', cause: 'conflict', attempt: 1, missing: 'a merge of a, b' },
  ],
  [
    'protected paths are held',
    landing({}, merging, merged(1, { protected: ['.github/x.yml'] })),
    { do: 'hold', cause: 'protected-paths', attempt: 1, missing: 'leave to change .github/x.yml' },
  ],
  [
    'until a person lets them pass',
    answered(landing({}, merging, merged(1, { protected: ['.github/x.yml'] })), 'accept'),
    { do: 'commit', attempt: 1, tree, tip: TIP },
  ],
  [
    'a merged tree that the gate refuses is held',
    landing(
      {},
      merging,
      merged(1, { gate: { kind: 'refused', refusals: [{ path: 'a', reason: 'gitlink', detail: '' }] } }),
    ),
    {
      do: 'hold',
      cause: 'merge-refuted',
      attempt: 1,
      missing: 'a merged tree that passes the gate: a: gitlink',
    },
  ],
  [
    'dependencies that the branch changed meanwhile are held',
    landing({}, merging, {
      ...moved,
      dependencies: { kind: 'changed', paths: [], satisfied: false, missing: [] },
    }),
    { do: 'hold', cause: 'dependencies', attempt: 1, missing: 'leave to change what is installed' },
  ],
  [
    'with nothing left to change, it completes without landing',
    landing({}, merging, merged(1, { changed: 0 })),
    { do: 'complete', attempt: 1 },
  ],
  [
    'a repository that does not take it is held',
    landing({}, merging, merged(1), committing, committed, decided(landIt), {
      type: 'land-refused',
      attempt: 1,
      why: 'hook declined',
    }),
    {
      do: 'hold',
      cause: 'landing-refused',
      attempt: 1,
      missing: 'a repository that takes the commit: hook declined',
    },
  ],
  [
    'a step of landing that failed is tried again',
    landing({}, merging, landingFailed),
    { do: 'merge', attempt: 1 },
  ],
  [
    'and held when it keeps failing',
    landing({ infraRetries: 0 }, merging, landingFailed),
    { do: 'hold', cause: 'infrastructure', attempt: 1, missing: fault.message },
  ],
  [
    'a resumed landing asks the branch again',
    landing({}, merging, merged(1), committing, committed, decided(landIt), { type: 'resumed', reason: 'k' }),
    landIt,
  ],
  [
    'evidence that a person accepts is strong enough, and the decision says so',
    answered(weak, 'accept'),
    { do: 'complete', attempt: 1, accepted: ['strength'] },
  ],
  [
    'so is what no check settles',
    answered(unsettled, 'accept'),
    { do: 'complete', attempt: 1, accepted: ['unverifiable'] },
  ],
  [
    'a finding that a person explained lets it pass',
    answered(one(graded(1, { findings: 1 })), 'accept'),
    { do: 'complete', attempt: 1, accepted: ['tampered'] },
  ],
  ['a rejected run is refuted by a person', answered(weak, 'reject'), { do: 'refute', by: 'person' }],
  [
    'a retry grades anew, whatever was graded before',
    answered(unsettled, 'retry'),
    { do: 'grade', attempt: 1, round: 1, fresh: true },
  ],
  [
    'leave to change what is installed leads to a grade',
    answered(
      one()
        .slice(0, -2)
        .concat(opened(1, { dependencies: { kind: 'changed', paths: [], satisfied: false, missing: [] } })),
      'accept',
    ),
    { do: 'grade', attempt: 1, round: 1 },
  ],
  [
    'a retry after a refused set asks for another one',
    answered([started({}, 1), sealing, { type: 'not-sealed', reasons: ['r'], gap: 'spec' }], 'retry'),
    { do: 'seal' },
  ],
  [
    'accepting what has no output holds it as before',
    answered([started({}, 1), sealing, { type: 'not-sealed', reasons: ['r'], gap: 'spec' }], 'accept'),
    { do: 'hold', cause: 'not-sealed', gap: 'spec', missing: 'r' },
  ],
  [
    'a retry after a failed infrastructure tries the step again',
    answered([started({ infraRetries: 0 }, 1), sealing, { type: 'seal-failed', fault }], 'retry'),
    { do: 'seal' },
  ],
  [
    'an attempt whose time is over hears nothing more',
    [
      started({}, 1),
      sealing,
      start(1),
      sealed,
      { ...delivered(1), spent: true } as EventBody,
      decided({ do: 'open', attempt: 1, round: 1 }),
      opened(1),
      grading(1),
      refuted(1),
    ],
    { do: 'refute' },
  ],
  [
    'a finished run waits for ever',
    [...one(graded(1)), decided({ do: 'complete', attempt: 1 }), refuted(1)],
    { do: 'wait' },
  ],
  [
    'a resumed run does again what was under way',
    [...one(), { type: 'resumed', reason: 'kill' }],
    { do: 'grade', attempt: 1, round: 1 },
  ],
]

describe('decide', () => {
  it.each(rows)('%s', (_, events, expected) => {
    expect(decide(fold(events))).toEqual(expected)
  })
})
