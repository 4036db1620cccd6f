import type { PlantedCanary } from '../framework.ts'
import { canaryName, pick } from './canary-name.ts'
import { findTestBlocks, type TestBlock } from './js-blocks.ts'
import { otherThan } from './other-value.ts'

/** A comparison with a number or a string, on a line of its own: what comes before it, the value, what comes after. */
const COMPARISON = new RegExp(
  [
    String.raw`^(?<before>\s*(?:`,
    String.raw`(?:expect\(.+\)|await expect\(.+\)\.resolves)\.(?:toBe|toEqual|toStrictEqual)\(`,
    String.raw`|expect\(.+\)\.to\.(?:equal|eql|deep\.equal)\(`,
    String.raw`|(?:\w+\.)?(?:equal|strictEqual|deepEqual|deepStrictEqual)\(.+, `,
    String.raw`))(?<value>-?\d+(?:\.\d+)?|'[^'\\]*'|"[^"\\]*")(?<after>\);?)$`,
  ].join(''),
)
/** A body that may end before it comes to its last line. */
const MAY_LEAVE = /\breturn\b|\bskip\(|\btodo\(/

/**
 * Puts a test that must fail into a file of tests in JavaScript or TypeScript. It is a copy of one of its neighbours, in
 * which something is compared once with what the neighbour expects and once with something else. Whatever the product
 * does, one of the two cannot hold. Where no neighbour lends itself to that, it compares a value of its own.
 */
export function plantJsCanary(source: string, path: string, random: () => number): PlantedCanary | undefined {
  const eol = source.includes('\r\n') ? '\r\n' : '\n'
  const lines = source.split(eol)
  const [first, ...rest] = findTestBlocks(lines)
  if (first === undefined) return plantAtEnd(source, path, random, eol)
  const blocks = [first, ...rest] as const
  const model = pick(blocks, random)
  // Anywhere between its neighbours: they see the same variables.
  const beside = blocks.filter(({ groups }) => groups.join('\n') === model.groups.join('\n'))
  const anchor = pick([model, ...beside], random)
  const name = canaryName(
    blocks.map((block) => block.name),
    random,
  )
  if (name === undefined) return undefined
  const body =
    contradicted(lines.slice(model.first + 1, model.last), random) ??
    falsehood(source, random).map((line) => `${model.indent}${unitOf(lines, model)}${line}`)
  const head = headOf(lines, model, name)
  const canary = [head, ...body, lines[model.last] ?? '']
  const isSpaced = lines[anchor.last + 1]?.trim() === '' || lines[anchor.first - 1]?.trim() === ''
  return {
    source: lines.toSpliced(anchor.last + 1, 0, ...(isSpaced ? [''] : []), ...canary).join(eol),
    test: [path, ...model.groups, name].join(' > '),
  }
}

/** The first line of a test, with another name. */
function headOf(lines: readonly string[], model: TestBlock, name: string): string {
  const line = lines[model.first] ?? ''
  const at = line.indexOf(model.name)
  return line.slice(0, at) + name + line.slice(at + model.name.length)
}

/** A body with one of its comparisons made a second time, with a value that cannot be right as well. */
function contradicted(body: readonly string[], random: () => number): readonly string[] | undefined {
  if (body.some((line) => MAY_LEAVE.test(line))) return undefined
  const own = /^\s*/.exec(body.find((line) => line.trim() !== '') ?? '')?.[0]
  const [first, ...rest] = body.flatMap((line, index) => {
    const found = COMPARISON.exec(line)?.groups
    return found === undefined || /^\s*/.exec(line)?.[0] !== own ? [] : [{ index, found }]
  })
  if (first === undefined) return undefined
  const { index, found } = pick([first, ...rest], random)
  const other = `${found['before'] ?? ''}${otherThan(found['value'] ?? '', random)}${found['after'] ?? ''}`
  const pair = [body[index] ?? '', other]
  return body.toSpliced(index, 1, ...(random() < 0.5 ? pair : pair.toReversed()))
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

/** One step of the file's indentation. */
function unitOf(lines: readonly string[], { first, last, indent }: TestBlock): string {
  const line = lines.slice(first + 1, last).find((text) => text.trim() !== '')
  return /^\s*/.exec(line?.slice(indent.length) ?? '')?.[0] || '  '
}

/** For files in another form: a test after all others, which is at the top level whatever stands before. */
function plantAtEnd(
  source: string,
  path: string,
  random: () => number,
  eol: string,
): PlantedCanary | undefined {
  const calls = [...source.matchAll(/^\s*(it|test)(?:\.\w+)*\(\s*(['"`])([^'"`\\$\n]+)\2/gm)]
  const word = calls[0]?.[1]
  const name = canaryName(
    calls.map((call) => call[3] ?? ''),
    random,
  )
  if (word === undefined || name === undefined) return undefined
  const lines = [
    `${word}('${name}', () => {`,
    ...falsehood(source, random).map((line) => `  ${line}`),
    '})',
    '',
  ]
  const gap = source.endsWith('\n') ? eol : eol + eol
  return { source: source + gap + lines.join(eol), test: `${path} > ${name}` }
}
