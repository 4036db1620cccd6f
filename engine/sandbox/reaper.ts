import type Dockerode from 'dockerode'
import type { Owner, ReapReport } from '../../specs/sandbox.ts'
import { isOrphan, labelFilters } from '../pure/sandbox/labels.ts'
import { removeVolume } from './docker-volumes.ts'
import { engineCall } from './engine-call.ts'
import { isProcessAlive } from './owner.ts'
import { removeContainer } from './remove-container.ts'

/**
 * Removes what this state directory made: everything of one run, or what belongs to makers that are gone.
 * Boxes go first, since a volume or network in use cannot be removed.
 */
export async function reap(
  docker: Dockerode,
  owner: Owner,
  which: { readonly run: string } | 'orphans',
): Promise<ReapReport> {
  const filters = labelFilters(owner.state, which === 'orphans' ? undefined : which.run)
  const isWanted = (labels: Record<string, string> | null | undefined) =>
    which !== 'orphans' || isOrphan(labels ?? {}, owner.state, isProcessAlive)

  const listed = await engineCall('container.list', () => docker.listContainers({ all: true, filters }))
  const boxes = listed.filter(({ Labels }) => isWanted(Labels))
  await Promise.all(boxes.map(({ Id }) => removeContainer(docker.getContainer(Id))))

  const { Volumes } = await engineCall('volume.list', () => docker.listVolumes({ filters }))
  const volumes = ((Volumes as Dockerode.VolumeInspectInfo[] | null) ?? []).filter(({ Labels }) =>
    isWanted(Labels),
  )
  await Promise.all(volumes.map(({ Name }) => removeVolume(docker, Name)))

  const allNetworks = await engineCall('network.list', () => docker.listNetworks({ filters }))
  const networks = allNetworks.filter(({ Labels }) => isWanted(Labels))
  await Promise.all(
    networks.map(({ Id }) =>
      engineCall('network.remove', () => docker.getNetwork(Id).remove() as Promise<unknown>),
    ),
  )
  return { boxes: boxes.length, volumes: volumes.length, networks: networks.length }
}
