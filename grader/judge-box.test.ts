import { describe, expect, it } from 'vitest'
import type { BoxLimits, BoxSpec, Sandbox } from '../specs/sandbox.ts'
import { judgeInBox } from './judge-box.ts'

const limits: BoxLimits = {
  memoryBytes: 2 ** 30,
  cpus: 0.5,
  processes: 500,
  fileSizeBytes: 1,
  openFiles: 1,
  tmpBytes: 1,
  diskBytes: 1,
  inodes: 1,
  outputBytes: 1,
}

describe('a judge box', () => {
  it('has the runtime of all boxes, what the task gives beyond its own limits, and never less than those', async () => {
    const started: BoxSpec[] = []
    const sandbox = {
      startBox: (spec: BoxSpec) => {
        started.push(spec)
        return Promise.reject(new Error('far enough'))
      },
    } as unknown as Sandbox
    const judging = judgeInBox({
      sandbox,
      runId: 'run',
      imageId: 'sha256:judge',
      limits,
      runtime: 'runsc',
      rules: new Map([
        ['a', { row: 'a', check: 'a', role: 'guard', split: 'feedback', judge: 'judges/a.mjs', seed: 0 }],
      ]),
      files: new Map(),
      observed: [{ row: 'a', observation: { outcome: 'timeout', steps: [] } }],
      signal: new AbortController().signal,
    })
    await expect(judging).rejects.toThrow('far enough')
    expect(started).toMatchObject([
      { kind: 'judge', runtime: 'runsc', limits: { memoryBytes: 2 ** 30, processes: 500, cpus: 1 } },
    ])
    expect(started[0]?.limits.openFiles).toBeGreaterThan(1)
  })
})
