import { intersects, validRange } from 'semver'
import { z } from 'zod'
import { othersOf, type Dimension } from '../../specs/surroundings.ts'
import { parseStrictJson } from './strict-json.ts'

const MANIFEST = 'package.json'
const manifestSchema = z.looseObject({ engines: z.looseObject({ node: z.string() }) })

/**
 * Dimensions in which base itself says that it is for the plain case only, whatever it shows in another: its `engines`
 * leave out another version of Node.js. A right change may then use what that version does not have.
 * @param base files of base that are text, by path.
 */
export function statedLimits(base: ReadonlyMap<string, Uint8Array>): readonly Dimension[] {
  const range = nodeRange(base.get(MANIFEST))
  if (range === undefined) return []
  const majors = othersOf('runtime').map((name) => name.replace('node-', ''))
  return majors.every((major) => intersects(`${major}.x`, range)) ? [] : ['runtime']
}

/** What is no range says nothing. */
function nodeRange(manifest: Uint8Array | undefined): string | undefined {
  if (manifest === undefined) return undefined
  const parsed = parseStrictJson(new TextDecoder().decode(manifest))
  if (parsed.kind === 'refused') return undefined
  const range = manifestSchema.safeParse(parsed.value).data?.engines.node
  return validRange(range) ?? undefined
}
