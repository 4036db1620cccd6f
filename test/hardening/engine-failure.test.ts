import Dockerode from 'dockerode'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { GradedChange } from '../../engine/grade/grade-change.ts'
import { engineAddressText } from '../../engine/sandbox/engine-client.ts'
import { currentOwner } from '../../engine/sandbox/owner.ts'
import { documentOf, type Seen } from '../support/assay.ts'
import { patchOf, writeFiles, writeTask } from '../support/double-task.ts'
import { openStation, type Station } from '../support/station.ts'
import { proxySocket } from '../support/socket-proxy.ts'

const docker = new Dockerode()
let station: Station
let task: string
beforeAll(async () => {
  station = await openStation(['node', 'judge'])
  task = await writeTask(join(station.work, 'task'), { policy: { infraRetries: 1 } })
  expect((await station.json(['seal', task])).code).toBe(0)
})
afterAll(() => station.close())

/** Right, slow enough that its box can be got at while it runs, and another tree each time: nothing was graded before. */
async function slowAndRight(name: string): Promise<string> {
  const diff = join(station.work, `${name}.diff`)
  const wait = 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2500)'
  await writeFiles(station.work, {
    [`${name}.diff`]: patchOf(`exports.double = (n) => (${wait}, n * 2) // ${name}`),
  })
  return diff
}

/** Kills product boxes as they come, at most so many, until the command has ended. */
async function killBoxes(ended: Promise<Seen>, most: number): Promise<number> {
  const over = { now: false }
  void ended.then(() => (over.now = true))
  const filters = { label: [`assay.state=${currentOwner(station.state).state}`, 'assay.kind=product'] }
  const killed = new Set<string>()
  while (!over.now && killed.size < most) {
    for (const { Id } of await docker.listContainers({ filters })) {
      if (killed.has(Id) || killed.size >= most) continue
      const gone = await docker
        .getContainer(Id)
        .kill()
        .then(
          () => true,
          () => false,
        )
      if (gone) killed.add(Id)
    }
    await sleep(100)
  }
  return killed.size
}

describe('an engine that fails under a grade', () => {
  it('once: the grade is made again, and is the right one', async () => {
    const running = station.begin(['grade', task, '--diff', await slowAndRight('once')])
    expect(await killBoxes(running.ended, 1)).toBe(1)
    const seen = await running.ended
    expect(documentOf(seen), seen.stderr).toMatchObject({ verdict: 'verified', grade: { failed: 0 } })
    expect(seen.code).toBe(0)
  })

  it('again and again: held as infrastructure, exit 4, and nothing is said against the change', async () => {
    const running = station.begin(['grade', task, '--diff', await slowAndRight('always')])
    const killed = await killBoxes(running.ended, 1000)
    const seen = await running.ended
    const result = documentOf(seen) as GradedChange
    expect(result, seen.stderr).toMatchObject({
      verdict: 'unverifiable',
      heldFor: 'infrastructure',
      missing: expect.any(String) as string,
    })
    expect(result).not.toHaveProperty('grade')
    expect([seen.code, killed]).toEqual([4, expect.toSatisfy((count: number) => count >= 2)])
  })

  it('for good, its socket gone: held as infrastructure; the next command removes what was left', async () => {
    const target = engineAddressText()
    const proxy = await proxySocket(join(station.work, 'engine.sock'), target)
    const diff = await slowAndRight('cut')
    const running = station.begin(['--docker-host', proxy.address, 'grade', task, '--diff', diff])
    await expect
      .poll(() => station.leftovers(), { timeout: 60_000 })
      .toContainEqual(expect.stringContaining('box') as string)
    proxy.cut()
    const seen = await running.ended
    expect(documentOf(seen), seen.stderr).toMatchObject({
      heldFor: 'infrastructure',
      verdict: 'unverifiable',
    })
    expect(seen.code).toBe(4)
    expect((await station.json(['report'])).code).toBe(0)
    expect(await station.leftovers()).toEqual([])
  })
})
