import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { readRegularFile } from './read-regular-file.ts'

const folder = mkdtempSync(join(tmpdir(), 'assay-file-'))
afterAll(() => rmSync(folder, { recursive: true }))
const read = (path: string) => readRegularFile(path, 'the patch', 10, 'config/patch')

describe('readRegularFile', () => {
  it('reads a file', async () => {
    writeFileSync(join(folder, 'a'), 'hello')
    expect((await read(join(folder, 'a'))).toString()).toBe('hello')
  })
  it('does not wait for a pipe', async () => {
    execFileSync('mkfifo', [join(folder, 'pipe')])
    await expect(read(join(folder, 'pipe'))).rejects.toMatchObject({ code: 'config/patch' })
  })
  it.each([
    ['a device that never ends', '/dev/zero', /expected a regular file/],
    ['a folder', folder, /expected a regular file|cannot be read/],
    ['what is not there', '/nowhere/x', /cannot be read/],
  ])('refuses %s', async (_, path, message) => {
    await expect(read(path)).rejects.toThrow(message)
  })
  it('refuses what is too large', async () => {
    writeFileSync(join(folder, 'b'), 'more than ten bytes')
    await expect(read(join(folder, 'b'))).rejects.toThrow(/19 bytes, expected at most 10/)
  })
})
