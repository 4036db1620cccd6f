import { closingOf, listedIn, openAtEach, type Range } from './brackets.ts'
import type { Contradiction } from './contradiction.ts'
import { isStatement, type JsSource, type JsTest } from './js-tests.ts'
import { otherData } from './other-value.ts'

/** What a body ends well by, or fails by for more than its values. */
const UNFIT = /\b(?:skip|todo|assertions)\s*\(|\bplan\s*[:(]|Snapshot\s*\(/
/** `await expect(…)`, `assert.deepEqual(…)`, `deepEqual(…)`. */
const ASSERTION =
  /(?<![\w$.])(?:await\s+)?(?<callee>expect|assert(?:\.\w+)*|(?:equal|strictEqual|deepEqual|deepStrictEqual|ok)|\w+\.(?:equal|strictEqual|deepEqual|deepStrictEqual))\s*\(/g

/** For each assertion of a test that is always come to, what would contradict it. */
export function jsContradictions(
  source: JsSource,
  test: JsTest,
  random: () => number,
): readonly Contradiction[] {
  const code = source.mask.slice(test.body.start, test.body.end)
  if (UNFIT.test(code)) return []
  const leaves = withoutFunctions(code).search(/\breturn\b/)
  const assertions = [...code.matchAll(ASSERTION)]
  const open = openAtEach(
    code,
    assertions.map(({ index }) => index),
  )
  return assertions.flatMap((found, index) => {
    const at = test.body.start + found.index
    if (open[index]?.length !== 0 || (leaves >= 0 && leaves < found.index)) return []
    if (test.body.isBlock ? found.index > 0 && !isStatement(code, found.index) : found.index > 0) return []
    const bracket = at + found[0].length - 1
    return (
      ofAssertion(source, { start: at, open: bracket, callee: found.groups?.['callee'] ?? '' }, random) ?? []
    )
  })
}

/** A body without what functions in it do: what they return leaves no test. */
function withoutFunctions(code: string): string {
  let rest = code
  for (const found of code.matchAll(/(?:=>|\bfunction\b[^(){}]*\([^{}]*?\))\s*\{/g)) {
    const open = found.index + found[0].length - 1
    const close = closingOf(code, open)
    if (close === undefined) continue
    rest =
      rest.slice(0, open + 1) +
      rest.slice(open + 1, close).replaceAll(/\breturn\b/g, '______') +
      rest.slice(close)
  }
  return rest
}

interface Call {
  readonly start: number
  /** The bracket of its arguments. */
  readonly open: number
  readonly callee: string
}

function ofAssertion(source: JsSource, call: Call, random: () => number): Contradiction | undefined {
  const close = closingOf(source.mask, call.open)
  if (close === undefined) return undefined
  return call.callee === 'expect'
    ? ofExpect(source, call, close, random)
    : ofAssert(source, call, close, random)
}

const EQUAL = new Set(['equal', 'strictEqual', 'deepEqual', 'deepStrictEqual'])

function ofAssert(
  { text, mask }: JsSource,
  { start, open, callee }: Call,
  close: number,
  random: () => number,
): Contradiction | undefined {
  const [first, second] = listedIn(mask, { start: open + 1, end: close })
  const end = close + 1
  const name = callee.split('.').at(-1) ?? ''
  if (first === undefined) return undefined
  if (EQUAL.has(name)) {
    if (second === undefined) return undefined
    const { side, other } = otherOf({ text, mask }, [second, first], random)
    return { start, end, other: replaced(text, { start, end }, side, other), isComparison: true }
  }
  // No value is another's symbol; what a function does is no value.
  if (!/^assert(?:\.ok)?$/.test(callee) || isFunction(mask, first)) return undefined
  const value = text.slice(first.start, first.end)
  return { start, end, other: `assert.strictEqual(${value}, ${symbol(random)})`, isComparison: false }
}

const MATCHERS = new Set([
  'toBe',
  'toEqual',
  'toStrictEqual',
  'toMatchObject',
  'toContainEqual',
  'toHaveLength',
])
const CHAI = /^\.(?:(?:to|be|been|have|deep)\.)*(?:equal|equals|eq|eql)$/
/** What is asked of a promise, or denied, is asked again as it stands. */
const ASKED = /^(?:\.(?:resolves|rejects))?(?:\.not)?\./

function ofExpect(
  source: JsSource,
  { start, open }: Call,
  close: number,
  random: () => number,
): Contradiction | undefined {
  const { text, mask } = source
  const chain = chainFrom(mask, close + 1)
  if (chain === undefined || isFunction(mask, { start: open + 1, end: close })) return undefined
  const { path, given, end } = chain
  const range = { start, end }
  const name = path.split('.').at(-1) ?? ''
  const isDenied = /\.not\b/.test(path)
  const [expected] = given === undefined ? [] : listedIn(mask, given)
  const isEqual = CHAI.test(path) || MATCHERS.has(name)
  if (isEqual && !isDenied && expected !== undefined) {
    const { other } = otherOf(source, [expected], random)
    return { start, end, other: replaced(text, range, expected, other), isComparison: true }
  }
  if (path.includes('.rejects') || !ASKED.test(path)) return undefined
  const same = path.includes('.to.') ? 'to.equal' : 'toBe'
  const asked = path.startsWith('.resolves') ? '.resolves' : ''
  return {
    start,
    end,
    other: `${text.slice(start, close + 1)}${asked}.${same}(${symbol(random)})`,
    isComparison: false,
  }
}

/** What follows `expect(…)`: names, and what the last of them is called with. */
function chainFrom(
  mask: string,
  from: number,
): { readonly path: string; readonly given?: Range; readonly end: number } | undefined {
  const path = /^(?:\s*\.\s*[\w$]+)+/.exec(mask.slice(from))?.[0]
  if (path === undefined) return undefined
  const at = from + path.length
  const plain = path.replaceAll(/\s/g, '')
  const close = mask[at] === '(' ? closingOf(mask, at) : undefined
  if (close === undefined) return { path: plain, end: at }
  // `expect(a).to.be.an('array').that.includes(1)`: more is said than can be told.
  return /^\s*\./.test(mask.slice(close + 1))
    ? undefined
    : { path: plain, given: { start: at + 1, end: close }, end: close + 1 }
}

/** The first side that is plain data, with something else in it; otherwise the first of all, in a list. */
function otherOf(
  { text, mask }: JsSource,
  sides: readonly [Range, ...Range[]],
  random: () => number,
): { readonly side: Range; readonly other: string } {
  for (const side of sides) {
    const other = otherData(text.slice(side.start, side.end), mask.slice(side.start, side.end), random)
    if (other !== undefined) return { side, other }
  }
  const [side] = sides
  const value = text.slice(side.start, side.end)
  return { side, other: `[${value}, ${String(7 + Math.floor(random() * 90))}]` }
}

function replaced(text: string, { start, end }: Range, side: Range, other: string): string {
  return text.slice(start, side.start) + other + text.slice(side.end, end)
}

function isFunction(mask: string, { start, end }: Range): boolean {
  return /^\s*(?:async\b\s*)?(?:function\b|[\w$]+\s*=>|\([^()]*(?:\([^()]*\)[^()]*)*\)\s*(?::[^=]*)?=>)/.test(
    mask.slice(start, end),
  )
}

function symbol(random: () => number): string {
  return `Symbol('${String(7 + Math.floor(random() * 90))}')`
}
