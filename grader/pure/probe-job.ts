import type { CheckSet, Probe } from '../../specs/check-set.ts'

/** Which host runs a probe: the one of its scenario's language; a command takes what the image has. */
export function runtimeOf(probe: Probe): 'node' | 'python' | 'any' {
  if (probe.mechanism === 'command') return 'any'
  return probe.scenario?.endsWith('.py') === true ? 'python' : 'node'
}

/** The files that a module can import: itself and the shared helpers beside it. Never another scenario, never a judge. */
export function filesFor(
  module: string | undefined,
  folder: 'scenarios' | 'judges',
  files: CheckSet['files'],
): ReadonlyMap<string, Uint8Array> {
  if (module === undefined) return new Map()
  return new Map([...files].filter(([path]) => path === module || path.startsWith(`${folder}/lib/`)))
}
