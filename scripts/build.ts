import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { BUILT_DIGEST, digestOfSources } from '../grader/runner-digest.ts'

/**
 * Builds what `npm pack` ships: JavaScript and types by tsc, and beside them the files that are not TypeScript (hosts
 * that run inside boxes, locks, JSON Schemas, the digest of the code that grades, the demo's fixture).
 */
const root = join(import.meta.dirname, '..')
const dist = join(root, 'dist')
const FOLDERS = ['engine', 'oracle', 'grader', 'images', 'specs']
const SHIPPED = /\.(cjs|mjs|py|pl|sh|go|c|ini|json|md)$/

rmSync(dist, { recursive: true, force: true })
execFileSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', 'tsconfig.build.json'], {
  cwd: root,
  stdio: 'inherit',
})
for (const folder of FOLDERS) {
  for (const entry of readdirSync(join(root, folder), { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !SHIPPED.test(entry.name)) continue
    const from = join(entry.parentPath, entry.name)
    const to = join(dist, relative(root, from))
    mkdirSync(dirname(to), { recursive: true })
    cpSync(from, to)
  }
}
// Of the sources: what the package grades and seals is then the same question as what a checkout does.
writeFileSync(join(dist, BUILT_DIGEST), `${JSON.stringify({ runner: digestOfSources(root) })}\n`)
// `assay demo` replays it, also from an installed package.
cpSync(join(root, 'corpus/fixtures'), join(dist, 'corpus/fixtures'), { recursive: true })
chmodSync(join(dist, 'engine/cli/main.js'), 0o755)
