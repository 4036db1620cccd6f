import type { SuiteFramework } from './framework.ts'
import { plantNodeTestCanary } from './pure/node-test-canary.ts'
import { agreesByStatus, readReport } from './pure/read-report.ts'

/**
 * node:test: a parent of ours, in which nothing of the tree runs, starts a process for each sealed file. There a program
 * of ours loads node:test and node:assert first, freezes them, runs the file and reports to the parent; nothing is read
 * from what the file prints.
 */
export const nodeTest: SuiteFramework = {
  name: 'node-test',
  runtime: 'node',
  assets: ['node-test/runner.cjs', 'node-test/child.cjs', 'node-test/entry.mjs'],
  launch: ({ tree, own, tmp, files, reportFd, nonce }) => ({
    argv: ['node', `${own}/node-test/runner.cjs`],
    env: {},
    cwd: tmp,
    stdin: JSON.stringify({ tree, files, reportFd, nonce }),
  }),
  read: readReport,
  agrees: agreesByStatus,
  plantCanary: plantNodeTestCanary,
}
