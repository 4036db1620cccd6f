import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { parse } from 'yaml'
import { FORMATS, FORMATS_VERSION, type FormatName } from '../formats.ts'
import { jsonSchemaOf } from '../json-schema.ts'

const folder = join(import.meta.dirname, '..', 'examples')

/** The documents of `examples/<name>.<kind>.json`, `.yaml` or `.jsonl`; of the last, one a line. */
export function examplesOf(name: FormatName, kind: 'valid' | 'invalid'): readonly unknown[] {
  for (const extension of ['json', 'yaml', 'jsonl'] as const) {
    const file = join(folder, `${name}.${kind}.${extension}`)
    if (!existsSync(file)) continue
    const text = readFileSync(file, 'utf8')
    if (extension === 'yaml') return [parse(text)]
    if (extension === 'json') return [JSON.parse(text)]
    return text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown)
  }
  throw new Error(`no example ${name}.${kind}`)
}

/** A mistake that zod or ajv names: a JSON pointer (to the missing or unknown key, where it is one) and what it says. */
export interface Mistake {
  readonly at: string
  readonly says: string
}

/** zod's mistakes; those of every branch of a union. */
export function zodMistakes(name: FormatName, value: unknown): readonly Mistake[] {
  const parsed = FORMATS[name].schema.safeParse(value)
  return parsed.success ? [] : parsed.error.issues.flatMap((issue) => mistakesOf(issue, ''))
}

interface Issue {
  readonly code: string
  readonly path: readonly PropertyKey[]
  readonly message: string
  readonly keys?: readonly string[]
  readonly errors?: readonly (readonly Issue[])[]
}

function mistakesOf(issue: Issue, under: string): readonly Mistake[] {
  const at = under + issue.path.map((key) => `/${String(key)}`).join('')
  const says = issue.message
  const own = (issue.keys ?? []).map((key) => ({ at: `${at}/${key}`, says }))
  const inner = (issue.errors ?? []).flat().flatMap((one) => mistakesOf(one, at))
  return [{ at, says }, ...own, ...inner]
}

const dateTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/
const formats = { 'date-time': dateTime }
const everyError = new Ajv2020({ allErrors: true, strict: false, formats })
const firstError = new Ajv2020({ strict: false, formats })

function compile(ajv: Ajv2020, name: FormatName): ValidateFunction {
  return ajv.getSchema(`urn:assay:${name}:${FORMATS_VERSION}`) ?? ajv.compile(jsonSchemaOf(name))
}

/** Whether ajv takes a document, by the generated schema. */
export function fitsSchema(name: FormatName, value: unknown): boolean {
  return compile(firstError, name)(value)
}

/** ajv's mistakes, by the generated schema. */
export function schemaMistakes(name: FormatName, value: unknown): readonly Mistake[] {
  const validate = compile(everyError, name)
  if (validate(value)) return []
  return (validate.errors ?? []).map(({ instancePath, params, message }) => {
    const { missingProperty, additionalProperty } = params as Readonly<Record<string, string | undefined>>
    const key = missingProperty ?? additionalProperty
    return { at: key === undefined ? instancePath : `${instancePath}/${key}`, says: message ?? '' }
  })
}
