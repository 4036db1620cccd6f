import Dockerode from 'dockerode'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { readJournal } from '../../engine/journal/journal.ts'
import { currentOwner } from '../../engine/sandbox/owner.ts'
import type { ImageName } from '../../images/definitions.ts'
import { makeTestStore } from '../../images/test-store.ts'
import type { EventBody, JournalLine } from '../../specs/journal.ts'
import { assay, start, type CallOptions, type Running, type Seen } from './assay.ts'

/** A state directory of one test file, with the shared images in its lock: nothing is built anew for it. */
export interface Station {
  readonly state: string
  /** A folder for tasks and whatever else a test writes; removed at the end. */
  readonly work: string
  /** `assay --state … --json …`. */
  json(argv: readonly string[], options?: CallOptions): Promise<Seen>
  /** `assay --state … …`, as a person sees it. */
  text(argv: readonly string[], options?: CallOptions): Promise<Seen>
  /** `assay --state … --json …`, not waited for. */
  begin(argv: readonly string[], options?: CallOptions): Running
  /** The journal of a run, which has to be whole. */
  journal(run: string): readonly JournalLine[]
  runs(): Promise<readonly string[]>
  /** What of this state directory stands in the engine. */
  leftovers(): Promise<readonly string[]>
  /**
   * Removes everything, after two things that hold for every test: nothing is left in the engine, and in every journal
   * a seal comes before the first output that is opened.
   */
  close(): Promise<void>
}

export async function openStation(images: readonly ImageName[]): Promise<Station> {
  const store = await makeTestStore(images)
  const state = store.deps.stateDir
  const work = await mkdtemp(join(tmpdir(), 'assay-e2e-'))
  const { state: label } = currentOwner(state)
  const docker = new Dockerode()
  const runs = () => readdir(join(state, 'runs')).catch(() => [])
  const journal = (run: string) => readJournal(join(state, 'runs', run, 'journal.jsonl'))
  return {
    state,
    work,
    json: (argv, options) => assay(['--state', state, '--json', ...argv], options),
    text: (argv, options) => assay(['--state', state, ...argv], options),
    begin: (argv, options) => start(['--state', state, '--json', ...argv], options),
    journal,
    runs,
    leftovers: () => labelled(docker, label),
    async close() {
      const left = await labelled(docker, label)
      const orders = new Map<string, readonly string[]>()
      for (const run of await runs()) {
        orders.set(run, openedBeforeSeal(journal(run)))
      }
      await store.remove()
      await rm(work, { recursive: true, force: true })
      expect(left).toEqual([])
      for (const [run, wrong] of orders) expect(wrong, `run ${run}`).toEqual([])
    },
  }
}

async function labelled(docker: Dockerode, state: string): Promise<readonly string[]> {
  const filters = { label: [`assay.state=${state}`] }
  const boxes = await docker.listContainers({ all: true, filters })
  const { Volumes } = await docker.listVolumes({ filters })
  const networks = await docker.listNetworks({ filters })
  return [
    ...boxes.map(({ Names }) => `box ${Names.join(' ')}`),
    // The engine answers null where there is none.
    ...((Volumes as Dockerode.VolumeInspectInfo[] | null) ?? []).map(({ Name }) => `volume ${Name}`),
    ...networks.map(({ Name }) => `network ${Name}`),
  ]
}

function openedBeforeSeal(lines: readonly JournalLine[]): readonly string[] {
  const sealedAt = lines.find(({ body }) => body.type === 'sealed')?.seq ?? Number.POSITIVE_INFINITY
  return lines
    .filter(({ seq, body }) => body.type === 'opened' && seq < sealedAt)
    .map(({ seq }) => `event ${seq}: opened before the seal`)
}

/** The events of one type, in order. */
export function eventsOf<T extends EventBody['type']>(
  lines: readonly JournalLine[],
  type: T,
): readonly (JournalLine & { readonly body: Extract<EventBody, { type: T }> })[] {
  return lines.filter(({ body }) => body.type === type) as never
}
