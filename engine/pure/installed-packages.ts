/** One package that an image has. A name may come more than once, at different versions. */
export interface InstalledPackage {
  readonly name: string
  readonly version: string
}

/** Something that an output asks for and that the image does not have. */
export interface MissingDependency {
  /** The file that asks. */
  readonly path: string
  readonly name: string
  readonly wanted: string
  /** Versions of it that the image has, if any. */
  readonly installed?: string
}

/** What the image has, by name. */
export class Installed {
  readonly #versions = new Map<string, string[]>()
  readonly #normalise: (name: string) => string

  constructor(packages: readonly InstalledPackage[], normalise: (name: string) => string = (name) => name) {
    this.#normalise = normalise
    for (const { name, version } of packages) {
      const key = normalise(name)
      this.#versions.set(key, [...(this.#versions.get(key) ?? []), version])
    }
  }

  versions(name: string): readonly string[] {
    return this.#versions.get(this.#normalise(name)) ?? []
  }

  /** The entry for what is missing, with what there is of it. */
  missing(path: string, name: string, wanted: string): MissingDependency {
    const versions = this.versions(name)
    return { path, name, wanted, ...(versions.length === 0 ? {} : { installed: versions.join(', ') }) }
  }
}
