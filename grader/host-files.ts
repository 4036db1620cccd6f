import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A program that runs inside a box: its main file (`main.cjs`, `main.py`) and what that needs, by name. */
export type HostFiles = readonly (readonly [name: string, content: string])[]

const HOSTS = join(import.meta.dirname, 'hosts')
const NODE_FILES = [
  'main.cjs',
  'channel.cjs',
  'encode.cjs',
  'history.cjs',
  'load.cjs',
  'stand-in.cjs',
  'places.cjs',
  'surroundings.cjs',
  'terminal.cjs',
  'processes.cjs',
  'command.cjs',
  'service.cjs',
  'suite.cjs',
]
const PYTHON_FILES = [
  'main.py',
  'assay_encode.py',
  'assay_history.py',
  'assay_places.py',
  'assay_surroundings.py',
  'assay_terminal.py',
  'assay_command.py',
  'assay_service.py',
  'assay_suite.py',
]
const JUDGE_FILES = ['main.cjs']

const read = (folder: string, names: readonly string[]): HostFiles =>
  names.map((name) => [name, readFileSync(join(HOSTS, folder, name), 'utf8')])

export interface Hosts {
  readonly guard: string
  readonly wrapper: string
  readonly terminal: string
  readonly node: HostFiles
  readonly python: HostFiles
  readonly judge: HostFiles
}

let loaded: Hosts | undefined

/** The hosts' sources, read once. They are handed to a box as arguments: nothing of ours has to be in an image. */
export function hosts(): Hosts {
  if (loaded === undefined) {
    loaded = {
      guard: readFileSync(join(HOSTS, 'guarded-shell.sh'), 'utf8'),
      wrapper: readFileSync(join(HOSTS, 'product-wrapper.sh'), 'utf8'),
      terminal: readFileSync(join(HOSTS, 'terminal.pl'), 'utf8'),
      node: read('node', NODE_FILES),
      python: read('python', PYTHON_FILES),
      judge: read('judge', JUDGE_FILES),
    }
  }
  return loaded
}

/** The files of a suite's framework for the box, by their paths below `hosts/suite/`. */
export function suiteAssets(paths: readonly string[]): ReadonlyMap<string, Uint8Array> {
  return new Map(paths.map((path) => [path, readFileSync(join(HOSTS, 'suite', path))]))
}

/**
 * The command line of a session: the wrapper, in a guarded shell, with the host files by runtime (`node/main.cjs` …).
 * @param people the further folder of the box that is like /tmp, if there is one: a path without spaces.
 */
export function sessionArgv(
  root: string,
  files: Readonly<Record<string, HostFiles>>,
  people = '',
): readonly [string, ...string[]] {
  const { guard, wrapper, terminal } = hosts()
  const parts = Object.entries(files).flatMap(([runtime, all]) =>
    all.flatMap(([name, content]) => [`${runtime}/${name}`, content]),
  )
  return ['sh', '-c', guard, 'assay', wrapper, root, terminal, people, ...parts]
}

/** Whether a command line is that of a session's shell: of these there may be one. */
export function isSessionShell(command: string): boolean {
  return command.startsWith('/tmp/sh/sh -c ') || command.startsWith('sh -c ')
}
