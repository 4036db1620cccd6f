import { Fault } from '../../specs/fault.ts'
import type { FrameworkName } from '../../specs/suite.ts'
import type { SuiteFramework } from './framework.ts'
import { nodeTest } from './node-test.ts'
import { pytest } from './pytest.ts'

const FRAMEWORKS: Readonly<Partial<Record<FrameworkName, SuiteFramework>>> = {
  pytest,
  'node-test': nodeTest,
}

/** @throws Fault `oracle/suite-framework` for one that there is no adapter for. */
export function frameworkOf(name: FrameworkName): SuiteFramework {
  const framework = FRAMEWORKS[name]
  if (framework === undefined) throw new Fault('oracle/suite-framework', `suites of ${name} cannot be run`)
  return framework
}
