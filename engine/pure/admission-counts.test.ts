import { expect, it } from 'vitest'
import { admissionCounts } from './admission-counts.ts'

const policy = { admissionRuns: 3, trialRuns: 1, repeats: 2 }

it.each([
  ['by default base runs three times and a trial as often as an output', policy, 3, 2],
  ['an output that runs more often makes base and trials run as often', { ...policy, repeats: 5 }, 5, 5],
  ['more runs of trials can be asked for', { ...policy, trialRuns: 4 }, 3, 4],
  ['no runs of trials stays none', { ...policy, trialRuns: 0, repeats: 5 }, 5, 0],
])('%s', (_name, asked, admissionRuns, trialRuns) =>
  expect(admissionCounts(asked)).toEqual({ admissionRuns, trialRuns }),
)
