import type { SuiteFramework } from './framework.ts'
import { plantJsCanaries } from './pure/js-canary.ts'
import { nodeLaunch } from './pure/node-launch.ts'
import { agreesByStatus, readReport } from './pure/read-report.ts'

/**
 * node:test: a parent of ours, in which nothing of the tree runs, starts a process for each sealed file. There a program
 * of ours loads node:test and node:assert first, freezes them, runs the file and reports to the parent; nothing is read
 * from what the file prints.
 */
export const nodeTest: SuiteFramework = {
  name: 'node-test',
  runtime: 'node',
  assets: [
    'shared/report.cjs',
    'shared/child-report.cjs',
    'node-test/runner.cjs',
    'node-test/child.cjs',
    'node-test/entry.mjs',
  ],
  launch: (at) => nodeLaunch(at, 'node-test/runner.cjs'),
  read: readReport,
  agrees: agreesByStatus,
  plantCanaries: plantJsCanaries,
}
