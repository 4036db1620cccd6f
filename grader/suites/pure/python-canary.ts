import type { CanaryOrder, PlantedCanaries } from '../framework.ts'
import { pick } from './canary-name.ts'
import type { Contradiction } from './contradiction.ts'
import { plantCopies, type Planting } from './plant.ts'
import { pythonContradictions } from './python-assertions.ts'
import { pythonLines, type PythonLine } from './python-lines.ts'
import { findPythonTests, type PythonPlace, type PythonTest } from './python-tests.ts'

/**
 * Puts tests that must fail between the tests of a file for pytest. Each is a copy of one of them, a function or a method,
 * in which one of its assertions is beside another that cannot hold as well: whatever the product does, one of the two
 * fails. Where no test lends itself to that, one compares a value of its own.
 */
export function plantPythonCanaries(
  source: string,
  path: string,
  order: CanaryOrder,
): PlantedCanaries | undefined {
  const { random } = order
  const names = [...source.matchAll(/^\s*(?:async\s+)?def (test\w*)/gm)].map((match) => match[1] ?? '')
  const models = findPythonTests(source).flatMap((of) =>
    pythonContradictions(source, of, random).map((one) => ({ ...one, of, test: idOf(path, of, of.name) })),
  )
  return plantCopies(
    source,
    models,
    {
      words: names.map((name) => name.replaceAll('_', ' ')),
      taken: names,
      spell: (words) => words.replaceAll(' ', '_'),
    },
    order,
    (model, name) => ({ ...copyOf(source, name, model, random), test: idOf(path, model.of, name) }),
    (name) => {
      const at = placeOfOwn(source, random)
      const text = `def ${name}():\n${falsehood(random)}`
      return at === undefined ? undefined : { ...standing(source, at, text), test: `${path}::${name}` }
    },
  )
}

function idOf(path: string, { group }: PythonTest, name: string): string {
  return [path, ...(group === undefined ? [] : [group]), name].join('::')
}

function copyOf(
  source: string,
  name: string,
  { of, start, end, other }: Contradiction & { readonly of: PythonTest },
  random: () => number,
): Pick<Planting, 'at' | 'text'> {
  const line = source.slice(start, end)
  const indent = /^\s*/.exec(line)?.[0] ?? ''
  const pair = random() < 0.5 ? [line, indent + other] : [indent + other, line]
  const text = [
    source.slice(of.start, of.head.start),
    source.slice(of.head.start, of.head.end).replace(of.name, name),
    source.slice(of.head.end, start),
    pair.join(endOfLine(source)),
    source.slice(end, of.end),
  ].join('')
  const [first, ...rest] = of.places
  const place = pick([first, ...rest], random)
  return standing(source, place, text, of.group !== undefined)
}

/** A text with the empty lines around it that are usual for a function, or for a method. */
function standing(
  source: string,
  { at, isLast }: PythonPlace,
  text: string,
  isMethod = false,
): Pick<Planting, 'at' | 'text'> {
  const eol = endOfLine(source)
  const gap = eol.repeat(isMethod ? 2 : 3)
  return isLast ? { at, text: `${gap}${text}${isMethod ? '' : eol}` } : { at, text: `${text}${gap}` }
}

function endOfLine(source: string): string {
  return source.includes('\r\n') ? '\r\n' : '\n'
}

/** Where a function of ours can stand at the top level. */
function placeOfOwn(source: string, random: () => number): PythonPlace | undefined {
  const top = pythonLines(source).filter(({ indent }) => indent === 0)
  const isDecorator = (line?: PythonLine) => line?.mask.startsWith('@') === true
  const [first, ...rest] = top
    .filter(({ mask }, at) => /^(?:(?:async\s+)?def test|class|@)/.test(mask) && !isDecorator(top[at - 1]))
    .map(({ start }) => ({ at: start, isLast: false }))
  return first === undefined ? undefined : pick([first, ...rest, { at: source.length, isLast: true }], random)
}

function falsehood(random: () => number): string {
  const size = 2 + Math.floor(random() * 7)
  return `    values = list(range(${size}))\n    assert len(values) == ${size + 1 + Math.floor(random() * 7)}\n`
}
