import type { SuiteFramework } from './framework.ts'
import { agreesByStatus, readReport } from './pure/read-report.ts'
import { plantJsCanaries } from './pure/js-canary.ts'
import { nodeLaunch } from './pure/node-launch.ts'

/** vitest: our parent drives its programming interface; files run in forks of vitest's own. */
export const vitest: SuiteFramework = {
  name: 'vitest',
  runtime: 'node',
  assets: [
    'shared/report.cjs',
    'shared/installed.cjs',
    'shared/lock.cjs',
    'vitest/runner.cjs',
    'vitest/setup.mjs',
  ],
  // CI: snapshots are compared, never written.
  launch: (at) => nodeLaunch(at, 'vitest/runner.cjs', { env: { CI: '1' } }),
  read: readReport,
  agrees: agreesByStatus,
  plantCanaries: plantJsCanaries,
}
