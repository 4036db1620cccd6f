import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import type { Readable } from 'node:stream'
import type { SuiteFramework, SuiteReport } from '../suites/framework.ts'
import { lay } from './run-host.ts'

const ASSETS = join(import.meta.dirname, '..', 'hosts', 'suite')
const NODE_MODULES = join(import.meta.dirname, '..', '..', 'node_modules')
const REPORT_FD = 3
const NONCE = 'a'.repeat(32)

export interface SuiteRun {
  /** Statuses by test, in the order of the report. */
  readonly results: readonly (readonly [test: string, status: string])[]
  readonly report: SuiteReport
  readonly exit: { readonly code: number | null; readonly signal: string | null }
  readonly agrees: boolean
  readonly stderr: string
}

/**
 * Runs a suite as a plain process of this machine: no box, no wrapper. Packages come from this project's own
 * `node_modules`, which stands beside the tree as in a task's image, or there are none.
 * @param tree product and sealed files together, @param files those that are sealed.
 */
export async function runSuite(
  framework: SuiteFramework,
  tree: Readonly<Record<string, string>>,
  files: readonly string[],
  packages: 'ours' | 'none' = 'ours',
): Promise<SuiteRun> {
  const scratch = await mkdtemp(join(tmpdir(), 'assay-suite-'))
  try {
    const at = { tree: join(scratch, 'tree'), own: join(scratch, 'own'), tmp: join(scratch, 'tmp') }
    await lay(at.tree, tree)
    await mkdir(at.tmp)
    for (const asset of framework.assets) {
      await mkdir(dirname(join(at.own, asset)), { recursive: true })
      await cp(join(ASSETS, asset), join(at.own, asset))
    }
    if (packages === 'ours') await symlink(NODE_MODULES, join(scratch, 'node_modules'))
    const launch = framework.launch({ ...at, files, reportFd: REPORT_FD, tests: [], added: [], nonce: NONCE })
    const [program, ...args] = launch.argv
    const child = spawn(program === 'node' ? process.execPath : program, args, {
      cwd: launch.cwd,
      stdio: ['pipe', 'ignore', 'pipe', 'pipe'],
      env: {
        PATH: process.env['PATH'],
        HOME: at.tmp,
        TMPDIR: at.tmp,
        LANG: 'C.UTF-8',
        ...launch.env,
      },
    })
    child.stdin?.end(launch.stdin)
    const [stderr, bytes, [code, signal]] = await Promise.all([
      buffer(child.stderr as Readable),
      buffer(child.stdio[REPORT_FD] as Readable),
      once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>,
    ])
    const report = framework.read(bytes, NONCE)
    const exit = { code, signal }
    return {
      results: report.results.map(({ test, status }) => [test, status] as const),
      report,
      exit,
      agrees: framework.agrees(exit, report),
      stderr: stderr.toString('utf8'),
    }
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}
