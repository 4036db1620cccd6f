/** A test that a file states in a form that can be told from its indentation alone. Lines count from 0. */
export interface TestBlock {
  readonly first: number
  readonly last: number
  readonly indent: string
  readonly name: string
  /** Titles of the groups around it, from the outermost on. */
  readonly groups: readonly string[]
}

const QUOTED = String.raw`(?<quote>['"\`])(?<name>(?:(?!\k<quote>)[^\\$])+)\k<quote>`
const FUNCTION = String.raw`(?:async )?(?:\([^()]*\)|\w+|function ?\w*\([^()]*\)) ?(?:=> )?\{`
const TEST = new RegExp(String.raw`^(?<indent>\s*)(?:test|it|specify)\(${QUOTED}, ${FUNCTION}$`)
const GROUP = new RegExp(String.raw`^(?<indent>\s*)(?:describe|suite|context)\(${QUOTED}, ${FUNCTION}$`)

/**
 * The tests of a JavaScript or TypeScript file that stand in plain groups, or in none, and are laid out as formatters
 * do. What stands in a loop, a condition or a group that is skipped is left out.
 */
export function findTestBlocks(lines: readonly string[]): readonly TestBlock[] {
  return lines.flatMap((line, first) => {
    const { indent, name } = TEST.exec(line)?.groups ?? {}
    if (indent === undefined || name === undefined) return []
    const last = endOf(lines, first, indent)
    const groups = groupsAround(lines, first, indent)
    return last === undefined || groups === undefined ? [] : [{ first, last, indent, name, groups }]
  })
}

function endOf(lines: readonly string[], first: number, indent: string): number | undefined {
  const end = lines.findIndex((line, index) => index > first && line !== '' && !isDeeper(line, indent))
  return end >= 0 && /^\}\);?$/.test(lines[end]?.slice(indent.length) ?? '') ? end : undefined
}

function groupsAround(
  lines: readonly string[],
  first: number,
  indent: string,
): readonly string[] | undefined {
  if (indent === '') return []
  const opener = lines.findLastIndex(
    (line, index) => index < first && line !== '' && !line.startsWith(indent),
  )
  const found = GROUP.exec(lines[opener] ?? '')?.groups
  if (found?.['indent'] === undefined || found['name'] === undefined) return undefined
  const outer = groupsAround(lines, opener, found['indent'])
  return outer === undefined ? undefined : [...outer, found['name']]
}

function isDeeper(line: string, indent: string): boolean {
  return line.startsWith(indent) && /^\s/.test(line.slice(indent.length))
}
