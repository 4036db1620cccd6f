import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { FORMAT_NAMES } from '../specs/formats.ts'
import { jsonSchemaText } from '../specs/json-schema.ts'

/** Writes the JSON Schema of every format to `specs/schema/`. Run by `npm run schemas`. */
const folder = join(import.meta.dirname, '..', 'specs', 'schema')
await mkdir(folder, { recursive: true })
for (const name of FORMAT_NAMES) {
  await writeFile(join(folder, `${name}.schema.json`), jsonSchemaText(name))
}
