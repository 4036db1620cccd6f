import type { CanaryOrder, PlantedCanaries } from '../framework.ts'
import { pick } from './canary-name.ts'
import { goContradictions, type GoContradiction } from './go-assertions.ts'
import { findGoTests, type GoTest } from './go-tests.ts'
import { plantCopies } from './plant.ts'

/**
 * Puts tests that must fail into a file of Go tests, after one of them: each is a copy of one, in which a comparison stands
 * beside another that cannot hold as well: whatever the product does, one of the two fails. Where no test lends itself to
 * that, one compares a value of its own.
 */
export function plantGoCanaries(
  source: string,
  path: string,
  order: CanaryOrder,
): PlantedCanaries | undefined {
  const { random } = order
  const lines = source.split('\n')
  const [first, ...rest] = findGoTests(lines)
  if (first === undefined) return undefined
  const tests = [first, ...rest] as const
  const folder = path.includes('/') ? `./${path.slice(0, path.lastIndexOf('/'))}` : '.'
  const models = tests.flatMap((of) =>
    goContradictions(lines, of, random).map((one) => ({
      ...one,
      of,
      test: `${folder} Test${of.name}`,
      isComparison: true,
    })),
  )
  const standing = (name: string, parameter: string, body: readonly string[]) => {
    const head = `func ${name}(${parameter} *testing.T) {`
    const at = endOfLine(lines, pick(tests, random).last)
    return { at, text: ['\n', head, ...body, '}'].join('\n'), test: `${folder} ${name}` }
  }
  return plantCopies(
    source,
    models,
    {
      words: tests.map(({ name }) => wordsOf(name).join(' ')),
      taken: source.match(/\bTest\w*/g) ?? [],
      spell: (words) => `Test${words.split(' ').map(capitalised).join('')}`,
    },
    order,
    (model, name) => standing(name, model.of.parameter, contradicted(lines, model, random)),
    (name) => standing(name, first.parameter, falsehood(first.parameter, random)),
  )
}

function endOfLine(lines: readonly string[], index: number): number {
  return lines.slice(0, index + 1).join('\n').length
}

function wordsOf(name: string): readonly string[] {
  return name.match(/[A-Z]+(?![a-z])|[A-Z][a-z]*|[^A-Z]+/g) ?? [name]
}

function capitalised(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1)
}

/** A body with one of its comparisons beside what it cannot be as well. */
function contradicted(
  lines: readonly string[],
  { of, first, last, other }: GoContradiction & { readonly of: GoTest },
  random: () => number,
): readonly string[] {
  const block = lines.slice(first, last + 1)
  const pair = random() < 0.5 ? [...block, ...other] : [...other, ...block]
  return [...lines.slice(of.first + 1, first), ...pair, ...lines.slice(last + 1, of.last)]
}

function falsehood(parameter: string, random: () => number): readonly string[] {
  const size = 2 + Math.floor(random() * 7)
  const wrong = size + 1 + Math.floor(random() * 7)
  return [
    `\tvalues := make([]int, ${size})`,
    `\tif len(values) != ${wrong} {`,
    `\t\t${parameter}.Errorf("len(values) = %d, want ${wrong}", len(values))`,
    '\t}',
  ]
}
