import type { Json } from '../../specs/json.ts'

type Random = () => number

/** Texts that programs are often wrong about. */
const TEXTS = [
  '',
  ' ',
  '0',
  '-1',
  'é',
  'İ',
  '日本語',
  '😀',
  'a\u0301',
  '\t',
  'A',
  '__proto__',
  '/',
  '%',
  '\\',
  '"',
  "'",
]
const NUMBERS = [0, -1, 1, 2, 10, 0.5, -0.5, 255, 256, 2 ** 31, -(2 ** 31), 2 ** 53, 1e21]
const MAX_TEXT_CHARACTERS = 4000
const MAX_ELEMENTS = 200
/** How many leaves of an input are another one's, at most. */
const MOST_CHANGES = 3

/**
 * A new input of the same form: some of its leaves are taken from inputs of other rows, or changed a little. Keys of
 * objects stay as they are, since they are the scenario's.
 * @param others inputs of rows over the same scenario.
 */
export function freshInput(input: Json, others: readonly Json[], random: Random): Json {
  const whole = others.length > 0 && random() < 0.3 ? pick(others, random) : input
  const leaves = countLeaves(whole)
  const changes = new Set<number>()
  const wanted = 1 + Math.floor(random() * Math.min(MOST_CHANGES, Math.max(1, leaves)))
  while (changes.size < Math.min(wanted, leaves)) changes.add(Math.floor(random() * leaves))
  const pool = others.concat([input]).flatMap(leavesOf)
  let at = -1
  const walk = (value: Json): Json => {
    if (isList(value)) {
      const elements = value.map(walk)
      at += 1
      return changes.has(at) ? otherList(elements, random) : elements
    }
    if (typeof value === 'object' && value !== null) {
      return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, walk(inner)]))
    }
    at += 1
    return changes.has(at) ? otherLeaf(value, pool, random) : value
  }
  return walk(whole)
}

type Leaf = string | number | boolean | null

/** Lists count as leaves too: they can be made longer, shorter, or put in another order. */
function countLeaves(value: Json): number {
  if (isList(value)) return value.reduce<number>((sum, inner) => sum + countLeaves(inner), 1)
  if (typeof value === 'object' && value !== null)
    return Object.values(value).reduce<number>((sum, inner) => sum + countLeaves(inner), 0)
  return 1
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value)
}

function leavesOf(value: Json): Leaf[] {
  if (isList(value)) return value.flatMap(leavesOf)
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(leavesOf)
  return [value]
}

function otherLeaf(value: Leaf, pool: readonly Leaf[], random: Random): Leaf {
  const alike = pool.filter((one) => typeof one === typeof value && one !== value)
  if (alike.length > 0 && random() < 0.4) return pick(alike, random)
  switch (typeof value) {
    case 'string':
      return otherText(value, alike as readonly string[], random)
    case 'number':
      return otherNumber(value, random)
    case 'boolean':
      return !value
    default:
      return value
  }
}

function otherText(text: string, alike: readonly string[], random: Random): string {
  const characters = Array.from(text)
  const at = Math.floor(random() * (characters.length + 1))
  const [head, tail] = [characters.slice(0, at).join(''), characters.slice(at).join('')]
  const other = alike.length > 0 && random() < 0.5 ? pick(alike, random) : pick(TEXTS, random)
  const made = pick(
    [
      () => head + other + tail,
      () => head + Array.from(tail).slice(1).join(''),
      () => tail + head,
      () => text + text,
      () => head + tail.toUpperCase(),
      () => characters.toReversed().join(''),
      () => other,
    ],
    random,
  )()
  return made.slice(0, MAX_TEXT_CHARACTERS).toWellFormed()
}

function otherNumber(value: number, random: Random): number {
  const made = pick(
    [
      () => value + 1,
      () => value - 1,
      () => -value,
      () => value * 2,
      () => value * 10 + 7,
      () => (Number.isInteger(value) ? value + 1 + Math.floor(random() * 1000) : value + random()),
      () => pick(NUMBERS, random),
    ],
    random,
  )()
  // JSON has no minus zero, and nothing beyond what is finite.
  return Number.isFinite(made) && !Object.is(made, -0) ? made : 0
}

function otherList(elements: Json[], random: Random): Json[] {
  if (elements.length === 0) return elements
  const at = Math.floor(random() * elements.length)
  return pick(
    [
      () => elements.toReversed(),
      () => elements.toSpliced(at, 1),
      () => elements.toSpliced(at, 0, pick(elements, random)),
      () => elements.concat(elements),
    ],
    random,
  )().slice(0, MAX_ELEMENTS)
}

function pick<T>(list: readonly T[], random: Random): T {
  return list[Math.floor(random() * list.length)] as T
}
