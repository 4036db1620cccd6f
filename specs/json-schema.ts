import { z } from 'zod'
import { FORMATS, FORMATS_VERSION, type FormatName } from './formats.ts'

/** A JSON Schema (2020-12) document. */
export type JsonSchema = Readonly<Record<string, unknown>>

/**
 * The JSON Schema of a format, generated from its zod schema. It accepts exactly what zod accepts, but for what JSON
 * Schema cannot say: how deep JSON may be nested, and what an oracle's rules ask beyond the form (`check-set.md`).
 */
export function jsonSchemaOf(name: FormatName): JsonSchema {
  const { schema, io, title, description } = FORMATS[name]
  const { $schema, ...generated } = z.toJSONSchema(schema, { target: 'draft-2020-12', io })
  return { $schema, $id: `urn:assay:${name}:${FORMATS_VERSION}`, title, description, ...generated }
}

/** The committed text of a schema. */
export function jsonSchemaText(name: FormatName): string {
  return `${JSON.stringify(jsonSchemaOf(name), null, 2)}\n`
}
