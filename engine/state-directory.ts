import { chmod, mkdir } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { Fault } from '../specs/fault.ts'

/** Where everything that Assay keeps stands. One folder, one owner, nothing outside of it. */
export interface StateDirectory {
  readonly root: string
  /** The bare repository of trees. */
  readonly store: string
  readonly runs: string
  readonly batches: string
  /** Grades by key: the same question is never run twice. */
  readonly grades: string
  /** Seals by what they were made from. */
  readonly seals: string
  /** Repositories of ours that speak with those that runs land in, and the queues before them. */
  readonly landing: string
  readonly cache: string
}

/** `--state`, else ASSAY_STATE, else the XDG state folder. */
export function stateRoot(option: string | undefined, env: NodeJS.ProcessEnv): string {
  if (option !== undefined) return resolve(option)
  if (env['ASSAY_STATE'] !== undefined && env['ASSAY_STATE'] !== '') return resolve(env['ASSAY_STATE'])
  const xdg = env['XDG_STATE_HOME']
  return join(xdg !== undefined && xdg !== '' ? xdg : join(homedir(), '.local', 'state'), 'assay')
}

/** Makes the folder where needed. @throws Fault `config/state` when it cannot be used. */
export async function openStateDirectory(root: string): Promise<StateDirectory> {
  const state = {
    root,
    store: join(root, 'store.git'),
    runs: join(root, 'runs'),
    batches: join(root, 'batches'),
    grades: join(root, 'grades'),
    seals: join(root, 'seals'),
    landing: join(root, 'landing'),
    cache: join(root, 'cache'),
  }
  try {
    for (const folder of [
      root,
      state.runs,
      state.batches,
      state.grades,
      state.seals,
      state.landing,
      state.cache,
    ]) {
      await mkdir(folder, { recursive: true })
    }
    await chmod(root, 0o700)
  } catch (cause) {
    throw new Fault('config/state', `${root}: the state directory cannot be used`, { cause })
  }
  return state
}
