import type { PlantedCanary } from '../framework.ts'
import { borrowedName } from './borrowed-name.ts'
import { falseClaim } from './false-claims.ts'
import { topLines } from './python-places.ts'

/** Puts a failing test function between the top-level tests of a file for pytest. */
export function plantPythonCanary(
  source: string,
  path: string,
  random: () => number,
): PlantedCanary | undefined {
  const lines = topLines(source)
  const places = lines.flatMap(({ at, text }, index) => {
    const isTest = /^(?:(?:async\s+)?def test|class Test|@)/.test(text)
    const isDecorated = lines[index - 1]?.text.startsWith('@') === true
    return isTest && !isDecorated ? [at] : []
  })
  const names = [...source.matchAll(/^\s*(?:async\s+)?def (test\w*)/gm)].map((match) => match[1] ?? '')
  if (places.length === 0 || names.length === 0) return undefined
  const unique = borrowedName(names, random, '_')
  const name = unique.startsWith('test_') ? unique : `test_${unique}`
  const { left, right } = falseClaim(random)
  const at = [...places, source.length][Math.floor(random() * (places.length + 1))] ?? source.length
  const before = source.slice(0, at)
  const canary = `def ${name}():\n    value = ${left}\n    assert value == ${right}\n`
  const planted =
    at === source.length ? `${before.trimEnd()}\n\n\n${canary}` : `${before}${canary}\n\n${source.slice(at)}`
  return { source: planted, test: `${path}::${name}` }
}
