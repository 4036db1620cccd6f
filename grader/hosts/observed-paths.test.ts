import { describe, expect, it } from 'vitest'
import { observeWith } from '../testing/run-host.ts'

const script = `const fs = require('node:fs')
fs.mkdirSync('some'); fs.writeFileSync('some/b', ''); fs.writeFileSync('some/a', '')
fs.mkdirSync('many'); for (let n = 0; n < 1001; n += 1) fs.writeFileSync('many/' + n, '')
fs.symlinkSync('some', 'link')`

describe.each(['node', 'python'] as const)('what a command leaves, as the host in %s sees it', (runtime) => {
  it('is never half of something', async () => {
    const observation = await observeWith(runtime, {
      command: {
        argv: [process.execPath, '-e', script],
        observe: ['some', 'many', 'link', 'link/a', 'some/a/b', 'none/a', '../x', `${'n'.repeat(300)}/a`],
      },
    })
    expect(observation).toMatchObject({
      outcome: 'exited',
      code: 0,
      files: {
        some: { kind: 'directory', entries: ['a', 'b'] },
        many: { kind: 'other' },
        link: { kind: 'link', target: 'some' },
        'link/a': { kind: 'other' },
        'some/a/b': { kind: 'absent' },
        'none/a': { kind: 'absent' },
        '../x': { kind: 'other' },
        [`${'n'.repeat(300)}/a`]: { kind: 'other' },
      },
    })
  })
})
