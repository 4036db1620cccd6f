import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fc, test as property } from '@fast-check/vitest'
import { afterAll, expect, vi } from 'vitest'
import { isDotGit } from '../pure/dot-git.ts'

vi.setConfig({ testTimeout: 60_000 })

const repository = mkdtempSync(join(tmpdir(), 'assay-dot-git-'))
const git = (argv: readonly string[], input?: string): string =>
  execFileSync('git', ['-c', 'core.protectNTFS=true', '-c', 'core.protectHFS=true', ...argv], {
    cwd: repository,
    encoding: 'utf8',
    ...(input === undefined ? {} : { input }),
    stdio: ['pipe', 'pipe', 'ignore'],
  })
git(['init', '-q'])
const blob = git(['hash-object', '-w', '--stdin'], 'x').trim()
afterAll(() => rmSync(repository, { recursive: true, force: true }))

const part = fc.constantFrom(
  '.git',
  '.GIT',
  '.Git',
  'git~1',
  'GIT~1',
  'git~2',
  '.gitignore',
  '.',
  ' ',
  ':',
  'x',
  '\\',
  '\u200c',
  '\u200e',
  '\ufeff',
  '\u206a',
  '$',
  '~',
)
const segment = fc
  .array(part, { minLength: 1, maxLength: 5 })
  .map((parts) => parts.join(''))
  .filter((name) => !/^\.+$/.test(name))

property.prop([fc.uniqueArray(segment, { minLength: 20, maxLength: 60 })], { numRuns: 20 })(
  'whatever git keeps out of an index for being .git on some file system, we call .git',
  (names) => {
    git(['read-tree', '--empty'])
    git(
      ['update-index', '-z', '--add', '--index-info'],
      names.map((name) => `100644 ${blob}\tf/${name}\0`).join(''),
    )
    const taken = new Set(git(['ls-files', '-z']).split('\0'))
    const refused = names.filter((name) => !taken.has(`f/${name}`))
    expect(refused.filter((name) => !isDotGit(name))).toEqual([])
    // And no more than that, but for names that a backslash splits: git looks at those on Windows only.
    const ours = names.filter((name) => isDotGit(name) && !name.includes('\\'))
    expect(ours.filter((name) => taken.has(`f/${name}`) && !/[\u200c\u200e\ufeff\u206a]/.test(name))).toEqual(
      [],
    )
  },
)
