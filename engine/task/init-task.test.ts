import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { git } from '../trees/git.ts'
import { loadTask } from './load-task.ts'
import { writeTaskFor } from './init-task.ts'

let root: string
let cwd: string
beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'assay-init-'))
  cwd = join(root, 'My Repo')
  await git(['init', '-q', cwd], { cwd: root })
})
afterEach(() => rmSync(root, { recursive: true }))

async function commit(): Promise<void> {
  writeFileSync(join(cwd, 'package.json'), '{}')
  await git(['add', '.'], { cwd })
  const who = ['-c', 'user.name=t', '-c', 'user.email=t@example.org']
  await git([...who, 'commit', '-q', '-m', 'made for tests'], { cwd })
}
const write = (id?: string) =>
  writeTaskFor({ cwd, into: '.assay/tasks', ...(id === undefined ? {} : { id }) })

it('writes a task that can be read, named after the repository', async () => {
  await commit()
  const { id, directory } = await write()
  expect(id).toBe('my-repo')
  expect((await loadTask(directory)).task.id).toBe('my-repo')
})

it.each(['My_Task', '../../../outside', '', 'a/b'])('refuses the id %j and writes nothing', async (id) => {
  await commit()
  await expect(write(id)).rejects.toMatchObject({ code: 'config/init' })
  expect(readdirSync(root)).toEqual(['My Repo'])
  expect(readdirSync(cwd).sort()).toEqual(['.git', 'package.json'])
})

it.each([
  ['in a repository without a commit', () => cwd, /expected a repository with a commit/],
  ['outside of a repository', () => root, /not inside a git repository/],
])('says %s what is missing', async (_, where, message) => {
  await expect(writeTaskFor({ cwd: where(), into: 'tasks' })).rejects.toMatchObject({
    code: 'config/init',
    message: expect.stringMatching(message) as string,
  })
})
