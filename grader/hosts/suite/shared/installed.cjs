'use strict'
// Where a framework is: beside the tree, where the task's image has what base depends on, or else in the tree's own
// `node_modules`, which is as on base. No other folder is looked at.
const fs = require('node:fs')
const { createRequire } = require('node:module')
const path = require('node:path')

/**
 * The file that `specifier` (`jest`, `vitest/node`, `@a/b`) stands for; undefined where it is not installed.
 * @param major the oldest version that will do: an older one counts as not installed.
 */
function findInstalled(tree, specifier, major = 0) {
  const [name] = /^(?:@[^/]+\/)?[^/]+/.exec(specifier)
  for (const folder of [path.dirname(tree), tree]) {
    const manifest = path.join(folder, 'node_modules', name, 'package.json')
    if (!fs.existsSync(manifest)) continue
    const { version } = JSON.parse(fs.readFileSync(manifest, 'utf8'))
    if (Number.parseInt(version, 10) < major) return undefined
    return createRequire(path.join(folder, 'from.cjs')).resolve(specifier)
  }
  return undefined
}

module.exports = { findInstalled }
