import type { PlantedCanary } from '../framework.ts'
import { borrowedName } from './borrowed-name.ts'
import { falseClaim } from './false-claims.ts'

const TESTS = /^(?:test|it|describe|suite)(?:\.\w+)?\(/gm
const NAMES = /\b(?:test|it)(?:\.\w+)?\(\s*(['"])((?:(?!\1)[^\\\n])+)\1/g

/**
 * Puts a failing test between the top-level tests of a file for node:test: before a line that begins with one, as
 * formatted sources have it. A file with such a line inside a template or a comment has no safe place.
 */
export function plantNodeTestCanary(
  source: string,
  path: string,
  random: () => number,
): PlantedCanary | undefined {
  const call = /^(test|it)(?:\.\w+)?\(/m.exec(source)?.[1] ?? importedName(source)
  const starts = [...source.matchAll(TESTS)].map(({ index }) => index)
  const names = [...source.matchAll(NAMES)].map((match) => match[2] ?? '')
  if (call === undefined || starts.length === 0 || names.length === 0) return undefined
  if (starts.some((at) => isInside(source, at))) return undefined
  const at = [...starts, source.length][Math.floor(random() * (starts.length + 1))] ?? source.length
  const name = borrowedName(names, random, ' ')
  const canary = `${call}('${name.replaceAll(/['\\]/g, '')}', () => {\n  ${bodyOf(source, random)}\n})\n`
  const isLast = at === source.length
  const planted = isLast
    ? `${source.trimEnd()}\n\n${canary}`
    : `${source.slice(0, at)}${canary}\n${source.slice(at)}`
  return { source: planted, test: `${path} > ${name.replaceAll(/['\\]/g, '')}` }
}

function bodyOf(source: string, random: () => number): string {
  const { left, right } = falseClaim(random)
  const assert = /\bassert(?=\.(?:strictEqual|equal|deepEqual|deepStrictEqual|ok|throws|rejects)\()/.exec(
    source,
  )?.[0]
  if (assert === undefined)
    return `if (${left} !== ${right}) throw new Error('expected ${right.replaceAll('"', '')}')`
  const method = random() < 0.5 ? 'strictEqual' : 'deepStrictEqual'
  return `${assert}.${method}(${left}, ${right})`
}

/** `test` or `it`, where the file gets one from node:test by that name. */
function importedName(source: string): string | undefined {
  const line = /^.*['"]node:test['"].*$/m.exec(source)?.[0] ?? ''
  return /\b(test|it)\b(?!['"])/.exec(line.replace('node:test', ''))?.[1]
}

/** Whether a place is within a template or a block comment, told by what is open before it. */
function isInside(source: string, at: number): boolean {
  const before = source.slice(0, at)
  const ticks = before.replaceAll(/\\./g, '').split('`').length - 1
  const isCommented = before.lastIndexOf('/*') > before.lastIndexOf('*/')
  return ticks % 2 === 1 || isCommented
}
