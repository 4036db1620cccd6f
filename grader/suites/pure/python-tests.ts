import { pythonLines, type PythonLine } from './python-lines.ts'

/** A test of a file for pytest: a function on the top level or a method of a class there, with its decorators. */
export interface PythonTest {
  readonly name: string
  /** The class that it is a method of. */
  readonly group?: string
  /** From its first decorator on. */
  readonly start: number
  readonly end: number
  /** Its `def`. */
  readonly head: PythonLine
  readonly body: readonly PythonLine[]
  /** Where another test can stand beside it, not before it: names that its head needs are there by then. */
  readonly places: readonly [PythonPlace, ...PythonPlace[]]
}

export interface PythonPlace {
  readonly at: number
  /** After all that is beside it, and not before something. */
  readonly isLast: boolean
}

const TEST = /^(?:async\s+)?def\s+(?<name>test\w*)\s*\(/
/** A class in which pytest looks for tests, whatever its bases are. */
const GROUP = /^class\s+(?<name>(?:Test\w*|\w+(?=\s*\([^)]*TestCase\b)))/
/** What a copy of a test must not keep: it would not count as failed. */
const EXCUSED = /\bskip|\bxfail|\bexpectedFailure/

/** Tests that are run as they stand: those that are excused or stand in a condition are left out. */
export function findPythonTests(source: string): readonly PythonTest[] {
  const lines = pythonLines(source)
  const top = blocksOf(lines, 0)
  return top.flatMap(({ first, from, end }, index) => {
    const head = lines[from]
    if (head === undefined || isExcused(lines.slice(first, from))) return []
    const group = GROUP.exec(head.mask)?.groups?.['name']
    const own = lines.slice(from + 1, end)
    const indent = own[0]?.indent ?? 0
    if (group === undefined || indent === 0) {
      return testOf(lines, top[index], placesFrom(lines, top.slice(index), lines.at(-1)?.end ?? 0)) ?? []
    }
    const methods = blocksOf(lines, indent, from + 1, end)
    const last = lines[end - 1]?.end ?? source.length
    return methods.flatMap((method, at) => {
      const test = testOf(lines, method, placesFrom(lines, methods.slice(at), last))
      return test === undefined ? [] : [{ ...test, group }]
    })
  })
}

/** A statement with what is indented under it: its decorators from `first` on, itself at `from`, all before `end`. */
interface Block {
  readonly first: number
  readonly from: number
  readonly end: number
}

function blocksOf(
  lines: readonly PythonLine[],
  indent: number,
  start = 0,
  stop = lines.length,
): readonly Block[] {
  const blocks: Block[] = []
  let first: number | undefined
  for (let at = start; at < stop; at += 1) {
    const line = lines[at]
    if (line?.indent !== indent) continue
    first ??= at
    if (isDecorator(line)) continue
    const after = lines.findIndex((other, index) => index > at && other.indent <= indent)
    blocks.push({ first, from: at, end: after < 0 ? stop : Math.min(after, stop) })
    first = undefined
  }
  return blocks
}

function testOf(
  lines: readonly PythonLine[],
  block: Block | undefined,
  places: PythonTest['places'],
): PythonTest | undefined {
  const [start, head, last] = [
    lines[block?.first ?? -1],
    lines[block?.from ?? -1],
    lines[(block?.end ?? 0) - 1],
  ]
  if (block === undefined || start === undefined || head === undefined || last === undefined) return undefined
  const name = TEST.exec(head.mask.trimStart())?.groups?.['name']
  if (name === undefined || isExcused(lines.slice(block.first, block.from))) return undefined
  const body = lines.slice(block.from + 1, block.end)
  return { name, start: start.start, end: last.end, head, body, places }
}

function placesFrom(
  lines: readonly PythonLine[],
  blocks: readonly Block[],
  last: number,
): PythonTest['places'] {
  const before = blocks.flatMap(({ first, from }) => {
    const isDefinition = /^(?:(?:async\s+)?def|class)\b/.test(lines[from]?.mask.trimStart() ?? '')
    const at = lines[first]?.start
    return isDefinition && at !== undefined ? [{ at, isLast: false }] : []
  })
  return [{ at: last, isLast: true }, ...before]
}

function isDecorator({ mask }: PythonLine): boolean {
  return mask.trimStart().startsWith('@')
}

function isExcused(decorators: readonly PythonLine[]): boolean {
  return decorators.some(({ mask }) => EXCUSED.test(mask))
}
