import type { GoTest } from './go-tests.ts'
import { otherThan } from './other-value.ts'

/** Lines of a test beside which others contradict them. */
export interface GoContradiction {
  readonly first: number
  readonly last: number
  readonly other: readonly string[]
}

const LITERAL = String.raw`-?\d+(?:\.\d+)?|"[^"\\]*"`
/** No call: the same when it is looked at again. */
const PLAIN = String.raw`[\w.[\]]+`
/** `if got := f(); got != 3 {`. With an `&&` another value would not make it true. */
const WITH_LITERAL = new RegExp(
  String.raw`^(?<before>\t+if (?!.*&&)(?!.*\|\|).*!= )(?<value>${LITERAL})(?<after> \{)$`,
)
/** `assert.Equal(t, 3, f())` of testify. */
const ASSERTION = new RegExp(
  String.raw`^(?<before>\t+(?:assert|require)\.Equal\(\w+, )(?<value>${LITERAL})(?<after>, .+\))$`,
)
/** What is so, and what is then not so. */
const OPPOSITES: readonly (readonly [RegExp, string])[] = [
  [new RegExp(String.raw`^(\t+if ${PLAIN}) != (${PLAIN} \{)$`), '$1 == $2'],
  [
    new RegExp(
      String.raw`^(\t+if )!((?:reflect\.DeepEqual|bytes\.Equal|slices\.Equal)\(${PLAIN}, ${PLAIN}\) \{)$`,
    ),
    '$1$2',
  ],
  [new RegExp(String.raw`^(\t+(?:assert|require)\.)(Equal\(\w+, ${PLAIN}, ${PLAIN}\))$`), '$1Not$2'],
  [new RegExp(String.raw`^(\t+if !errors\.Is\(${PLAIN}, )${PLAIN}(\) \{)$`), '$1errors.New("")$2'],
]
const FAILS = /\.(?:Error|Fatal)f?\(/
/** How a body is left, or a round of a loop, before it comes to its last line. */
const LEAVES = /\b(?:return|continue|break|goto)\b|\.Skip/

/** For each comparison of a test that is always come to, what would contradict it. */
export function goContradictions(
  lines: readonly string[],
  test: GoTest,
  random: () => number,
): readonly GoContradiction[] {
  const body = lines.slice(test.first + 1, test.last)
  const leaves = body.findIndex((line, at) => LEAVES.test(line) && !FAILS.test(body[at - 1] ?? ''))
  return body.slice(0, leaves < 0 ? undefined : leaves).flatMap((line, at) => {
    if (!headsOf(body, at).every((head) => isSure(head, body))) return []
    const first = test.first + 1 + at
    const last = line.endsWith('{') ? lines.indexOf(`${indentOf(line)}}`, first) : first
    const block = lines.slice(first, last + 1)
    if (last < 0 || last >= test.last || (line.endsWith('{') && !block.some((one) => FAILS.test(one))))
      return []
    const other = withOther(line, block.slice(1), random) ?? opposite(line, block.slice(1))
    return other === undefined ? [] : [{ first, last, other }]
  })
}

function opposite(line: string, rest: readonly string[]): readonly string[] | undefined {
  const found = OPPOSITES.find(([form]) => form.test(line))
  return found === undefined ? undefined : [line.replace(...found), ...rest]
}

function withOther(
  line: string,
  rest: readonly string[],
  random: () => number,
): readonly string[] | undefined {
  const { before, value, after } = (ASSERTION.exec(line) ?? WITH_LITERAL.exec(line))?.groups ?? {}
  if (before === undefined || value === undefined || after === undefined) return undefined
  const wrong = otherThan(value, random)
  return [before + wrong + after, ...rest.map((one) => inTexts(one, value, wrong))]
}

/** A message repeats what is wanted. */
function inTexts(line: string, value: string, other: string): string {
  const bare = (literal: string) => literal.replaceAll('"', '')
  if (bare(value) === '') return line
  const words = new RegExp(String.raw`(?<!\w)${RegExp.escape(bare(value))}(?!\w)`, 'g')
  return line.replace(/"(?:[^"\\]|\\.)*"/g, (text) => text.replace(words, () => bare(other)))
}

/** Lines that a line is indented under. */
function headsOf(body: readonly string[], at: number): readonly string[] {
  let depth = depthOf(body[at] ?? '')
  return body
    .slice(0, at)
    .toReversed()
    .filter((line) => {
      const isHead = line !== '' && depthOf(line) < depth
      if (isHead) depth = depthOf(line)
      return isHead
    })
}

/** Whether what stands under it runs: a subtest, or a loop over a table that is written out. */
function isSure(head: string, body: readonly string[]): boolean {
  if (/^\t+\w+\.Run\(.*, func\(\w+ \*testing\.T\) \{$/.test(head)) return true
  const table = /^\t+for .* := range (?<table>\w+) \{$/.exec(head)?.groups?.['table']
  if (table === undefined) return /^\t+for .* := range (?:\[\]|map\[)[\w\]]+\{.+\} \{$/.test(head)
  return body.some((line) => new RegExp(String.raw`^\t+(?:var )?${table} :?= (?:\[\]|map\[).*\{`).test(line))
}

function depthOf(line: string): number {
  return indentOf(line).length
}

function indentOf(line: string): string {
  return /^\t*/.exec(line)?.[0] ?? ''
}
