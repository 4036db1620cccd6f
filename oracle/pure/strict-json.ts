import { MAX_JSON_DEPTH, type Json } from '../../specs/json.ts'

export type JsonOutcome =
  | { readonly kind: 'json'; readonly value: Json }
  /** `at` is `line:column`, both from 1. */
  | { readonly kind: 'refused'; readonly at: string; readonly problem: string }

class NotJson extends Error {
  readonly offset: number
  constructor(offset: number, problem: string) {
    super(problem)
    this.offset = offset
  }
}

const SPACE = /[ \t\n\r]*/y
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y
const WORD = /true|false|null/y

/**
 * JSON as RFC 8259 has it, and stricter where `JSON.parse` guesses: a key that stands twice in an object is refused,
 * and so is a number that has no finite value, and nesting deeper than `maxDepth`. The key `__proto__` is kept as an
 * ordinary key. Never throws.
 */
export function parseStrictJson(text: string, maxDepth = MAX_JSON_DEPTH): JsonOutcome {
  try {
    return { kind: 'json', value: new Reader(text, maxDepth).document() }
  } catch (error) {
    if (!(error instanceof NotJson)) throw error
    return { kind: 'refused', at: lineAndColumn(text, error.offset), problem: error.message }
  }
}

class Reader {
  readonly #text: string
  readonly #maxDepth: number
  #offset = 0

  constructor(text: string, maxDepth: number) {
    this.#text = text
    this.#maxDepth = maxDepth
  }

  document(): Json {
    const value = this.#value(0)
    if (this.#offset < this.#text.length) throw this.#refusal('expected the end of the file')
    return value
  }

  #value(depth: number): Json {
    if (depth > this.#maxDepth) throw this.#refusal(`nested deeper than ${this.#maxDepth}`)
    this.#take(SPACE)
    const value = this.#bare(depth)
    this.#take(SPACE)
    return value
  }

  #bare(depth: number): Json {
    switch (this.#text.charAt(this.#offset)) {
      case '{':
        return this.#object(depth)
      case '[':
        return this.#array(depth)
      case '"':
        return this.#string()
      default:
        return this.#scalar()
    }
  }

  #object(depth: number): Json {
    const entries = new Map<string, Json>()
    this.#list('{', '}', () => {
      this.#take(SPACE)
      const keyOffset = this.#offset
      const key = this.#string()
      if (entries.has(key)) throw new NotJson(keyOffset, `the key ${JSON.stringify(key)} stands twice`)
      this.#take(SPACE)
      this.#expect(':')
      entries.set(key, this.#value(depth + 1))
    })
    // `fromEntries` defines keys, so `__proto__` becomes a key and not a prototype.
    return Object.fromEntries(entries)
  }

  #array(depth: number): Json {
    const elements: Json[] = []
    this.#list('[', ']', () => elements.push(this.#value(depth + 1)))
    return elements
  }

  #list(open: string, close: string, element: () => void): void {
    this.#expect(open)
    this.#take(SPACE)
    if (this.#text[this.#offset] === close) {
      this.#offset += 1
      return
    }
    for (;;) {
      element()
      if (this.#text[this.#offset] !== ',') break
      this.#offset += 1
    }
    this.#expect(close)
  }

  #string(): string {
    const literal = this.#take(STRING)
    if (literal === '') throw this.#refusal('expected a string in double quotes')
    return JSON.parse(literal) as string
  }

  #scalar(): Json {
    const word = this.#take(WORD)
    if (word !== '') return JSON.parse(word) as Json
    const digits = this.#take(NUMBER)
    if (digits === '') throw this.#refusal('expected a JSON value')
    const value = Number(digits)
    if (!Number.isFinite(value)) throw this.#refusal(`the number ${digits.slice(0, 40)} is too large`)
    return value
  }

  #expect(character: string): void {
    if (this.#text[this.#offset] !== character) throw this.#refusal(`expected ${character}`)
    this.#offset += 1
  }

  #take(pattern: RegExp): string {
    pattern.lastIndex = this.#offset
    const found = pattern.exec(this.#text)?.[0] ?? ''
    this.#offset += found.length
    return found
  }

  #refusal(problem: string): NotJson {
    return new NotJson(this.#offset, problem)
  }
}

function lineAndColumn(text: string, offset: number): string {
  const lines = text.slice(0, offset).split('\n')
  return `${lines.length}:${(lines.at(-1)?.length ?? 0) + 1}`
}
