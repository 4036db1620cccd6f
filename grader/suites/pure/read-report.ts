import { z } from 'zod'
import { testStatusSchema } from '../../../specs/suite.ts'
import type { SuiteExit, SuiteReport, TestResult } from '../framework.ts'

const lineSchema = z.union([
  z.strictObject({ test: z.string().min(1).max(4000), status: testStatusSchema }),
  z.strictObject({ end: z.number().int().min(0) }),
  z.strictObject({ unavailable: z.string().max(1000) }),
  z.strictObject({ shadowed: z.array(z.string().max(200)).max(1000) }),
])

const MAX_PROBLEMS = 20
const SHOWN_CHARS = 80

/**
 * Reads a report in the common form: lines `<nonce> <json>`. Everything in it is hostile; nothing here throws. A last
 * line without an end is what a killed runner leaves, and is left out.
 */
export function readReport(report: Uint8Array, nonce: string): SuiteReport {
  const results: TestResult[] = []
  const problems: string[] = []
  const shadowed: string[] = []
  let last: { readonly end?: number; readonly unavailable?: string } = {}
  for (const line of Buffer.from(report).toString('utf8').split('\n').slice(0, -1)) {
    if (problems.length >= MAX_PROBLEMS) break
    const read = readLine(line, nonce)
    if (typeof read === 'string') problems.push(read)
    else if (last.end !== undefined || last.unavailable !== undefined) problems.push('a line after the last')
    else if ('test' in read) results.push(read)
    else if ('shadowed' in read) shadowed.push(...read.shadowed)
    else last = read
  }
  if (last.end !== undefined && last.end !== results.length) {
    problems.push(`the last line counts ${last.end} tests, and ${results.length} came`)
  }
  return { results, ...last, ...(shadowed.length === 0 ? {} : { shadowed }), problems }
}

function readLine(line: string, nonce: string): z.infer<typeof lineSchema> | string {
  const shown = JSON.stringify(line.slice(0, SHOWN_CHARS).toWellFormed())
  if (!line.startsWith(`${nonce} `)) return `forged: ${shown}`
  try {
    const parsed = lineSchema.safeParse(JSON.parse(line.slice(nonce.length + 1)))
    return parsed.success ? parsed.data : 'a line of another form'
  } catch {
    return 'a line that is not JSON'
  }
}

/** For runners that end with 1 when a test failed, and with 0 otherwise. */
export function agreesByStatus({ code }: SuiteExit, { results }: SuiteReport): boolean {
  const isFailure = results.some(({ status }) => status === 'failed' || status === 'error')
  return code === (isFailure ? 1 : 0)
}
