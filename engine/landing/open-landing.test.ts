import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { git } from '../trees/git.ts'
import { file, storeForTest } from '../trees/testing/store-for-test.ts'
import { openLanding, type Landing, type Tip } from './open-landing.ts'

vi.setConfig({ testTimeout: 60_000 })
const { root, store } = await storeForTest()
const { signal } = new AbortController()
const WHO = { name: 'A Person', email: 'a@example.org' }
const AT = new Date('2026-01-01T00:00:00Z')
const env = { PATH: process.env['PATH'], HOME: root, GIT_CONFIG_GLOBAL: '/dev/null' }
const home = mkdtempSync(join(root, 'targets-'))
afterAll(() => rmSync(home, { recursive: true }))

type Files = Readonly<Record<string, string>>
const treeOf = (files: Files) =>
  store.writeTree(Object.entries(files).map(([path, text]) => file(path, text)))

/** A bare repository of somebody, with a branch main. */
class Target {
  readonly path = mkdtempSync(join(home, 'r-'))

  static async of(files: Files): Promise<Target> {
    const target = new Target()
    await git(['init', '-q', '--bare', '-b', 'main', target.path], { cwd: home })
    await target.commit(files)
    return target
  }

  /** Commits on main as another person would, from a clone that is made for it. */
  async commit(files: Files, remove: readonly string[] = []): Promise<string> {
    const clone = mkdtempSync(join(home, 'c-'))
    await git(['clone', '-q', this.path, clone], { cwd: home })
    for (const path of remove) await git(['rm', '-q', path], { cwd: clone })
    for (const [path, text] of Object.entries(files)) {
      await mkdir(join(clone, path, '..'), { recursive: true })
      writeFileSync(join(clone, path), text)
    }
    await git(['add', '-A'], { cwd: clone })
    const who = ['-c', 'user.name=O', '-c', 'user.email=o@example.org']
    await git([...who, 'commit', '-q', '--allow-empty', '-m', 'theirs'], { cwd: clone })
    await git(['push', '-q', 'origin', 'HEAD:main'], { cwd: clone })
    return this.head()
  }

  async head(): Promise<string> {
    return this.say(['rev-parse', 'main'])
  }

  async say(argv: readonly string[]): Promise<string> {
    return (await git(argv, { gitDirectory: this.path })).toString('utf8').trim()
  }

  open(folder?: string): Promise<Landing> {
    return openLanding(
      { repository: this.path, branch: 'main' },
      { store, directory: join(home, 'landing'), env, ...(folder === undefined ? {} : { folder }) },
      signal,
    )
  }
}

async function commitOn(landing: Landing, tip: Tip, tree: string): Promise<string> {
  const parts = { tip: tip.commit, tree, message: 'ours\n', author: WHO, committer: WHO, at: AT }
  return landing.commit(parts, signal)
}

const BASE = { 'a.txt': '1\n2\n3\n4\n5\n6\n7\n', 'b.txt': 'b\n' }
const OUTPUT = { ...BASE, 'a.txt': 'one\n2\n3\n4\n5\n6\n7\n' }

describe('merging with what the branch is', () => {
  test('is the output to the byte where the branch still is base', async () => {
    const target = await Target.of(BASE)
    const landing = await target.open()
    const output = await treeOf(OUTPUT)
    const merge = await landing.merge(await treeOf(BASE), await landing.tip(signal), output, signal)
    expect(merge).toEqual({
      kind: 'merged',
      tree: output,
      graded: output,
      before: await treeOf(BASE),
      changed: ['a.txt'],
    })
  })

  test('has both changes where the branch moved, and the store has the tree', async () => {
    const target = await Target.of({ ...BASE, 'only/there.txt': 'x\n' })
    await target.commit({ 'a.txt': '1\n2\n3\n4\n5\n6\nseven\n' })
    const landing = await target.open()
    const merge = await landing.merge(
      await treeOf(BASE),
      await landing.tip(signal),
      await treeOf(OUTPUT),
      signal,
    )
    if (merge.kind !== 'merged') throw new Error('a conflict')
    expect(Buffer.from((await store.readFile(merge.tree, 'a.txt')) ?? []).toString()).toBe(
      'one\n2\n3\n4\n5\n6\nseven\n',
    )
    expect((await store.list(merge.tree)).map(({ path }) => path)).toEqual([
      'a.txt',
      'b.txt',
      'only/there.txt',
    ])
    expect(merge.changed).toEqual(['a.txt'])
  })

  test.each<[string, Files, readonly string[], Files, readonly string[]]>([
    ['the same line', { 'a.txt': 'uno\n2\n3\n4\n5\n6\n7\n' }, [], OUTPUT, ['a.txt']],
    ['a file that both added', { 'n.txt': 'x\n' }, [], { ...BASE, 'n.txt': 'y\n' }, ['n.txt']],
    ['a file that they deleted', {}, ['a.txt'], OUTPUT, ['a.txt']],
    [
      'names that git would quote',
      { 'ä b\n.txt': 'x\n' },
      [],
      { ...BASE, 'ä b\n.txt': 'y\n' },
      ['ä b\n.txt'],
    ],
  ])('names the paths of a conflict: %s', async (_, theirs, removed, ours, paths) => {
    const target = await Target.of(BASE)
    await target.commit(theirs, removed)
    const landing = await target.open()
    const merge = await landing.merge(
      await treeOf(BASE),
      await landing.tip(signal),
      await treeOf(ours),
      signal,
    )
    expect(merge).toEqual({ kind: 'conflict', paths })
  })

  test('runs no driver that an attribute of a tree names, and changes no byte by one', async () => {
    const attributes = '* merge=evil text eol=crlf ident\n'
    const base = { ...BASE, '.gitattributes': attributes, 'i.txt': '$Id$\n' }
    const target = await Target.of(BASE)
    await target.commit({ '.gitattributes': attributes, 'i.txt': '$Id$\n' })
    await target.commit({ 'b.txt': 'c\n' })
    const landing = await target.open()
    const ours = { ...base, 'a.txt': OUTPUT['a.txt'] }
    const merge = await landing.merge(
      await treeOf(base),
      await landing.tip(signal),
      await treeOf(ours),
      signal,
    )
    expect(merge).toMatchObject({ kind: 'merged', tree: await treeOf({ ...ours, 'b.txt': 'c\n' }) })
  })

  test('puts the output in its folder where base is one, and leaves the rest as it is', async () => {
    const target = await Target.of({
      'README.md': 'r\n',
      'packages/x/a.txt': BASE['a.txt'],
      'packages/x/b.txt': 'b\n',
    })
    const landing = await target.open('packages/x')
    const output = await treeOf(OUTPUT)
    const merge = await landing.merge(await treeOf(BASE), await landing.tip(signal), output, signal)
    if (merge.kind !== 'merged') throw new Error('a conflict')
    expect(merge).toMatchObject({ graded: output, changed: ['packages/x/a.txt'] })
    const tip = await landing.tip(signal)
    const commit = await commitOn(landing, tip, merge.tree)
    expect(await landing.push(tip.commit, commit, signal)).toEqual({ kind: 'landed' })
    expect(await target.say(['show', 'main:packages/x/a.txt'])).toContain('one')
    expect(await target.say(['show', 'main:README.md'])).toBe('r')
  })

  test('keeps a submodule of the branch', async () => {
    const target = await Target.of(BASE)
    const head = await target.head()
    const listing = (await git(['ls-tree', '-z', 'main'], { gitDirectory: target.path })).toString()
    const stdin = `${listing}160000 commit ${head}\tvendor\0`
    const tree = (await git(['mktree', '-z', '--missing'], { gitDirectory: target.path, stdin }))
      .toString()
      .trim()
    const who = ['-c', 'user.name=O', '-c', 'user.email=o@example.org']
    const commit = (
      await git([...who, 'commit-tree', tree, '-p', head, '-m', 'x'], { gitDirectory: target.path })
    )
      .toString()
      .trim()
    await git(['update-ref', 'refs/heads/main', commit], { gitDirectory: target.path })
    const landing = await target.open()
    const tip = await landing.tip(signal)
    const merge = await landing.merge(await treeOf(BASE), tip, await treeOf(OUTPUT), signal)
    if (merge.kind !== 'merged') throw new Error('a conflict')
    await landing.push(tip.commit, await commitOn(landing, tip, merge.tree), signal)
    expect(await target.say(['ls-tree', 'main', 'vendor'])).toBe(`160000 commit ${head}\tvendor`)
  })
})

describe('moving the branch', () => {
  test('lands the commit, once', async () => {
    const target = await Target.of(BASE)
    const landing = await target.open()
    const tip = await landing.tip(signal)
    const commit = await commitOn(landing, tip, await treeOf(OUTPUT))
    expect(await commitOn(landing, tip, await treeOf(OUTPUT))).toBe(commit)
    expect(await landing.has(commit, signal)).toBe(false)
    expect(await landing.push(tip.commit, commit, signal)).toEqual({ kind: 'landed' })
    expect(await landing.has(commit, signal)).toBe(true)
    expect(await landing.push(tip.commit, commit, signal)).toEqual({ kind: 'landed' })
    expect(await target.head()).toBe(commit)
    await target.commit({ 'c.txt': 'c\n' })
    expect(await landing.has(commit, signal)).toBe(true)
    expect(await target.say(['rev-list', '--count', 'main'])).toBe('3')
  })

  test('says where the branch is when it moved: forward, aside, or back', async () => {
    const target = await Target.of(BASE)
    const first = await target.head()
    await target.commit({ 'b.txt': 'c\n' })
    const landing = await target.open()
    const tip = await landing.tip(signal)
    const commit = await commitOn(landing, tip, await treeOf(OUTPUT))
    const forward = await target.commit({ 'b.txt': 'd\n' })
    expect(await landing.push(tip.commit, commit, signal)).toEqual({ kind: 'moved', tip: forward })
    await git(['update-ref', 'refs/heads/main', first], { gitDirectory: target.path })
    expect(await landing.push(tip.commit, commit, signal)).toEqual({ kind: 'moved', tip: first })
    expect(await target.head()).toBe(first)
  })

  test('fifty landings, each moved under its feet, land in order and once', async () => {
    const target = await Target.of(BASE)
    const landing = await target.open()
    const landed: string[] = []
    let moves = 0
    for (let at = 1; at <= 50; at++) {
      const ours = { ...BASE, [`ours-${at}.txt`]: `${at}\n` }
      for (let isDone = false, isFirst = true; !isDone; isFirst = false) {
        const tip = await landing.tip(signal)
        const merge = await landing.merge(await treeOf(BASE), tip, await treeOf(ours), signal)
        if (merge.kind !== 'merged') throw new Error('a conflict')
        const commit = await commitOn(landing, tip, merge.tree)
        // Somebody else lands in between, by writing a commit straight into the repository.
        if (isFirst) await moveOn(target, at)
        const pushed = await landing.push(tip.commit, commit, signal)
        if (pushed.kind === 'landed') landed.push(commit)
        else moves += 1
        isDone = pushed.kind === 'landed'
      }
    }
    expect(moves).toBe(50)
    const history = (await target.say(['rev-list', '--reverse', '--author=A Person', 'main'])).split('\n')
    expect(history).toEqual(landed)
    const paths = (await target.say(['ls-tree', '--name-only', 'main'])).split('\n')
    for (let at = 1; at <= 50; at++) expect(paths).toContain(`ours-${at}.txt`)
    expect(await target.say(['rev-list', '--count', 'main'])).toBe('101')
  })

  test('tells what a hook of the repository said', async () => {
    const target = await Target.of(BASE)
    const hook = join(target.path, 'hooks', 'pre-receive')
    await mkdir(join(target.path, 'hooks'), { recursive: true })
    await writeFile(hook, '#!/bin/sh\necho "not on a Friday: no network then"\nexit 1\n')
    await chmod(hook, 0o755)
    const landing = await target.open()
    const tip = await landing.tip(signal)
    const commit = await commitOn(landing, tip, await treeOf(OUTPUT))
    expect(await landing.push(tip.commit, commit, signal)).toMatchObject({
      kind: 'refused',
      why: expect.stringMatching(/pre-receive hook declined.*not on a Friday/) as string,
    })
    expect(await target.head()).toBe(tip.commit)
  })

  test('adds a note beside those of others, on the same commit and on another one, also when they are written at once', async () => {
    const target = await Target.of(BASE)
    const landing = await target.open()
    const { commit } = await landing.tip(signal)
    const who = ['-c', 'user.name=O', '-c', 'user.email=o@example.org']
    await git([...who, 'notes', '--ref=refs/notes/assay', 'add', '-m', 'theirs', commit], {
      gitDirectory: target.path,
    })
    const others = await Promise.all([target.open(), target.open()])
    await Promise.all(
      [landing, ...others].map((one, index) => one.addNote(commit, `{"n":${index}}`, WHO, signal)),
    )
    await landing.addNote(commit, '{"n":0}', WHO, signal)
    const lines = (await target.say(['notes', '--ref=refs/notes/assay', 'show', commit])).split('\n')
    expect(lines.filter((line) => line !== '').sort()).toEqual(['theirs', '{"n":0}', '{"n":1}', '{"n":2}'])
  })

  test('leaves no ref of its own, there or here', async () => {
    const target = await Target.of(BASE)
    const landing = await target.open()
    const tip = await landing.tip(signal)
    await target.commit({ 'b.txt': 'c\n' })
    const now = await landing.tip(signal)
    const merge = await landing.merge(await treeOf(BASE), now, await treeOf(OUTPUT), signal)
    if (merge.kind !== 'merged') throw new Error('a conflict')
    await landing.push(now.commit, await commitOn(landing, now, merge.tree), signal)
    expect(tip.commit).not.toBe(now.commit)
    expect(await target.say(['for-each-ref', '--format=%(refname)'])).toBe('refs/heads/main')
    const refs = (
      await git(['for-each-ref', '--format=%(refname)'], { gitDirectory: store.directory })
    ).toString()
    expect(refs.split('\n').filter((ref) => ref !== '' && !ref.startsWith('refs/assay/trees/'))).toEqual([])
  })
})

describe('opening', () => {
  test('names the branches that are there when there is no such one', async () => {
    const target = await Target.of(BASE)
    const opening = openLanding(
      { repository: target.path, branch: 'release' },
      { store, directory: join(home, 'landing'), env },
      signal,
    )
    await expect(opening).rejects.toMatchObject({
      code: 'config/landing',
      message: expect.stringContaining('expected a branch release; it has main') as string,
    })
  })
  test('refuses a folder that is no repository', async () => {
    const target = { repository: home, branch: 'main' }
    await expect(
      openLanding(target, { store, directory: join(home, 'landing'), env }, signal),
    ).rejects.toMatchObject({ code: 'config/landing' })
  })
  test('refuses a branch that is checked out there, before anything has run', async () => {
    const folder = mkdtempSync(join(home, 'work-'))
    await git(['init', '-q', '-b', 'main', folder], { cwd: home })
    const who = ['-c', 'user.name=O', '-c', 'user.email=o@example.org']
    await git([...who, 'commit', '-q', '--allow-empty', '-m', 'x'], { cwd: folder })
    const target = { repository: folder, branch: 'main' }
    const options = { store, directory: join(home, 'landing'), env }
    await expect(openLanding(target, options, signal)).rejects.toThrow(
      /main is checked out in .*updateInstead/,
    )
    await git(['branch', 'other'], { cwd: folder })
    await openLanding({ ...target, branch: 'other' }, options, signal)
    await git(['config', 'receive.denyCurrentBranch', 'updateInstead'], { cwd: folder })
    await openLanding(target, options, signal)
  })
})

/** Another person's commit on main, in the repository itself. */
async function moveOn(target: Target, at: number): Promise<void> {
  const options = { gitDirectory: target.path }
  const blob = (await git(['hash-object', '-w', '--stdin'], { ...options, stdin: `${at}\n` }))
    .toString()
    .trim()
  const listing = (await git(['ls-tree', '-z', 'main'], options)).toString()
  const tree = (
    await git(['mktree', '-z'], { ...options, stdin: `${listing}100644 blob ${blob}\ttheirs-${at}.txt\0` })
  )
    .toString()
    .trim()
  const identity = {
    GIT_AUTHOR_NAME: 'O',
    GIT_AUTHOR_EMAIL: 'o@example.org',
    GIT_COMMITTER_NAME: 'O',
    GIT_COMMITTER_EMAIL: 'o@example.org',
  }
  const head = await target.head()
  const commit = (await git(['commit-tree', tree, '-p', head, '-m', 'theirs'], { ...options, env: identity }))
    .toString()
    .trim()
  await git(['update-ref', 'refs/heads/main', commit, head], options)
}
