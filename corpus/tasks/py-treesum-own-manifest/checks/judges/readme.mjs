// "The README says that a manifest may be kept in the folder it describes."
// Looks at the sentences that the README did not have before; together they have to speak of the
// manifest and of the folder. Wording is left open.
const parts = (text) => text.replace(/\r/g, '').split(/[.!?:;](?=\s)|\n\s*\n|^```.*$/m)
  .map((part) => part.replace(/\s+/g, ' ').trim()).filter(Boolean)

const before = new Set(parts("# treesum\n\nRecords the checksums of all files below a folder in a manifest, and tells\nlater what has changed. No dependencies, Python 3.11 or later.\n\n```python\nimport treesum\n\ntreesum.record(\"photos\", \"photos.sum\")            # writes the manifest\nreport = treesum.verify(\"photos\", \"photos.sum\")   # compares\nreport.ok, report.added, report.missing, report.changed\n```\n\n`treesum.scan(root)` returns a `Manifest` without writing anything. A\n`Manifest` has `entries` (path to `Entry(digest, size)`), `algorithm`,\n`dumps()`, and `Manifest.loads(text)`.\n\nOnly regular files count. Symbolic links are neither recorded nor followed.\nPaths are relative to the folder, with `/` between the parts. `exclude` takes\npatterns as in a shell (`*.tmp`, `cache/*`); a pattern without `/` is compared\nwith the last part of the path, any other with the whole path. `algorithm` is\none of `sha256` (default), `sha1` and `blake2b`.\n\n## Manifest\n\n```\ntreesum 1 sha256\n<digest> <size> <path>\n```\n\nEntries are sorted by path. In paths, a backslash is written as `\\\\` and a line\nbreak as `\\n`. Anything else in a manifest is a `treesum.ManifestError`.\n\n## Command line\n\n```\npython -m treesum scan ROOT [-o FILE] [-a ALGORITHM] [-x PATTERN]...\npython -m treesum verify ROOT FILE [-q] [-x PATTERN]...\npython -m treesum diff FILE FILE\n```\n\n`scan` prints the manifest, or writes it to FILE and prints the number of\nfiles. `verify` and `diff` print one line for each difference, `A path` (added),\n`M path` (missing) or `C path` (changed), sorted by path, and exit with status\n1 if there is any. `-q` prints nothing. Errors give exit status 2 and a message\non standard error.\n"))

export default (observations) => {
  const seen = observations[0]
  const text = typeof seen === 'string' ? seen : seen.value ?? seen.returned ?? seen.returns
  if (typeof text !== 'string') return { pass: false, reason: 'no text: ' + JSON.stringify(seen).slice(0, 200) }
  const added = parts(text).filter((part) => !before.has(part))
  const said = added.join('\n')
  const found = /manifest|\.sum\b|\bFILE\b|target|itself/i.test(said) &&
    /folder|director|\broot\b|\binside|\bwithin|\btree\b|\bbelow|same place|alongside|next to|among|in `?photos|photos\//i.test(said)
  return found ? { pass: true, reason: 'said' } : { pass: false, reason: 'nothing new about a manifest in the folder it describes' }
}
