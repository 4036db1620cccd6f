/**
 * Puts the pinned Node.js at node_modules/.bin/node. Runs on whatever Node.js the machine has, from version 14 on.
 *
 * The `node` package has an install script that fetches the binary; some npm versions run no install scripts, and it
 * checks nothing but the version. The same binary is in images/lock.json with its integrity, so it is fetched by that.
 * Elsewhere than on Linux the package's own script is run.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..')
const home = join(root, 'node_modules', 'node')
const { version } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'))
const name = `node-${process.platform}-${process.arch}`
const locked = JSON.parse(readFileSync(join(root, 'images', 'lock.json'), 'utf8')).packages[name]

if (locked !== undefined && locked.version === version) installLocked()
else execFileSync(process.execPath, ['installArchSpecificPackage.js'], { cwd: home, stdio: 'inherit' })
link()
console.log(execFileSync(join(root, 'node_modules', '.bin', 'node'), ['--version'], { encoding: 'utf8' }))

function installLocked() {
  const scratch = mkdtempSync(join(root, 'node_modules', '.node-'))
  try {
    const options = { cwd: scratch, encoding: 'utf8' }
    const spec = `${name}@${locked.version}`
    const args = ['pack', spec, '--json', '--ignore-scripts', '--pack-destination', scratch]
    const tarball = join(scratch, JSON.parse(execFileSync('npm', args, options))[0].filename)
    const found = `sha512-${createHash('sha512').update(readFileSync(tarball)).digest('base64')}`
    if (found !== locked.integrity) throw new Error(`${spec}: expected ${locked.integrity}, got ${found}`)
    execFileSync('tar', ['-xzf', tarball, '-C', scratch, 'package/bin/node'])
    chmodSync(join(scratch, 'package', 'bin', 'node'), 0o755)
    mkdirSync(join(home, 'bin'), { recursive: true })
    renameSync(join(scratch, 'package', 'bin', 'node'), join(home, 'bin', 'node'))
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

function link() {
  const bin = join(root, 'node_modules', '.bin')
  mkdirSync(bin, { recursive: true })
  rmSync(join(bin, 'node'), { force: true })
  symlinkSync(join('..', 'node', 'bin', 'node'), join(bin, 'node'))
}
