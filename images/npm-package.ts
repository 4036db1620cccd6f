import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { z } from 'zod'
import { Fault } from '../specs/fault.ts'
import type { LockedPackage } from './committed-lock.ts'
import { runProgram } from './run-program.ts'

const packedSchema = z.array(z.looseObject({ filename: z.string() })).length(1)

/**
 * Fetches a package's tarball through the host's npm (its registry, proxy and cache) and checks it against the lock.
 * @returns the tarball's path, in `directory`.
 * @throws Fault `infra/npm` where npm fails, `config/integrity` where the bytes are not the locked ones.
 */
export async function fetchNpmPackage(
  name: string,
  locked: LockedPackage,
  directory: string,
  signal: AbortSignal,
): Promise<string> {
  const spec = `${name}@${locked.version}`
  const stdout = await runProgram(
    'npm',
    ['pack', spec, '--json', '--ignore-scripts', '--pack-destination', directory],
    {
      cwd: directory,
      signal,
    },
  ).catch((error: unknown) => {
    if (error instanceof Fault && error.code === 'infra/program') {
      throw new Fault('infra/npm', `${spec}: cannot be fetched from the npm registry`, { cause: error })
    }
    throw error
  })
  const packed = packedSchema.parse(JSON.parse(stdout))[0]
  if (packed === undefined) throw new Fault('infra/npm', `${spec}: npm pack wrote nothing`)
  const path = join(directory, packed.filename)
  const found = await integrityOf(path)
  if (found !== locked.integrity) {
    throw new Fault('config/integrity', `${spec}: expected ${locked.integrity}, the registry gave ${found}`)
  }
  return path
}

async function integrityOf(path: string): Promise<string> {
  const hash = createHash('sha512')
  await pipeline(createReadStream(path), hash)
  return `sha512-${hash.digest('base64')}`
}
