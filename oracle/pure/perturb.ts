import type { Json } from '../../specs/json.ts'
import type { EncodedValue, Observation } from '../../specs/observation.ts'

/** Changed places of one value; a large value is changed in the first of them. */
const MOST_CHANGES = 16

/**
 * What a product might have shown instead, of what it did show: another end, another value in one place, less of it.
 * No two are alike and none is the observation itself. A judge, or an expectation, that accepts them all looks at nothing.
 */
export function perturbed(seen: Observation): readonly Observation[] {
  const all = [...otherEnds(), ...otherValues(seen)]
  const known = new Set([JSON.stringify(seen)])
  return all.filter((one) => {
    const text = JSON.stringify(one)
    if (known.has(text)) return false
    known.add(text)
    return true
  })
}

function otherEnds(): readonly Observation[] {
  const silent = { stdout: { text: '' }, stderr: { text: '' }, files: {}, steps: [] }
  const error: EncodedValue = { $t: 'error', name: 'Error', message: 'perturbed', classes: ['Error'] }
  return [
    { outcome: 'returned', value: null, steps: [] },
    { outcome: 'returned', value: 'perturbed', steps: [] },
    { outcome: 'threw', error, steps: [] },
    { outcome: 'exited', code: 0, signal: null, ...silent },
    { outcome: 'exited', code: 70, signal: null, ...silent },
    { outcome: 'timeout', steps: [] },
    { outcome: 'crashed', code: 1, signal: null, steps: [] },
    { outcome: 'limit', limit: 'memory', steps: [] },
  ]
}

function otherValues(seen: Observation): readonly Observation[] {
  const withoutSteps = { ...seen, steps: [] }
  switch (seen.outcome) {
    case 'returned':
      return [...changesOf(seen.value).map((value) => ({ ...seen, value })), withoutSteps]
    case 'threw':
    case 'unreachable':
      return [...changesOf(seen.error).map((error) => ({ ...seen, error })), withoutSteps]
    case 'exited': {
      const stdout = seen.stdout.text ?? ''
      return [
        { ...seen, code: (seen.code ?? 0) + 1, signal: null },
        ...otherTexts(stdout).map((text) => ({ ...seen, stdout: { text } })),
        { ...seen, stderr: { text: `${seen.stderr.text ?? ''}perturbed` } },
        {
          ...seen,
          files: Object.fromEntries(
            Object.keys(seen.files).map((path) => [path, { kind: 'absent' as const }]),
          ),
        },
        withoutSteps,
      ]
    }
    case 'timeout':
    case 'crashed':
    case 'limit':
    case 'rewrote':
      return [withoutSteps]
  }
}

/** The value with one place of it changed, for its first places. */
function changesOf(value: EncodedValue): readonly EncodedValue[] {
  const changes: EncodedValue[] = []
  const visit = (part: Json, put: (changed: Json) => Json): void => {
    if (changes.length >= MOST_CHANGES) return
    changes.push(...changesHere(part).map(put))
    if (isList(part)) {
      for (const [index, element] of part.entries())
        visit(element, (changed) => put(part.with(index, changed)))
    } else if (typeof part === 'object' && part !== null) {
      for (const [key, element] of Object.entries(part)) {
        // The tag says what a value is; another one would be a value that no product can show.
        if (key !== '$t') visit(element, (changed) => put(withKey(part, key, changed)))
      }
    }
  }
  visit(value, (changed) => changed)
  return changes.slice(0, MOST_CHANGES)
}

type JsonObject = Readonly<Record<string, Json>>

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value)
}

function withKey(object: JsonObject, key: string, value: Json): Json {
  return Object.fromEntries(Object.entries(object).map(([name, old]) => [name, name === key ? value : old]))
}

function otherTexts(text: string): readonly string[] {
  return [`${text}x`, '', text.slice(0, -1)]
}

function changesHere(value: Json): readonly Json[] {
  if (typeof value === 'number') return [value + 1, -value - 1]
  if (typeof value === 'boolean') return [!value]
  if (typeof value === 'string') return otherTexts(value)
  if (value === null) return [0]
  if (isList(value)) return value.length === 0 ? [[null]] : [[], value.slice(1), value.toReversed()]
  if (Object.hasOwn(value, '$t')) return []
  const keys = Object.keys(value)
  const without = (key: string) => Object.fromEntries(Object.entries(value).filter(([name]) => name !== key))
  return [{}, ...keys.slice(0, 4).map(without), { ...value, perturbed: true }]
}
