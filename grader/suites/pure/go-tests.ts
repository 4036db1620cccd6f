/** A test function of a Go file that gofmt has laid out. Lines count from 0. */
export interface GoTest {
  readonly first: number
  readonly last: number
  /** Without `Test`. */
  readonly name: string
  /** What it calls its `*testing.T`. */
  readonly parameter: string
}

const TEST = /^func Test(?<name>[A-Z]\w*)\((?<parameter>\w+) \*testing\.T\) \{$/

export function findGoTests(lines: readonly string[]): readonly GoTest[] {
  return lines.flatMap((line, first) => {
    const { name, parameter } = TEST.exec(line)?.groups ?? {}
    const last = lines.indexOf('}', first)
    return name === undefined || parameter === undefined || last < 0 ? [] : [{ first, last, name, parameter }]
  })
}
