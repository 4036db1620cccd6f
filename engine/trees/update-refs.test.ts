import { rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { git } from './git.ts'
import { commitTree, treeRef } from './neutral-commit.ts'
import { file, storeForTest } from './testing/store-for-test.ts'
import { updateRefs } from './update-refs.ts'

const { store } = await storeForTest()
const gitDirectory = store.directory
const refOf = async (name: string) => {
  const tree = await store.writeTree([file('name', name)])
  return { commit: await commitTree(gitDirectory, tree), ref: `${treeRef(tree)}-${name}` as const }
}
const valueOf = async (ref: string) =>
  (await git(['rev-parse', '--verify', ref], { gitDirectory })).toString().trim()

test('a lock that a killed git left is taken away', async () => {
  const { ref, commit } = await refOf('left')
  const lock = join(gitDirectory, `${ref}.lock`)
  await writeFile(lock, '')
  const long = new Date(Date.now() - 60_000)
  await utimes(lock, long, long)
  await updateRefs(gitDirectory, [`update ${ref} ${commit}`])
  expect(await valueOf(ref)).toBe(commit)
  await expect(stat(lock)).rejects.toMatchObject({ code: 'ENOENT' })
  await updateRefs(gitDirectory, [`delete ${ref}`])
  await expect(valueOf(ref)).rejects.toMatchObject({ code: 'infra/git' })
})

test('a lock that somebody holds is waited for', async () => {
  const { ref, commit } = await refOf('held')
  const lock = join(gitDirectory, `${ref}.lock`)
  await writeFile(lock, '')
  let isDone = false
  const done = updateRefs(gitDirectory, [`update ${ref} ${commit}`]).then(() => (isDone = true))
  await new Promise((resolve) => setTimeout(resolve, 300))
  expect(isDone).toBe(false)
  await rm(lock)
  await done
  expect(await valueOf(ref)).toBe(commit)
})

test('many at the same time keep the same tree', async () => {
  const { ref, commit } = await refOf('many')
  await Promise.all(Array.from({ length: 12 }, () => updateRefs(gitDirectory, [`update ${ref} ${commit}`])))
  expect(await valueOf(ref)).toBe(commit)
})

test('what cannot be is a fault', async () => {
  const { ref } = await refOf('none')
  await expect(updateRefs(gitDirectory, [`update ${ref} ${'1'.repeat(40)}`])).rejects.toMatchObject({
    code: 'infra/git',
  })
})
