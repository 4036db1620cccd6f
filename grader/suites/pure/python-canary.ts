import type { PlantedCanary } from '../framework.ts'
import { canaryName, pick } from './canary-name.ts'
import { otherThan } from './other-value.ts'
import { topLines } from './python-places.ts'

/** A test function on the top level: from its first decorator to before what comes next. */
interface TestFunction {
  readonly start: number
  readonly name: string
  readonly text: string
}

const FUNCTION = /^(?:async\s+)?def (?<name>test\w*)/
/** `    assert f(x) == 3`, with a number or a text, first in its block. */
const COMPARISON = /^(?<before> {4}assert .+ == )(?<value>-?\d+(?:\.\d+)?|'[^'\\]*'|"[^"\\]*")$/
/** A body that may end before it comes to its last line. */
const MAY_LEAVE = /\breturn\b|\bskip\(|\bxfail\(|\byield\b/
/** What a copy of a test must not keep: it would not count as failed. */
const EXCUSED = /\bskip|\bxfail/

/**
 * Puts a test that must fail between the top-level tests of a file for pytest. It is a copy of one of them in which
 * something is compared once with what that expects and once with something else: whatever the product does, one of the
 * two cannot hold. Where no test lends itself to that, it compares a value of its own.
 */
export function plantPythonCanary(
  source: string,
  path: string,
  random: () => number,
): PlantedCanary | undefined {
  const lines = topLines(source)
  const starts = lines.flatMap(({ at, text }, index) =>
    /^(?:(?:async\s+)?def test|class Test|@)/.test(text) && !isDecorator(lines[index - 1]?.text) ? [at] : [],
  )
  const names = [...source.matchAll(/^\s*(?:async\s+)?def (test\w*)/gm)].map((match) => match[1] ?? '')
  const [place, ...places] = [...starts, source.length]
  const plain = canaryName(
    names.map((name) => name.replaceAll('_', ' ')),
    random,
  )
  if (starts.length === 0 || plain === undefined) return undefined
  const name = plain.replaceAll(' ', '_')
  const text = copied(testsOf(source), name, random) ?? `def ${name}():\n${falsehood(random)}`
  const at = pick([place, ...places], random)
  const planted =
    at === source.length
      ? `${source.trimEnd()}\n\n\n${text}`
      : `${source.slice(0, at)}${text}\n\n${source.slice(at)}`
  return { source: planted, test: `${path}::${name}` }
}

function isDecorator(line: string | undefined): boolean {
  return line?.startsWith('@') === true
}

/** Plain test functions, without decorators: with one, what they are given would decide how often they run. */
function testsOf(source: string): readonly TestFunction[] {
  const lines = topLines(source)
  return lines.flatMap(({ at, text }, index) => {
    const name = FUNCTION.exec(text)?.groups?.['name']
    if (name === undefined || isDecorator(lines[index - 1]?.text)) return []
    return [{ start: at, name, text: source.slice(at, lines[index + 1]?.at ?? source.length) }]
  })
}

function copied(tests: readonly TestFunction[], name: string, random: () => number): string | undefined {
  const [first, ...rest] = tests.flatMap((test) => {
    const lines = bodyOf(test)
    const comparisons = lines.flatMap((line, index) => {
      const found = COMPARISON.exec(line)?.groups
      return found === undefined ? [] : [{ index, found }]
    })
    const [one, ...more] = comparisons
    const isFit = !MAY_LEAVE.test(test.text) && !EXCUSED.test(test.text)
    return one === undefined || !isFit ? [] : [{ test, lines, comparisons: [one, ...more] as const }]
  })
  if (first === undefined) return undefined
  const { test, lines, comparisons } = pick([first, ...rest], random)
  const { index, found } = pick(comparisons, random)
  const other = `${found['before'] ?? ''}${otherThan(found['value'] ?? '', random)}`
  const pair = [lines[index] ?? '', other]
  const body = lines.toSpliced(index, 1, ...(random() < 0.5 ? pair : pair.toReversed())).join('\n')
  return `${body.replace(`def ${test.name}`, `def ${name}`)}\n`
}

/** Its lines, without what follows it: empty lines and comments on the top level. */
function bodyOf({ text }: TestFunction): readonly string[] {
  return text.replace(/(?:\n(?:#[^\n]*|[ \t]*))+$/, '').split('\n')
}

function falsehood(random: () => number): string {
  const size = 2 + Math.floor(random() * 7)
  return `    values = list(range(${size}))\n    assert len(values) == ${size + 1 + Math.floor(random() * 7)}\n`
}
