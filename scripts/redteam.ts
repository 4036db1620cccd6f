import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { stateRoot } from '../engine/state-directory.ts'
import { openWorkshop } from '../engine/workshop.ts'
import { readSeeds } from './redteam/read-seeds.ts'
import { isInHalf, questionsOf, totalsOf, type Result } from './redteam/result.ts'
import { kindTable, resultTable, totalsLine } from './redteam/table.ts'
import { tryAll } from './redteam/try-all.ts'

/**
 * `npm run redteam`: every attack of `corpus/redteam` on a wrong and on a right fix, and every honest look-alike.
 * `--half`: the fixed half. `--only ID`: these seeds (more than once). `--by scenario|suite`: only these checks.
 * `--json FILE`: the results as a document.
 */
const { values: flags } = parseArgs({
  options: {
    half: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true, default: [] },
    by: { type: 'string' },
    json: { type: 'string' },
  },
})
const { kinds, attacks, lookAlikes } = readSeeds()
const questions = questionsOf(attacks, lookAlikes).filter(
  (question) =>
    (!flags.half || isInHalf(question)) &&
    (flags.only.length === 0 || flags.only.includes(question.seed.id)) &&
    (flags.by === undefined || flags.by === question.mechanism),
)
const workshop = await openWorkshop({ stateRoot: stateRoot(undefined, process.env) })
const started = performance.now()
const results = await tryAll(workshop, questions, tell, new AbortController().signal)
const seconds = Number(((performance.now() - started) / 1000).toFixed(1))
const totals = totalsOf(results)
console.log(resultTable(results))
console.log(`\n${kindTable(results, kinds)}\n`)
console.log(`${totalsLine(totals)}; ${seconds} s`)
if (flags.json !== undefined) {
  writeFileSync(flags.json, `${JSON.stringify({ totals, seconds, results }, null, 2)}\n`)
}
process.exitCode = totals.surprises === 0 && results.length > 0 ? 0 : 1

function tell({ seed, side, mechanism, byDefault, got, because, ok }: Result): void {
  const why = because.length === 0 ? '' : `: ${because.slice(0, 3).join('; ').slice(0, 400)}`
  console.error(
    `${ok ? 'ok      ' : 'SURPRISE'} ${seed} on ${side} by ${mechanism}${byDefault ? ', default policy' : ''}: ${got}${ok ? '' : why}`,
  )
}
