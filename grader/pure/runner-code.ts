/**
 * Everything that could change an observation or its judgement, by its place below the root: what is asked of a tree, the
 * tree that a suite is laid over, the boxes that it runs in, and what reads and compares. A test holds this against what
 * grading imports. More than is needed costs a grade that is made again; less would let a grade outlive the mistake that
 * made it.
 */
export const CODE_FOLDERS: readonly string[] = [
  'grader',
  'engine/sandbox',
  'engine/pure/sandbox',
  'engine/trees',
]

/** Single files, where most of a folder has nothing to do with a grade. */
export const CODE_FILES: readonly string[] = [
  'engine/grade/grade-cache.ts',
  'engine/grade/grade-output.ts',
  'engine/grade/open-examiner.ts',
  'engine/pure/box-limits.ts',
  'engine/pure/git-trouble.ts',
  'engine/pure/plan-overlay.ts',
  'engine/pure/tree-caps.ts',
  'engine/pure/tree-changes.ts',
  'engine/pure/well-formed.ts',
  'engine/run/run-id.ts',
  'specs/check-set.ts',
  'specs/digest.ts',
  'specs/expand.ts',
  'specs/expectation.ts',
  'specs/fault.ts',
  'specs/grade.ts',
  'specs/json.ts',
  'specs/observation.ts',
  'specs/protected-paths.ts',
  'specs/row-result.ts',
  'specs/siblings.ts',
  'specs/suite.ts',
  'specs/surroundings.ts',
  'specs/verify-seal.ts',
]

/** What this code calls of others, by the name of the package: its version counts. */
export const CODE_LIBRARIES: readonly string[] = [
  'ajv',
  'canonicalize',
  'dockerode',
  're2js',
  'tar-stream',
  'zod',
]

const NO_CODE = /\.(?:test|contract|d)\.ts$|\.(?:md|pyc)$|(?:^|\/)testing\//

/** Whether a file counts: it is listed, or stands in a listed folder and is no test and no page. */
export function isRunnerCode(path: string): boolean {
  if (CODE_FILES.includes(path)) return true
  return CODE_FOLDERS.some((folder) => path.startsWith(`${folder}/`)) && !NO_CODE.test(path)
}
