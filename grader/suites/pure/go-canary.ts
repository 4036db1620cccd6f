import type { PlantedCanary } from '../framework.ts'
import { pick } from './canary-name.ts'
import { otherThan } from './other-value.ts'

interface TestFunction {
  readonly first: number
  readonly last: number
  readonly name: string
  readonly parameter: string
}

const TEST = /^func Test(?<name>[A-Z]\w*)\((?<parameter>\w+) \*testing\.T\) \{$/
const LITERAL = String.raw`-?\d+(?:\.\d+)?|"[^"\\]*"`
/** `if got := f(); got != 3 {`. With an `&&` another value would not make it true. */
const CONDITION = new RegExp(String.raw`^(?<before>\tif (?!.*&&).*!= )(?<value>${LITERAL})(?<after> \{)$`)
/** `assert.Equal(t, 3, f())` of testify. */
const ASSERTION = new RegExp(
  String.raw`^(?<before>\t(?:assert|require)\.Equal\(\w+, )(?<value>${LITERAL})(?<after>, .+\))$`,
)
/** A body that may end before it comes to its last line. */
const MAY_LEAVE = /\breturn\b|\.Skip|\bgoto\b/
const TAILS = ['Again', 'Twice', 'AsBefore', 'AsWell', 'InARow', 'EachTime'] as const

/**
 * Puts a test that must fail into a file of Go tests, after one of them: a copy of another, in which something is
 * compared once with what that expects and once with something else. Whatever the product does, one of the two cannot
 * hold. Where no test lends itself to that, the canary compares a value of its own.
 */
export function plantGoCanary(source: string, path: string, random: () => number): PlantedCanary | undefined {
  const lines = source.split('\n')
  const [first, ...rest] = findTests(lines)
  if (first === undefined) return undefined
  const tests = [first, ...rest] as const
  const model = pick(tests, random)
  const anchor = pick(tests, random)
  const taken = new Set(source.match(/\bTest\w*/g))
  const name = nameBeside(tests, taken, random)
  const body =
    contradicted(lines.slice(model.first + 1, model.last), random) ?? falsehood(model.parameter, random)
  const canary = ['', `func ${name}(${model.parameter} *testing.T) {`, ...body, '}']
  const folder = path.includes('/') ? `./${path.slice(0, path.lastIndexOf('/'))}` : '.'
  return {
    source: lines.toSpliced(anchor.last + 1, 0, ...canary).join('\n'),
    test: `${folder} ${name}`,
  }
}

/** The test functions of a file that gofmt has laid out. */
function findTests(lines: readonly string[]): readonly TestFunction[] {
  return lines.flatMap((line, first) => {
    const { name, parameter } = TEST.exec(line)?.groups ?? {}
    const last = lines.indexOf('}', first)
    return name === undefined || parameter === undefined || last < 0 ? [] : [{ first, last, name, parameter }]
  })
}

function nameBeside(
  tests: readonly [TestFunction, ...TestFunction[]],
  taken: ReadonlySet<string>,
  random: () => number,
): string {
  for (let tries = 0; tries < tests.length; tries += 1) {
    const head = wordsOf(pick(tests, random).name)
    const tail = wordsOf(pick(tests, random).name)
    const halves = [...head.slice(0, Math.ceil(head.length / 2)), ...tail.slice(Math.ceil(tail.length / 2))]
    const name = `Test${halves.join('')}`
    if (!taken.has(name)) return name
  }
  let name = `Test${pick(tests, random).name}${pick(TAILS, random)}`
  while (taken.has(name)) name += pick(TAILS, random)
  return name
}

function wordsOf(name: string): readonly string[] {
  return name.match(/[A-Z]+(?![a-z])|[A-Z][a-z]*|[^A-Z]+/g) ?? [name]
}

/** A body with one of its comparisons made a second time, with a value that cannot be right as well. */
function contradicted(body: readonly string[], random: () => number): readonly string[] | undefined {
  if (body.some((line) => MAY_LEAVE.test(line))) return undefined
  const [first, ...rest] = body.flatMap((line, start) => comparisonAt(body, line, start))
  if (first === undefined) return undefined
  const { start, end, before, value, after } = pick([first, ...rest], random)
  const block = body.slice(start, end + 1)
  const wrong = otherThan(value, random)
  const other = [before + wrong + after, ...block.slice(1).map((line) => inTexts(line, value, wrong))]
  const pair = random() < 0.5 ? [...block, ...other] : [...other, ...block]
  return body.toSpliced(start, block.length, ...pair)
}

/** A message repeats what is wanted. */
function inTexts(line: string, value: string, other: string): string {
  const bare = (literal: string) => literal.replaceAll('"', '')
  const words = new RegExp(String.raw`(?<!\w)${RegExp.escape(bare(value))}(?!\w)`, 'g')
  return line.replace(/"(?:[^"\\]|\\.)*"/g, (text) => text.replace(words, () => bare(other)))
}

interface Comparison {
  readonly start: number
  readonly end: number
  readonly before: string
  readonly value: string
  readonly after: string
}

function comparisonAt(body: readonly string[], line: string, start: number): readonly Comparison[] {
  const assertion = ASSERTION.exec(line)?.groups
  const { before, value, after } = assertion ?? CONDITION.exec(line)?.groups ?? {}
  if (before === undefined || value === undefined || after === undefined) return []
  const end = assertion === undefined ? body.indexOf('\t}', start) : start
  const fails =
    assertion !== undefined || body.slice(start, end).some((text) => /\.(?:Error|Fatal)/.test(text))
  return end >= 0 && fails ? [{ start, end, before, value, after }] : []
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
