import { closingOf, listedIn, openAtEach, type Range } from './brackets.ts'
import { maskJs } from './js-mask.ts'

/** A JavaScript or TypeScript file: its text, and as much of it as is code. */
export interface JsSource {
  readonly text: string
  readonly mask: string
}

export function jsSource(text: string): JsSource {
  return { text, mask: maskJs(text) }
}

/** A test that a file states by calling `test`, `it` or `specify` with a name and a function. */
export interface JsTest extends Range {
  readonly name: string
  /** The name with the quotes around it. */
  readonly title: Range
  /** Titles of the groups around it, from the outermost on. */
  readonly groups: readonly string[]
  /** What its function does: what is between the braces of a block, or an expression. */
  readonly body: Range & { readonly isBlock: boolean }
}

const CALL = /(?<![\w$.])(?:it|test|specify)(?:(?<each>\.each\s*\()|(?=[\s(]))/g
const GROUP = /(?<![\w$.])(?:describe|suite|context)\s*$/

/**
 * The tests of a file that stand in plain groups, or in none. What stands in a loop, a condition, a function or a group
 * that is skipped is left out: nobody knows how often it runs.
 */
export function findJsTests(source: JsSource): readonly JsTest[] {
  const calls = [...source.mask.matchAll(CALL)]
  const open = openAtEach(
    source.mask,
    calls.map(({ index }) => index),
  )
  return calls.flatMap((call, index) => testAt(source, call, open[index] ?? []) ?? [])
}

function testAt(source: JsSource, call: RegExpExecArray, around: readonly number[]): JsTest | undefined {
  const { mask } = source
  const each = call.groups?.['each']
  const table = each === undefined ? undefined : closingOf(mask, call.index + call[0].length - 1)
  if (each !== undefined && table === undefined) return undefined
  const open = callAt(mask, table === undefined ? call.index + call[0].length : table + 1)
  const close = open === undefined ? undefined : closingOf(mask, open)
  if (open === undefined || close === undefined) return undefined
  const [title, ...rest] = listedIn(mask, { start: open + 1, end: close })
  const name = title === undefined ? undefined : nameOf(source, title)
  const body = rest.flatMap((range) => bodyOf(mask, range) ?? [])[0]
  const groups = groupsAround(source, around)
  if (title === undefined || name === undefined || body === undefined || groups === undefined)
    return undefined
  if (!isStatement(mask, call.index)) return undefined
  const end = mask[close + 1] === ';' ? close + 2 : close + 1
  return { start: call.index, end, name, title, groups, body }
}

function callAt(mask: string, from: number): number | undefined {
  const space = /^\s*/.exec(mask.slice(from, from + 200))?.[0].length ?? 0
  return mask[from + space] === '(' ? from + space : undefined
}

function nameOf({ text, mask }: JsSource, { start, end }: Range): string | undefined {
  const name = text.slice(start + 1, end - 1)
  return /^(['"`])_*\1$/.test(mask.slice(start, end)) && /^[^\\$]+$/.test(name) ? name : undefined
}

/** What a function does, of an argument that is one. */
function bodyOf(mask: string, { start, end }: Range): JsTest['body'] | undefined {
  const code = mask.slice(start, end)
  const head = /^(?:async\s+)?(?:function\b[\s*\w$]*|[\w$]+(?=\s*=>)|(?=\())/.exec(code)
  if (head === null) return undefined
  const open = start + head[0].length
  const parameters = mask[open] === '(' ? closingOf(mask, open) : open - 1
  if (parameters === undefined) return undefined
  const arrow = /^[^{]*?=>\s*/.exec(mask.slice(parameters + 1, end))?.[0].length
  const at = parameters + 1 + (arrow ?? /^\s*/.exec(mask.slice(parameters + 1, end))?.[0].length ?? 0)
  if (mask[at] === '{') {
    const close = closingOf(mask, at)
    return close === undefined ? undefined : { start: at + 1, end: close, isBlock: true }
  }
  return arrow === undefined ? undefined : { start: at, end, isBlock: false }
}

/** Titles of the groups whose brackets are open; undefined where others are. */
function groupsAround(source: JsSource, open: readonly number[]): readonly string[] | undefined {
  const { mask } = source
  const groups: string[] = []
  for (let at = 0; at < open.length; at += 2) {
    const [call, block] = [open[at] ?? 0, open[at + 1]]
    if (mask[call] !== '(' || block === undefined || mask[block] !== '{') return undefined
    const [title] = listedIn(mask, { start: call + 1, end: block })
    const name = title === undefined ? undefined : nameOf(source, title)
    if (name === undefined || !GROUP.test(mask.slice(Math.max(0, call - 40), call))) return undefined
    groups.push(name)
  }
  return groups
}

/** More space than stands before a statement. */
const SPACE = 2000

/** Whether a statement begins at a place: it comes after another, or after a brace. */
export function isStatement(mask: string, place: number): boolean {
  const before = mask.slice(Math.max(0, place - SPACE), place)
  const last = before.trimEnd().at(-1)
  if (last === undefined || ';{}'.includes(last)) return true
  return /[\w$)\]'"`]\s*\n\s*$/.test(before) && !/(?:^|[^\w$.])(?:return|await|new|typeof)\s*$/.test(before)
}
