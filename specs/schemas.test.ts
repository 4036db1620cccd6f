import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { FORMAT_NAMES } from './formats.ts'
import { jsonSchemaOf, jsonSchemaText } from './json-schema.ts'

const folder = join(import.meta.dirname, 'schema')

describe('the committed JSON Schemas', () => {
  it.each(FORMAT_NAMES)('%s is what its zod schema gives', (name) => {
    const committed = readFileSync(join(folder, `${name}.schema.json`), 'utf8')
    expect(committed === jsonSchemaText(name), `${name}.schema.json is stale: run "npm run schemas"`).toBe(
      true,
    )
  })

  it('are one for each format and no more', () => {
    expect(readdirSync(folder).sort()).toEqual(FORMAT_NAMES.map((name) => `${name}.schema.json`).sort())
  })

  it.each(FORMAT_NAMES)('%s has an id, a title, a description, and a page of prose', (name) => {
    expect(jsonSchemaOf(name)).toMatchObject({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      $id: `urn:assay:${name}:1`,
      title: expect.stringMatching(/./),
      description: expect.stringMatching(/./),
    })
    const page = readFileSync(join(import.meta.dirname, `${name}.md`), 'utf8')
    expect(page).toContain(`schema/${name}.schema.json`)
  })

  it('are all in the index of pages', () => {
    const index = readFileSync(join(import.meta.dirname, 'README.md'), 'utf8')
    const pages = readdirSync(import.meta.dirname).filter(
      (name) => name.endsWith('.md') && name !== 'README.md',
    )
    for (const page of pages) expect(index).toContain(`(${page})`)
  })
})
