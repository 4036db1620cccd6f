import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { documentOf } from './support/assay.ts'
import { BASE, writeFiles } from './support/double-task.ts'
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
