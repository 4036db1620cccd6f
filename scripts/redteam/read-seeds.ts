import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { parse } from 'yaml'
import {
  attackSchema,
  kindsSchema,
  lookAlikeSchema,
  type Attack,
  type Kinds,
  type LookAlike,
} from './seed.ts'

export const REDTEAM = join(import.meta.dirname, '../../corpus/redteam')

export interface Corpus {
  readonly kinds: Kinds
  readonly attacks: readonly Attack[]
  readonly lookAlikes: readonly LookAlike[]
}

/** Every seed, in the order of its file name. @throws Error that names the file. */
export function readSeeds(): Corpus {
  const kinds = kindsSchema.parse(parse(readFileSync(join(REDTEAM, 'kinds.yaml'), 'utf8')))
  const attacks = seedsIn('seeds', (seed) => attackSchema.parse(seed))
  for (const { id, kind } of attacks)
    if (!(kind in kinds)) throw new Error(`${id}: kinds.yaml has no ${kind}`)
  return { kinds, attacks, lookAlikes: seedsIn('look-alikes', (seed) => lookAlikeSchema.parse(seed)) }
}

function seedsIn<T extends { files?: unknown; patch?: unknown; worker?: unknown }>(
  folder: string,
  read: (seed: unknown) => T,
): readonly (T & { id: string })[] {
  return readdirSync(join(REDTEAM, folder))
    .filter((file) => file.endsWith('.yaml'))
    .sort()
    .map((file) => {
      const id = basename(file, '.yaml')
      try {
        return { ...read(parse(readFileSync(join(REDTEAM, folder, file), 'utf8'))), id }
      } catch (cause) {
        throw new Error(`${folder}/${file}: ${cause instanceof Error ? cause.message : 'unreadable'}`, {
          cause,
        })
      }
    })
}
