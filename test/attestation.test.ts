import { generateKeyPairSync } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { git } from '../engine/trees/git.ts'
import type { CommitCheck } from '../engine/landing/verify-commit.ts'
import { documentOf } from './support/assay.ts'
import { patch, writeTask } from './support/double-task.ts'
import { openStation, type Station } from './support/station.ts'
import { LandingRepository, LANDS_AS } from './support/target.ts'

let station: Station
let target: LandingRepository
let key: string
let pub: string
beforeAll(async () => {
  station = await openStation(['node', 'judge'])
  target = await LandingRepository.make(station.work)
  key = join(station.work, 'key.pem')
  pub = join(station.work, 'pub.pem')
  const pair = generateKeyPairSync('ed25519')
  await writeFile(key, pair.privateKey.export({ type: 'pkcs8', format: 'pem' }))
  await writeFile(pub, pair.publicKey.export({ type: 'spki', format: 'pem' }))
  // Somebody else's note on another commit, which has to stay.
  const who = ['-c', 'user.name=O', '-c', 'user.email=o@example.org']
  await git([...who, 'notes', '--ref=refs/notes/assay', 'add', '-m', 'theirs', 'main'], {
    gitDirectory: target.path,
  })
  const task = await writeTask(join(station.work, 'signed'), { workers: [patch('right.diff')] })
  const seen = await station.json(['run', task, '--land', target.land, '--sign', key], { env: LANDS_AS })
  expect(seen.code, seen.stderr).toBe(0)
})
afterAll(() => station.close())

async function verify(commit: string, ...more: string[]) {
  const seen = await station.json(['report', '--verify', commit, '--repository', target.path, ...more])
  const { checks, ok } = documentOf(seen) as { checks: readonly CommitCheck[]; ok: boolean }
  return { code: seen.code, ok, failed: checks.filter((check) => !check.ok).map(({ what }) => what), checks }
}

describe('a commit that landed and was signed', () => {
  it('is as it says', async () => {
    expect(await verify('main', '--key', pub)).toMatchObject({ code: 0, ok: true, failed: [] })
    expect(await target.say(['notes', '--ref=refs/notes/assay', 'show', 'main^'])).toBe('theirs')
    expect((await target.say(['for-each-ref', '--format=%(refname)'])).split('\n')).toEqual([
      'refs/heads/main',
      'refs/notes/assay',
    ])
  })

  it('is not known to be without a key, or by another one', async () => {
    expect(await verify('main')).toMatchObject({ code: 1, failed: ['signature'] })
    const other = join(station.work, 'other.pem')
    const { publicKey } = generateKeyPairSync('ed25519')
    await writeFile(other, publicKey.export({ type: 'spki', format: 'pem' }))
    expect(await verify('main', '--key', other)).toMatchObject({ code: 1, failed: ['signature'] })
  })

  it('cannot lend its note to another commit', async () => {
    const note = await target.say(['notes', '--ref=refs/notes/assay', 'show', 'main'])
    const message = await target.say(['log', '-1', '--format=%B', 'main'])
    const tree = await target.say(['rev-parse', 'main^^{tree}'])
    const options = { gitDirectory: target.path, env: LANDS_AS }
    const forged = (await git(['commit-tree', tree, '-p', 'main'], { ...options, stdin: message }))
      .toString()
      .trim()
    await git(['notes', '--ref=refs/notes/assay', 'add', '-F', '-', forged], { ...options, stdin: note })
    expect(await verify(forged, '--key', pub)).toMatchObject({ code: 1, failed: ['subject'] })
  })

  it.each([
    ['no note', undefined, ['trailers', 'note']],
    ['a note that is no envelope', 'verified, I promise', ['trailers', 'note']],
    [
      'an envelope of something else',
      '{"payloadType":"application/vnd.in-toto+json","payload":"e30=","signatures":[{"keyid":"","sig":"AA=="}]}',
      ['trailers', 'note'],
    ],
  ])('is told from one that has %s', async (_, note, failed) => {
    const options = { gitDirectory: target.path, env: LANDS_AS }
    const tree = await target.say(['rev-parse', 'main^{tree}'])
    const text = `x ${Math.random()}`
    const commit = (await git(['commit-tree', tree, '-m', text], options)).toString().trim()
    if (note !== undefined)
      await git(['notes', '--ref=refs/notes/assay', 'add', '-F', '-', commit], { ...options, stdin: note })
    expect(await verify(commit, '--key', pub)).toMatchObject({ code: 1, failed })
  })

  it('wants a key of its kind before anything runs', async () => {
    const task = join(station.work, 'signed')
    const before = await station.runs()
    const seen = await station.json(['run', task, '--land', target.land, '--sign', pub], { env: LANDS_AS })
    expect(seen.code).toBe(2)
    expect(seen.stderr).toMatch(/expected a private ed25519 key, PEM/)
    expect(await station.runs()).toEqual(before)
    const missing = await station.json(['report', '--verify', 'nothing', '--repository', target.path])
    expect(missing.stderr).toMatch(/expected a commit, nothing is none/)
  })
})
