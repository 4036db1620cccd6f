// Each row of the returned list is a value followed by the four ways in which it was read again: all must equal it.
export default (observations) => {
  const o = observations[0]
  const rows = o?.returned ?? o?.value ?? o?.returns
  if (!Array.isArray(rows) || rows.length === 0) return { pass: false, reason: 'no list of values was returned: ' + JSON.stringify(o).slice(0, 200) }
  for (const row of rows) {
    if (!Array.isArray(row) || row.length !== 5 || row.some(x => x !== row[0])) return { pass: false, reason: 'not read as it was set: ' + JSON.stringify(row) }
  }
  return { pass: true, reason: rows.length + ' values' }
}
