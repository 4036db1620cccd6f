import { stateRoot } from '../engine/state-directory.ts'
import { openWorkshop } from '../engine/workshop.ts'
import { changesOf, corpusTasks, gradeCorpus, type CorpusGrade } from './corpus-grades.ts'

/** `npm run corpus [TASK…]`: grades every tree of the corpus and prints the table of what came out. */
const named = process.argv.slice(2).filter((word) => !word.startsWith('--'))
const asJson = process.argv.includes('--json')
const workshop = await openWorkshop({ stateRoot: stateRoot(undefined, process.env) })
const signal = new AbortController().signal
const grades: CorpusGrade[] = []
for (const task of corpusTasks().filter((one) => named.length === 0 || named.includes(one))) {
  const started = performance.now()
  for (const change of changesOf(task)) {
    const grade = await gradeCorpus(workshop, task, change, signal)
    grades.push(grade)
    if (!grade.ok)
      console.error(
        `${task} ${grade.what}: ${grade.got}, expected ${grade.expect}: ${grade.because.join('; ')}`,
      )
  }
  console.error(`${task}: ${((performance.now() - started) / 1000).toFixed(1)} s`)
}
if (asJson) console.log(JSON.stringify(grades, null, 2))
else console.log(table(grades))
process.exit(grades.every(({ ok }) => ok) ? 0 : 1)

function table(all: readonly CorpusGrade[]): string {
  const rows = [...Map.groupBy(all, ({ task }) => task)].map(([task, some]) => {
    const right = some.filter(({ expect }) => expect === 'verified')
    const wrong = some.filter(({ expect }) => expect === 'not-verified')
    const count = (list: readonly CorpusGrade[], got: CorpusGrade['got']) =>
      list.filter((one) => one.got === got).length
    return `| ${task} | ${right.length} | ${count(right, 'refuted')} | ${wrong.length} | ${count(wrong, 'verified')} | ${count(some, 'unverifiable')} |`
  })
  return [
    '| task | right | false refuted | wrong | false verified | unverifiable |',
    '|---|---|---|---|---|---|',
    ...rows,
  ].join('\n')
}
