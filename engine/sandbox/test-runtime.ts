import type { TestContext } from 'vitest'
import { isGvisor } from '../pure/sandbox/container-options.ts'
import { DockerSandbox } from './docker-sandbox.ts'
import { TEST_STATE_DIR } from './docker-test-host.ts'

/** The container runtime that tests of boxes use: `ASSAY_TEST_RUNTIME`, e.g. `runsc`; else the engine's default. */
export const TEST_RUNTIME = process.env['ASSAY_TEST_RUNTIME']

/** Whether that is gVisor, which shows and refuses some things otherwise. */
export const IS_GVISOR = isGvisor(TEST_RUNTIME)

/** The part of a box's description that says so. */
export const testRuntime = (): { readonly runtime?: string } =>
  TEST_RUNTIME === undefined ? {} : { runtime: TEST_RUNTIME }

/** Whether the engine has a runtime. */
export async function hasRuntime(runtime: string): Promise<boolean> {
  const { runtimes } = await DockerSandbox.connect({ stateDir: TEST_STATE_DIR }).info(10_000)
  return runtimes.includes(runtime)
}

/** For `beforeEach`: where the engine has no such runtime a test is skipped, which is printed and counted. */
export async function skipWithoutRuntime({ skip }: Pick<TestContext, 'skip'>): Promise<void> {
  skip(TEST_RUNTIME !== undefined && !(await hasRuntime(TEST_RUNTIME)), `no runtime ${TEST_RUNTIME}`)
}
