import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { git, runGit } from './git.ts'
import { storeForTest, file } from './testing/store-for-test.ts'

const run = promisify(execFile)
const { root, store } = await storeForTest()
const gitDirectory = store.directory

describe('git', () => {
  test('gets an exit code as a value, or as a fault where it must be 0', async () => {
    expect(await runGit(['rev-parse', '--verify', 'none'], { gitDirectory })).toMatchObject({
      code: 128,
      stderr: expect.stringMatching(/fatal/),
    })
    await expect(git(['rev-parse', '--verify', 'none'], { gitDirectory })).rejects.toMatchObject({
      code: 'infra/git',
    })
  })
  test('is ended when it writes more than is wanted', async () => {
    const tree = await store.writeTree([file('big', Buffer.alloc(1_000_000))])
    await expect(
      git(['cat-file', 'blob', `${tree}:big`], { gitDirectory, maxOutputBytes: 1000 }),
    ).rejects.toMatchObject({
      message: 'git cat-file wrote more than 1000 bytes',
    })
  })
  test('is ended when it takes too long, and when we are stopped', async () => {
    // Nobody ever opens the other end.
    const pipe = join(root, 'pipe')
    await run('mkfifo', [pipe])
    const waiting = ['hash-object', pipe]
    await expect(runGit(waiting, { gitDirectory, timeoutMs: 50 })).rejects.toMatchObject({
      code: 'infra/git-timeout',
    })
    await expect(runGit(waiting, { gitDirectory, signal: AbortSignal.timeout(50) })).rejects.toMatchObject({
      name: 'AbortError',
    })
  })
  test('sees no configuration but the repository\u2019s', async () => {
    const shown = await git(['config', '--list', '--show-scope'], { gitDirectory })
    expect(shown.toString()).not.toMatch(/^(?:system|global)/m)
  })
})
