import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { requireMmdebstrap } from './debian-root.ts'

test('a host without mmdebstrap is told what to type; nothing is installed on it', async () => {
  const host = mkdtempSync(join(tmpdir(), 'assay-host-'))
  await expect(requireMmdebstrap(host)).rejects.toMatchObject({
    code: 'config/no-base',
    message: expect.stringMatching(/"apt-get install .*mmdebstrap debian-archive-keyring"/) as string,
  })
  rmSync(host, { recursive: true })
})
