import type { CanaryOrder, PlantedCanaries } from '../framework.ts'
import { pick } from './canary-name.ts'
import type { Contradiction } from './contradiction.ts'
import { jsContradictions } from './js-assertions.ts'
import { findJsTests, jsSource, type JsTest } from './js-tests.ts'
import { plantCopies, type Planting } from './plant.ts'

/**
 * Puts tests that must fail into a file of tests in JavaScript or TypeScript. Each is a copy of one of its neighbours, in
 * which one of its assertions is beside another that cannot hold as well: whatever the product does, one of the two fails.
 * Where no neighbour lends itself to that, one compares a value of its own.
 */
export function plantJsCanaries(
  source: string,
  path: string,
  order: CanaryOrder,
): PlantedCanaries | undefined {
  const { random } = order
  const code = jsSource(source)
  const tests = findJsTests(code)
  const names = namesIn(source)
  const idOf = ({ groups }: JsTest, name: string) => [path, ...groups, name].join(' > ')
  const models = tests.flatMap((of) =>
    jsContradictions(code, of, random).map((one) => ({ ...one, of, test: idOf(of, of.name) })),
  )
  return plantCopies(
    source,
    models,
    { words: names, taken: names, spell: (words) => words },
    order,
    (model, name) => {
      // Anywhere after it between its neighbours: they see the same variables.
      const beside = tests.filter(
        ({ groups, start }) => isSame(groups, model.of.groups) && start > model.of.start,
      )
      const anchor = pick([model.of, ...beside], random)
      const text = gapAround(source, anchor) + copyOf(source, name, model, random)
      return { at: anchor.end, text, test: idOf(model.of, name) }
    },
    (name) => plantedAtEnd(source, path, name, random),
  )
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.join('\n') === other.join('\n')
}

/** Names of tests, without those that a table of values would be put into. */
function namesIn(source: string): readonly string[] {
  const calls = source.matchAll(
    /(?<![\w$.])(?:it|test|specify)(?:\.\w+(?:\([^'"`]*?\))?)*\(\s*(['"`])([^'"`\\$%\n]+)\1/g,
  )
  return [...calls].map((call) => call[2] ?? '')
}

function copyOf(
  source: string,
  name: string,
  { of: test, start, end, other }: Contradiction & { readonly of: JsTest },
  random: () => number,
): string {
  const own = source.slice(start, end)
  const pair = random() < 0.5 ? [own, other] : [other, own]
  const quote = source.charAt(test.title.start)
  const head = `${source.slice(test.start, test.title.start)}${quote}${name}${quote}`
  const rest = (from: number, to: number) => source.slice(from, to)
  if (!test.body.isBlock) {
    const both = `{ ${pair.join('; ')} }`
    return `${head}${rest(test.title.end, test.body.start)}${both}${rest(test.body.end, test.end)}`
  }
  const line = source.slice(source.lastIndexOf('\n', start - 1) + 1, start)
  const isAlone = line.trim() === ''
  const stop = source[end] === ';' ? ';' : ''
  const between = isAlone ? `${stop}${endOfLine(source)}${line}` : '; '
  return `${head}${rest(test.title.end, start)}${pair.join(between)}${rest(end, test.end)}`
}

/** What stands between one test and the next. */
function gapAround(source: string, { start, end }: JsTest): string {
  const eol = endOfLine(source)
  const line = source.slice(source.lastIndexOf('\n', start - 1) + 1, start)
  if (line.trim() !== '') return ' '
  const isSpaced =
    /^\r?\n[ \t]*\r?\n/.test(source.slice(end)) || /\n[ \t]*\r?\n[ \t]*$/.test(source.slice(0, start))
  return `${isSpaced ? eol : ''}${eol}${line}`
}

function endOfLine(source: string): string {
  return source.includes('\r\n') ? '\r\n' : '\n'
}

/** For files in another form: a test after all others, which is at the top level whatever stands before. */
function plantedAtEnd(
  source: string,
  path: string,
  name: string,
  random: () => number,
): Planting | undefined {
  const word = /^\s*(it|test|specify)(?:\.\w+)*\(/m.exec(source)?.[1]
  if (word === undefined) return undefined
  const eol = endOfLine(source)
  const lines = [
    `${word}('${name}', () => {`,
    ...falsehood(source, random).map((line) => `  ${line}`),
    '})',
    '',
  ]
  const gap = source.endsWith('\n') ? eol : eol + eol
  return { at: source.length, text: gap + lines.join(eol), test: `${path} > ${name}` }
}

/** Two lines that compare wrongly, with what the file compares with. */
function falsehood(source: string, random: () => number): readonly [string, string] {
  const size = 2 + Math.floor(random() * 7)
  const wrong = size + 1 + Math.floor(random() * 7)
  const made = `const values = Array.from({ length: ${size} }, (_, index) => index)`
  if (/\.to\.(?:\w+\.)*equal\(/.test(source)) return [made, `expect(values.length).to.equal(${wrong})`]
  if (/\bexpect\(/.test(source)) return [made, `expect(values.length).toBe(${wrong})`]
  const [, method = 'equal'] = /\bassert\.(equal|strictEqual|deepEqual|deepStrictEqual)\(/.exec(source) ?? []
  if (/\bassert\b/.test(source)) return [made, `assert.${method}(values.length, ${wrong})`]
  return [made, `if (values.length !== ${wrong}) throw new Error(\`\${values.length} values\`)`]
}
