import { access, mkdir, writeFile } from 'node:fs/promises'
import { basename, join, relative, resolve } from 'node:path'
import { stringify } from 'yaml'
import { Fault } from '../../specs/fault.ts'
import { taskSchema } from '../../specs/task.ts'
import { git } from '../trees/git.ts'

export interface WrittenTask {
  readonly id: string
  readonly directory: string
  readonly files: readonly string[]
}

const REQUEST = `# What is asked, in one line

What is wrong or missing today, with an example.

## Acceptance criteria

1. One sentence that can be true or false of the result, seen from outside.
2. What must stay as it is.
`

const CHECKS = {
  version: 1,
  claims: [
    {
      id: 'first',
      kind: 'change',
      statement: 'One sentence that can be true or false.',
      spec_ref: 'One sentence that can be true or false of the result, seen from outside.',
    },
  ],
  checks: [
    {
      id: 'first',
      claim: 'first',
      role: 'behaviour',
      scenario: 'scenarios/first.mjs',
      cases: [{ id: 'example', input: null, expect: { returns: true } }],
    },
  ],
  trials: [],
}

const SCENARIO = {
  node: [
    'first.mjs',
    "export default async ({ load, input }) => {\n  const product = await load('.')\n  return typeof product\n}\n",
  ],
  python: [
    'first.py',
    'def scenario(ctx):\n    product = ctx.load("package")\n    return type(product).__name__\n',
  ],
} as const

/**
 * Writes `task.yaml`, `request.md` and a check set to start from, for the commit that is checked out.
 * @throws Fault `config/init` outside of a repository, or where the task exists already. Nothing is overwritten.
 */
export async function writeTaskFor(options: {
  readonly cwd: string
  readonly into: string
  readonly id?: string
}): Promise<WrittenTask> {
  const { top, revision } = await repositoryOf(options.cwd)
  const id = options.id ?? taskId(basename(top))
  const parsed = taskSchema.shape.id.safeParse(id)
  if (!parsed.success) {
    const expected = parsed.error.issues[0]?.message ?? 'expected a task id'
    throw new Fault('config/init', `id ${JSON.stringify(id)}: ${expected}`)
  }
  const directory = resolve(top, options.into, id)
  if (await exists(directory)) throw new Fault('config/init', `${directory}: there is a task already`)
  const image = await guessImage(top)
  const [scenario, source] = SCENARIO[image]
  const task = {
    version: 1,
    id,
    request: 'request.md',
    base: { from: 'git', repository: relative(directory, top) || '.', revision },
    image,
    workers: [{ kind: 'command', argv: ['sh', '-c', 'echo "your agent here" >&2; exit 1'] }],
    oracle: { kind: 'files', directory: 'checks' },
  }
  const checks = {
    ...CHECKS,
    checks: CHECKS.checks.map((check) => ({ ...check, scenario: `scenarios/${scenario}` })),
  }
  const files: [string, string][] = [
    // A commit that held the task could not be a base: a worker would see the checks.
    ['.gitignore', '*\n'],
    ['task.yaml', stringify(task)],
    ['request.md', REQUEST],
    ['checks/checks.json', `${JSON.stringify(checks, null, 2)}\n`],
    [`checks/scenarios/${scenario}`, source],
  ]
  await mkdir(join(directory, 'checks/scenarios'), { recursive: true })
  for (const [name, content] of files) await writeFile(join(directory, name), content, { flag: 'wx' })
  return { id, directory, files: files.map(([name]) => name) }
}

/** The repository that one stands in, and its commit. */
async function repositoryOf(cwd: string): Promise<{ readonly top: string; readonly revision: string }> {
  const ask = async (what: readonly string[], otherwise: string) => {
    try {
      return (await git(['rev-parse', ...what], { cwd })).toString('utf8').trim()
    } catch (cause) {
      throw new Fault('config/init', `${cwd}: ${otherwise}`, { cause })
    }
  }
  const top = await ask(['--show-toplevel'], 'not inside a git repository')
  return { top, revision: await ask(['--verify', '--quiet', 'HEAD'], 'expected a repository with a commit') }
}

async function guessImage(top: string): Promise<'node' | 'python'> {
  if (await exists(join(top, 'package.json'))) return 'node'
  for (const name of ['pyproject.toml', 'setup.py', 'requirements.txt']) {
    if (await exists(join(top, name))) return 'python'
  }
  return 'node'
}

/** A name as a task id: what is not allowed becomes a hyphen. */
export function taskId(name: string): string {
  const id = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 60)
  return id === '' ? 'task' : id
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
