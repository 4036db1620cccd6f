/**
 * The mirror of the first source in an apt sources file, in either format (deb822 stanzas or one line each), if
 * there is one.
 */
export function debianMirror(sources: string): string | undefined {
  for (const line of sources.split('\n')) {
    const found = /^URIs:\s*(\S+)/.exec(line) ?? /^deb\s+(?:\[[^\]]*\]\s+)?(\S+)/.exec(line)
    if (found?.[1] !== undefined) return found[1].replace(/\/$/, '')
  }
  return undefined
}
