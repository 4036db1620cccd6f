import type { SuiteFramework } from './framework.ts'
import { agreesByStatus, readReport } from './pure/read-report.ts'
import { plantJsCanaries } from './pure/js-canary.ts'
import { nodeLaunch } from './pure/node-launch.ts'

/** jest: our parent drives its programming interface; files run in worker processes of jest's own. */
export const jest: SuiteFramework = {
  name: 'jest',
  runtime: 'node',
  assets: [
    'shared/report.cjs',
    'shared/installed.cjs',
    'shared/lock.cjs',
    'jest/runner.cjs',
    'jest/setup.cjs',
    'jest/transform.cjs',
  ],
  // Workers inherit the flag, with which jest can load modules.
  launch: (at) =>
    nodeLaunch(at, 'jest/runner.cjs', {
      flags: ['--experimental-vm-modules'],
      env: { CI: '1', NODE_ENV: 'test' },
    }),
  read: readReport,
  agrees: agreesByStatus,
  plantCanaries: plantJsCanaries,
}
