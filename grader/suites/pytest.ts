import type { SuiteFramework } from './framework.ts'
import { plantPythonCanaries } from './pure/python-canary.ts'
import { readReport } from './pure/read-report.ts'

/**
 * pytest: a program of ours loads it before anything of the tree can be found, and ends the process itself. No plugin of
 * the image, no configuration and no compiled file of the tree is read.
 */
export const pytest: SuiteFramework = {
  name: 'pytest',
  runtime: 'python',
  assets: ['pytest/run.py', 'pytest/pytest.ini'],
  launch: ({ tree, own, tmp, files, added, reportFd, nonce }) => ({
    argv: ['python3', '-I', '-B', '-X', `pycache_prefix=${tmp}/pycache`, `${own}/pytest/run.py`],
    env: { PYTEST_DISABLE_PLUGIN_AUTOLOAD: '1' },
    cwd: tree,
    stdin: JSON.stringify({ tree, own: `${own}/pytest`, files, added, reportFd, nonce }),
  }),
  read: readReport,
  // A file that could not be collected makes it 1 without a failed test; nothing collected at all, 5.
  agrees: ({ code }, { results }) =>
    results.some(({ status }) => status === 'failed' || status === 'error')
      ? code === 1
      : code === 0 || code === 1 || (code === 5 && results.length === 0),
  plantCanaries: plantPythonCanaries,
}
