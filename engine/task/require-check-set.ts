import { join } from 'node:path'
import { validateExpectation } from '../../grader/pure/validate-pattern.ts'
import { readSetDirectory } from '../../oracle/authors/files.ts'
import { problemLine } from '../../oracle/pure/problem.ts'
import { CHECK_SET_CAPS, readCheckSet } from '../../oracle/read-check-set.ts'
import { Fault } from '../../specs/fault.ts'

/**
 * A check set that was written beforehand has to be readable before anything begins: its author is not asked again, so
 * a run over it could only be held. What admission on base finds is another matter.
 * @param request the text that claims must quote.
 * @throws Fault `config/check-set` with file, place and what was expected of the first problem.
 */
export async function requireCheckSet(directory: string, request: string): Promise<void> {
  const read = await readSetDirectory(directory, CHECK_SET_CAPS, new AbortController().signal)
  if (read.kind === 'refused') throw new Fault('config/check-set', `${directory}: ${read.reason}`)
  const set = readCheckSet(read.files, { request, validateExpectation })
  if (set.kind === 'read') return
  const [first, ...rest] = set.problems
  if (first === undefined) throw new Fault('bug/check-set', `${directory}: refused without a problem`)
  const more = rest.length === 0 ? '' : ` (and ${rest.length} more)`
  throw new Fault('config/check-set', `${join(directory, problemLine(first))}${more}`)
}
