import { closingOf, listedIn, shallow, trimmed, type Range } from './brackets.ts'
import type { Contradiction } from './contradiction.ts'
import { otherData } from './other-value.ts'
import type { PythonLine } from './python-lines.ts'
import type { PythonTest } from './python-tests.ts'

/** What a test is left by before it comes to its last line, without failing. */
const MAY_LEAVE = /\b(?:skip|skipTest|xfail|importorskip|exit)\s*\(|\byield\b|\bexpectedFailure\b/
const FUNCTION = /^\s*(?:(?:async\s+)?def|class)\b/
/** What is inside fails, or is expected to. */
const PLAIN_WITH = /^\s*(?:async\s+)?with\b(?!.*(?:[Rr]aises|[Ww]arns|[Ll]ogs|suppress))/
/** Looks at more than two values, or not for equality. */
const OTHER_OPERATOR = /:=|!=|<|>|\b(?:and|or|not|if|else|lambda|in|is)\b/

/** For each assertion of a test that is always come to, what would contradict it. */
export function pythonContradictions(
  source: string,
  test: PythonTest,
  random: () => number,
): readonly Contradiction[] {
  const { body } = test
  if (body.some(({ mask }) => MAY_LEAVE.test(mask))) return []
  const leaves = body.findIndex(
    (line, at) => /\breturn\b/.test(line.mask) && !headsOf(body, at).some(isFunction),
  )
  return body
    .slice(0, leaves < 0 ? undefined : leaves)
    .filter(
      (line, at) => !line.mask.includes(';') && headsOf(body, at).every(({ mask }) => PLAIN_WITH.test(mask)),
    )
    .flatMap((line) => contradiction(new Words(source, line), line, random) ?? [])
}

/** Statements of a test that a line is indented under. */
function headsOf(body: readonly PythonLine[], at: number): readonly PythonLine[] {
  let indent = body[at]?.indent ?? 0
  return body
    .slice(0, at)
    .toReversed()
    .filter((line) => {
      const isHead = line.indent < indent
      if (isHead) indent = line.indent
      return isHead
    })
}

function isFunction({ mask }: PythonLine): boolean {
  return FUNCTION.test(mask)
}

/** A line of the source, by what of it is code. */
class Words {
  readonly #source: string
  readonly #line: PythonLine

  constructor(source: string, line: PythonLine) {
    this.#source = source.slice(line.start, line.end)
    this.#line = line
  }

  get mask(): string {
    return this.#line.mask
  }

  text({ start, end }: Range): string {
    return this.#source.slice(start, end)
  }

  code({ start, end }: Range): string {
    return this.#line.mask.slice(start, end)
  }

  /** The line, without its indentation, with something else in one place. */
  with({ start, end }: Range, other: string): string {
    return (this.#source.slice(0, start) + other + this.#source.slice(end)).trimStart()
  }
}

function contradiction(words: Words, line: PythonLine, random: () => number): Contradiction | undefined {
  const found = ofStatement(words, random) ?? ofMethod(words, random) ?? ofFunction(words, random)
  return found === undefined ? undefined : { start: line.start, end: line.end, ...found }
}

type Other = Pick<Contradiction, 'other' | 'isComparison'>

/** `assert a == b`, `assert a in b`, `assert a`. */
function ofStatement(words: Words, random: () => number): Other | undefined {
  const start = /^\s*assert\b/.exec(words.mask)?.[0].length
  if (start === undefined) return undefined
  const [whole] = listedIn(words.mask, { start, end: words.mask.length })
  if (whole === undefined) return undefined
  const condition = unwrapped(words.mask, whole)
  return (
    ofCondition(words, condition, random) ?? {
      other: words.with(condition, `(${words.text(condition)}) is ${oneOf(SINGLE, random)}`),
      isComparison: false,
    }
  )
}

/** What stands in brackets that are around all of it. */
function unwrapped(mask: string, { start, end }: Range): Range {
  const isWrapped = mask[start] === '(' && closingOf(mask, start) === end - 1
  const inner = { start: start + 1, end: end - 1 }
  return isWrapped && !shallow(mask.slice(inner.start, inner.end)).includes(',')
    ? trimmed(mask, inner)
    : { start, end }
}

/** What no product returns. */
const SINGLE = ['Ellipsis', 'NotImplemented'] as const

/** A comparison with one `==`, or a text that is looked for `in` something. */
function ofCondition(words: Words, condition: Range, random: () => number): Other | undefined {
  const code = shallow(words.code(condition))
  const operator = /\s==\s|\sin\s/.exec(code)
  if (operator === null) return undefined
  const at = condition.start + operator.index
  const left = trimmed(words.mask, { start: condition.start, end: at })
  const right = trimmed(words.mask, { start: at + operator[0].length, end: condition.end })
  const sides = [left, right].map((side) => shallow(words.code(side)))
  if (sides.some((side) => side.includes('==') || OTHER_OPERATOR.test(side))) return undefined
  if (operator[0].trim() === '==') return ofPair(words, left, right, random)
  return /^(['"])_*\1$/.test(words.code(left)) ? ofData(words, left, random) : undefined
}

/** Two sides that are equal: the one that is plain data is changed, or else the right one put into a list. */
function ofPair(words: Words, left: Range, right: Range, random: () => number): Other {
  return (
    ofData(words, right, random) ??
    ofData(words, left, random) ?? {
      other: words.with(right, `[${words.text(right)}, ${String(7 + Math.floor(random() * 90))}]`),
      isComparison: true,
    }
  )
}

function ofData(words: Words, side: Range, random: () => number): Other | undefined {
  const other = otherData(words.text(side), words.code(side), random)
  return other === undefined ? undefined : { other: words.with(side, other), isComparison: true }
}

const METHOD = /^\s*(?<self>\w+)\.(?<name>assert\w+)\(/
const EQUAL = /^assert(?!Not)\w*Equals?$/
/** What is asserted is not of the first value, or it is no value. */
const NO_VALUE = /Raises|Warns|Logs|Redirects|Template|Contains|Num/

/** `self.assertEqual(a, b)` and its like, of `unittest` and what is made of it. */
function ofMethod(words: Words, random: () => number): Other | undefined {
  const found = METHOD.exec(words.mask)
  const name = found?.groups?.['name']
  if (found === null || name === undefined || NO_VALUE.test(name)) return undefined
  const [first, second] = argumentsOf(words, found[0].length)
  if (first === undefined) return undefined
  if (EQUAL.test(name)) return second === undefined ? undefined : ofEqual(words, name, first, second, random)
  const within =
    name === 'assertTrue'
      ? ofCondition(words, first, random)
      : name === 'assertIn'
        ? ofData(words, first, random)
        : undefined
  if (within !== undefined) return within
  const self = found.groups?.['self'] ?? 'self'
  return { other: `${self}.assertIs(${words.text(first)}, ${oneOf(SINGLE, random)})`, isComparison: false }
}

function ofEqual(
  words: Words,
  name: string,
  left: Range,
  right: Range,
  random: () => number,
): Other | undefined {
  // Lists and texts have no difference that is almost none.
  if (!name.includes('Almost')) return ofPair(words, left, right, random)
  return ofData(words, right, random) ?? ofData(words, left, random)
}

/** `assert_allclose(a, [1, 2])` and its like. */
function ofFunction(words: Words, random: () => number): Other | undefined {
  const found = /^\s*(?:\w+\.)*assert_\w*(?:equal|close)\w*\(/.exec(words.mask)
  if (found === null) return undefined
  const [first, second] = argumentsOf(words, found[0].length)
  if (first === undefined || second === undefined) return undefined
  return ofData(words, second, random) ?? ofData(words, first, random)
}

/** What a call that is all of a line is given by place. */
function argumentsOf({ mask }: Words, start: number): readonly Range[] {
  if (!mask.endsWith(')')) return []
  const listed = listedIn(mask, { start, end: mask.length - 1 })
  return listed.filter((range) => !/^\w+\s*=(?!=)/.test(mask.slice(range.start, range.end)))
}

function oneOf<T>(list: readonly [T, ...T[]], random: () => number): T {
  return list[Math.floor(random() * list.length)] ?? list[0]
}
