import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { statementSchema } from './attestation.ts'
import { batchSchema } from './batch.ts'
import { checkSchema, claimSchema, roleSchema } from './check-set.ts'
import { comparisonSchema } from './comparison.ts'
import { decisionSchema, holdCauseSchema } from './decision.ts'
import { OPERATORS } from './expectation.ts'
import { fixtureSchema } from './fixture.ts'
import { claimResultSchema, findingSchema, gradeSchema, rowResultSchema } from './grade.ts'
import { eventBodySchema, journalLineSchema } from './journal.ts'
import { observationSchema, VALUE_TAGS } from './observation.ts'
import { policySchema } from './policy.ts'
import { admissionSchema, manifestSchema, rowAdmissionSchema } from './seal.ts'
import { DIMENSIONS } from './surroundings.ts'
import { boxLimitsSchema, taskSchema } from './task.ts'

const page = (name: string) => readFileSync(join(import.meta.dirname, `${name}.md`), 'utf8')
const keys = ({ shape }: { readonly shape: object }) => Object.keys(shape)
const kinds = (options: readonly { readonly shape: object }[], key: string) =>
  options.map(({ shape }) => (shape as Readonly<Record<string, { readonly value: string }>>)[key]!.value)

const NAMED: readonly [string, string, readonly string[]][] = [
  ['task', 'every field', keys(taskSchema)],
  ['task', 'every limit', keys(boxLimitsSchema)],
  ['policy', 'every field', keys(policySchema)],
  ['claim', 'every field', keys(claimSchema)],
  ['check-set', 'every role', roleSchema.options],
  ['check-set', 'every field of a check but its title', keys(checkSchema).filter((key) => key !== 'title')],
  ['expectation', 'every operator', Object.keys(OPERATORS)],
  ['observation', 'every outcome', kinds(observationSchema.options, 'outcome')],
  ['observation', 'every tag of a value', Object.keys(VALUE_TAGS)],
  ['surroundings', 'every dimension', DIMENSIONS],
  ['seal', 'every field', [manifestSchema, rowAdmissionSchema, admissionSchema].flatMap(keys)],
  ['grade', 'every field', [gradeSchema, rowResultSchema, claimResultSchema].flatMap(keys)],
  ['grade', 'every finding', findingSchema.shape.kind.options],
  ['comparison', 'every field', keys(comparisonSchema)],
  ['decision', 'every decision', kinds(decisionSchema.options, 'do')],
  ['decision', 'every cause of a hold', holdCauseSchema.options],
  ['journal', 'every field', keys(journalLineSchema)],
  ['journal', 'every event', kinds(eventBodySchema.options, 'type')],
  ['journal', 'every field of every event', eventBodySchema.options.flatMap(keys)],
  ['attestation', 'every field', [statementSchema, statementSchema.shape.predicate].flatMap(keys)],
  ['batch', 'every field', keys(batchSchema)],
  ['fixture', 'every field', keys(fixtureSchema)],
]

describe('the pages', () => {
  it.each(NAMED)('%s.md names %s', (name, _, words) => {
    const code = (page(name).match(/```[^]*?```|`[^`\n]+`/g) ?? []).join(' ')
    const named = new Set(code.split(/[^\w$-]+/))
    expect(words.filter((word) => !named.has(word))).toEqual([])
  })

  it.each(readdirSync(import.meta.dirname).filter((file) => file.endsWith('.md')))(
    '%s links to files that are there',
    (file) => {
      const text = readFileSync(join(import.meta.dirname, file), 'utf8')
      const targets = [...text.matchAll(/\]\(([^)#]+)/g)]
        .map(([, target]) => target!)
        .filter((target) => !/^https?:/.test(target))
      expect(targets.filter((target) => !existsSync(join(import.meta.dirname, target)))).toEqual([])
    },
  )
})
