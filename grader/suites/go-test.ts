import type { SuiteFramework, SuitePlaces } from './framework.ts'
import { plantGoCanaries } from './pure/go-canary.ts'
import { nodeLaunch } from './pure/node-launch.ts'
import { agreesByStatus, readReport } from './pure/read-report.ts'

/** Where an image keeps the modules that base needs: no other is looked for. */
const MODULES = '/box/go-modules'

/** go test: binaries that `go test -c` builds offline, each test run in a process of its own. */
export const goTest: SuiteFramework = {
  name: 'go-test',
  runtime: 'node',
  assets: ['shared/report.cjs', 'shared/child-report.cjs', 'go-test/runner.cjs', 'go-test/report.go'],
  launch: (at) => nodeLaunch(at, 'go-test/runner.cjs', { env: goEnvironment(at) }),
  read: readReport,
  agrees: agreesByStatus,
  plantCanaries: plantGoCanaries,
}

/** Everything that a `go.env`, a workspace or a registry could say, said by us. */
function goEnvironment({ tmp }: SuitePlaces): Readonly<Record<string, string>> {
  return {
    GOENV: 'off',
    // Otherwise Go would ask git about a `.git` in the tree.
    GOFLAGS: '-buildvcs=false',
    GOWORK: 'off',
    GOPROXY: 'off',
    GOSUMDB: 'off',
    GOTOOLCHAIN: 'local',
    GOCACHE: `${tmp}/go-cache`,
    GOPATH: `${tmp}/go`,
    GOMODCACHE: MODULES,
    GOTMPDIR: tmp,
    CGO_ENABLED: '0',
  }
}
