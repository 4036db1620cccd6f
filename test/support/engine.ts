import type Dockerode from 'dockerode'
import { currentOwner } from '../../engine/sandbox/owner.ts'
import type { Station } from './station.ts'

/** Names of the containers that a station's commands made while `work` ran, by the engine's own events. */
export async function boxesMade<T>(
  { state }: Station,
  docker: Dockerode,
  work: () => Promise<T>,
): Promise<{ readonly result: T; readonly boxes: readonly string[] }> {
  // Events are cut by whole seconds: what was made before must not count.
  const since = await nextSecond()
  const result = await work()
  const until = await nextSecond()
  const filters = {
    type: ['container'],
    event: ['create'],
    label: [`assay.state=${currentOwner(state).state}`],
  }
  const stream = await docker.getEvents({ since, until, filters: JSON.stringify(filters) })
  let text = ''
  for await (const piece of stream) text += String(piece)
  const boxes = text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => (JSON.parse(line) as { Actor: { Attributes: { name: string } } }).Actor.Attributes.name)
  return { result, boxes }
}

async function nextSecond(): Promise<number> {
  const second = Math.floor(Date.now() / 1000) + 1
  await new Promise((resolve) => setTimeout(resolve, second * 1000 - Date.now() + 20))
  return second
}
