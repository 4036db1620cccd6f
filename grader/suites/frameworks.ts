import type { FrameworkName } from '../../specs/suite.ts'
import type { SuiteFramework } from './framework.ts'
import { goTest } from './go-test.ts'
import { jest } from './jest.ts'
import { mocha } from './mocha.ts'
import { nodeTest } from './node-test.ts'
import { pytest } from './pytest.ts'
import { vitest } from './vitest.ts'

const FRAMEWORKS: Readonly<Record<FrameworkName, SuiteFramework>> = {
  pytest,
  'node-test': nodeTest,
  jest,
  vitest,
  mocha,
  'go-test': goTest,
}

export function frameworkOf(name: FrameworkName): SuiteFramework {
  return FRAMEWORKS[name]
}
