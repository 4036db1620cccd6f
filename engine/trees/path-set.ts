/** The names of a tree as they come: each once, and none of them below a file or a link. */
export class PathSet {
  readonly #leaves = new Set<string>()
  readonly #folders = new Set<string>()

  /** Adds a name and the folders on its way; returns why it cannot be, or undefined. Folders may come again. */
  add(path: string, isFolder: boolean): string | undefined {
    if (this.#leaves.has(path)) return 'the archive has its name twice'
    if (!isFolder && this.#folders.has(path)) return 'it is a file or a link, and a folder too'
    for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1)) {
      const folder = path.slice(0, at)
      if (this.#leaves.has(folder)) return `it is below ${JSON.stringify(folder)}, which is a file or a link`
      // What is above a known folder was checked when that folder came.
      if (this.#folders.has(folder)) break
      this.#folders.add(folder)
    }
    ;(isFolder ? this.#folders : this.#leaves).add(path)
    return undefined
  }
}
