import type { SuiteFramework } from './framework.ts'
import { agreesByStatus, readReport } from './pure/read-report.ts'
import { plantJsCanaries } from './pure/js-canary.ts'
import { nodeLaunch } from './pure/node-launch.ts'

/** mocha: a parent of ours starts a process for each sealed file and drives mocha's programming interface in it. */
export const mocha: SuiteFramework = {
  name: 'mocha',
  runtime: 'node',
  assets: [
    'shared/report.cjs',
    'shared/child-report.cjs',
    'shared/installed.cjs',
    'shared/lock.cjs',
    'mocha/runner.cjs',
    'mocha/child.cjs',
  ],
  launch: (at) => nodeLaunch(at, 'mocha/runner.cjs'),
  read: readReport,
  agrees: agreesByStatus,
  plantCanaries: plantJsCanaries,
}
