import { execFileSync } from 'node:child_process'
import { readFile, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { parse, stringify } from 'yaml'
import { documentOf } from './support/assay.ts'
import { BASE, writeFiles, writeTask } from './support/double-task.ts'
import { gitIn } from './support/git.ts'
import { openStation, type Station } from './support/station.ts'

let station: Station
beforeAll(async () => {
  station = await openStation(['node', 'judge', 'worker', 'python'])
})
afterAll(() => station.close())

async function repositoryOf(name: string, files: Readonly<Record<string, string>>): Promise<string> {
  const repository = join(station.work, name)
  await writeFiles(repository, files)
  gitIn(repository, ['init', '-q'])
  gitIn(repository, ['add', '.'])
  gitIn(repository, ['commit', '-qm', 'made for tests'])
  return repository
}

it.concurrent.each([
  ['node', BASE],
  [
    'python',
    { 'pyproject.toml': '[project]\nname = "made-for-tests"\nversion = "1"\n', 'package/__init__.py': '' },
  ],
])('init writes a task for a %s repository, and seal says what its example lacks', async (image, files) => {
  const cwd = await repositoryOf(`Of ${image}`, files)
  const { directory, id } = documentOf(await station.json(['init'], { cwd })) as {
    directory: string
    id: string
  }
  expect(id).toBe(`of-${image}`)
  expect(directory).toBe(join(cwd, '.assay/tasks', id))
  const task = await readFile(join(directory, 'task.yaml'), 'utf8')
  expect(task).toContain(`image: ${image}`)
  expect(task).toContain(gitIn(cwd, ['rev-parse', 'HEAD']))
  // A task that is committed with its repository is no secret.
  expect(gitIn(cwd, ['status', '--porcelain'])).toBe('')
  // The example runs, and is refused for what it is: an expectation that says nothing.
  const seen = await station.text(['seal', directory], { cwd })
  expect(seen.code, seen.stderr).toBe(3)
  expect(seen.stdout).toMatch(
    /^not admitted\n {2}claims\[0\] \(first\): .*first#example.* guessable|guessable .*first#example/,
  )
  expect(seen.stdout).toContain('a product that does next to nothing passes')
})

it('init never writes over a task, and says where there is no repository', async () => {
  const cwd = await repositoryOf('twice', { a: '1' })
  await station.json(['init', 'one'], { cwd })
  const again = await station.text(['init', 'one'], { cwd })
  expect(again).toMatchObject({ code: 2, stdout: '' })
  expect(again.stderr).toMatch(/\.assay\/tasks\/one: there is a task already/)
  const nowhere = await station.text(['init'], { cwd: station.work })
  expect(nowhere).toMatchObject({ code: 2, stdout: '' })
  expect(nowhere.stderr).toMatch(/not inside a git repository/)
})

it('init takes an id that a task can have, and nothing else', async () => {
  const cwd = await repositoryOf('ids', { a: '1' })
  const seen = await station.text(['init', '../Über'], { cwd })
  expect(seen).toMatchObject({ code: 2, stdout: '' })
  expect(seen.stderr).toMatch(/lower-case letters, digits and hyphens/)
  expect(gitIn(cwd, ['status', '--porcelain'])).toBe('')
})

it('init in a repository without a commit says so in one line', async () => {
  const cwd = join(station.work, 'empty')
  await writeFiles(cwd, { a: '1' })
  gitIn(cwd, ['init', '-q'])
  const seen = await station.text(['init'], { cwd })
  expect(seen).toMatchObject({ code: 2, stdout: '' })
  expect(seen.stderr).toMatch(/^assay: .*commit.*\n$/)
})

it('a base that holds the task is refused: a worker would see the checks', async () => {
  const cwd = await repositoryOf('leaky', BASE)
  const { directory } = documentOf(await station.json(['init', 'leaky'], { cwd })) as { directory: string }
  gitIn(cwd, ['add', '--force', '.assay'])
  gitIn(cwd, ['commit', '-qm', 'made for tests'])
  const copied = await repositoryOf('copied', {
    ...BASE,
    'docs/old.json': await readFile(join(directory, 'checks/checks.json'), 'utf8'),
  })
  const shown = '.assay/tasks/leaky/.gitignore'
  for (const [base, path] of [
    [{ from: 'git', repository: cwd, revision: 'HEAD' }, shown],
    [{ from: 'git', repository: '../../..', revision: 'HEAD' }, shown],
    [{ from: 'directory', path: '../../..' }, shown],
    [{ from: 'directory', path: copied }, 'docs/old.json'],
  ] as const) {
    const text = await readFile(join(directory, 'task.yaml'), 'utf8')
    await writeFiles(directory, { 'task.yaml': stringify({ ...(parse(text) as object), base }) })
    const seen = await station.text(['seal', directory], { cwd })
    expect(seen).toMatchObject({ code: 2, stdout: '' })
    expect(seen.stderr).toContain(`base: it holds "${path}", so a worker would see the checks`)
  }
})

it('a folder with the task in it is graded without it', async () => {
  const cwd = await repositoryOf('clean', BASE)
  const task = await writeTask(join(cwd, '.assay/tasks/clean'), {
    base: { from: 'git', repository: '../../..', revision: 'HEAD' },
  })
  const seen = await station.json(['grade', task, '--tree', '.'], { cwd })
  expect(documentOf(seen), seen.stderr).toMatchObject({ verdict: 'refuted', opened: { changed: 0 } })
})

it('scripts/assay is the command, wherever one stands and however it is linked', async () => {
  const link = join(station.work, 'assay')
  await symlink(join(import.meta.dirname, '../scripts/assay'), link)
  const cwd = await repositoryOf('elsewhere', BASE)
  execFileSync(link, ['--state', station.state, '--quiet', 'init', 'elsewhere'], { cwd })
  expect(await readFile(join(cwd, '.assay/tasks/elsewhere/task.yaml'), 'utf8')).toContain('id: elsewhere')
})
