import { join } from 'node:path'
import { validateExpectation } from '../../grader/pure/validate-pattern.ts'
import { readSetDirectory } from '../../oracle/authors/files.ts'
import { EXPLORE_TOLERATES, exploreTree } from '../../oracle/explore.ts'
import { problemLines } from '../../oracle/pure/problem.ts'
import { CHECK_SET_CAPS, readCheckSet } from '../../oracle/read-check-set.ts'
import type { Examiner, Observations } from '../../specs/examiner.ts'
import { Fault } from '../../specs/fault.ts'
import type { PreparedTask } from '../task/prepare-task.ts'

/**
 * What base shows for each row of a set that is still being written, before any expectation stands in it.
 * @throws Fault `config/check-set` when the oracle is no directory or its set cannot be read.
 */
export async function exploreBase(
  prepared: PreparedTask,
  examiner: Examiner,
  signal: AbortSignal,
): Promise<Observations> {
  const { loaded, base } = prepared
  const { oracle } = loaded.task
  if (oracle.kind !== 'files') {
    throw new Fault(
      'config/check-set',
      `task.yaml: oracle.kind: ${oracle.kind}; exploring needs a set in a directory (files)`,
    )
  }
  const directory = join(loaded.directory, oracle.directory)
  const found = await readSetDirectory(directory, CHECK_SET_CAPS, signal)
  if (found.kind === 'refused') throw new Fault('config/check-set', `${directory}: ${found.reason}`)
  const options = { request: loaded.request, validateExpectation, tolerates: EXPLORE_TOLERATES }
  const read = readCheckSet(found.files, options)
  if (read.kind === 'refused') {
    throw new Fault('config/check-set', `${directory}: ${problemLines(read.problems).join('; ')}`)
  }
  return exploreTree({ set: read.set, tree: base, times: 1, orderSeed: 0, signal }, examiner)
}
