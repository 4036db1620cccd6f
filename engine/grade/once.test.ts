import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { Once } from './once.ts'

const { signal } = new AbortController()

it('does at the same time asked for work once, and what comes after it again', async () => {
  const once = new Once<number>()
  let times = 0
  const work = async () => {
    await sleep(5)
    return ++times
  }
  const both = await Promise.all([once.run('a', work, signal), once.run('a', work, signal)])
  expect(both).toEqual([
    { value: 1, shared: false },
    { value: 1, shared: true },
  ])
  expect(await once.run('a', work, signal)).toEqual({ value: 2, shared: false })
  expect(await Promise.all([once.run('a', work, signal), once.run('b', work, signal)])).toMatchObject([
    { shared: false },
    { shared: false },
  ])
})

it('lets who waits begin anew when the first failed, again one at a time', async () => {
  const once = new Once<string>()
  const begun: string[] = []
  const work = (name: string, fails: boolean) => async () => {
    begun.push(name)
    await sleep(5)
    if (fails) throw new Error(name)
    return name
  }
  const all = await Promise.allSettled([
    once.run('a', work('first', true), signal),
    once.run('a', work('second', false), signal),
    once.run('a', work('third', false), signal),
  ])
  expect(begun).toEqual(['first', 'second'])
  expect(all).toMatchObject([
    { status: 'rejected' },
    { value: { value: 'second', shared: false } },
    { value: { value: 'second', shared: true } },
  ])
})

it('ends the waiting of one alone, by its signal', async () => {
  const once = new Once<number>()
  const stop = new AbortController()
  const first = once.run('a', () => sleep(50, 1), signal)
  const second = once.run('a', () => sleep(50, 2), stop.signal)
  stop.abort(new Error('stopped'))
  await expect(second).rejects.toThrow('stopped')
  expect(await first).toEqual({ value: 1, shared: false })
})
