/** Prints what failed and what was skipped, by name, and the closing line. Argument: the folder of results. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { closingLine, tally, vitestReportSchema, type Step } from './tally.ts'

const folder = process.argv[2]
if (folder === undefined) throw new Error('usage: print-tally.ts FOLDER')
const steps = readdirSync(folder)
  .filter((file) => file.endsWith('.status'))
  .map((file) => readStep(folder, file.slice(0, -'.status'.length)))
const counts = tally(steps)
for (const name of counts.skipped) console.log(`skipped: ${name}`)
for (const name of counts.failed) console.log(`failed: ${name}`)
console.log(closingLine(counts))
process.exitCode = counts.failed.length === 0 ? 0 : 1

function readStep(results: string, stem: string): Step {
  const exitCode = Number(readFileSync(join(results, `${stem}.status`), 'utf8'))
  const name = stem.replace(/^check-/, 'check:').replace(/^vitest-/, '')
  const path = join(results, `${stem}.json`)
  if (!existsSync(path))
    return { name, exitCode: stem.startsWith('vitest-') && exitCode === 0 ? 1 : exitCode }
  return { name, exitCode, report: vitestReportSchema.parse(JSON.parse(readFileSync(path, 'utf8'))) }
}
