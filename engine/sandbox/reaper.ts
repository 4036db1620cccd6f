import type Dockerode from 'dockerode'
import type { Owner, ReapReport } from '../../specs/sandbox.ts'
import { isOrphan, labelFilters } from '../pure/sandbox/labels.ts'
import { removeVolume } from './docker-volumes.ts'
import { engineCall, type CallOptions } from './engine-call.ts'
import { isProcessAlive } from './owner.ts'
import { removeContainer } from './remove-container.ts'

/**
 * Removes what this state directory made: everything of one run, or what belongs to makers that are gone.
 * Boxes go first, since a volume or network in use cannot be removed.
 * @param asking how long, and until when, the engine is asked what there is; what is found is removed in any case.
 */
export async function reap(
  docker: Dockerode,
  owner: Owner,
  which: { readonly run: string } | 'orphans',
  asking: CallOptions = {},
): Promise<ReapReport> {
  const filters = labelFilters(owner.state, which === 'orphans' ? undefined : which.run)
  const isWanted = (labels: Record<string, string> | null | undefined) =>
    which !== 'orphans' || isOrphan(labels ?? {}, owner.state, isProcessAlive)

  const listed = await engineCall(
    'container.list',
    () => docker.listContainers({ all: true, filters }),
    asking,
  )
  const boxes = listed.filter(({ Labels }) => isWanted(Labels))
  await Promise.all(boxes.map(({ Id }) => removeContainer(docker.getContainer(Id))))

  const { Volumes } = await engineCall('volume.list', () => docker.listVolumes({ filters }), asking)
  const volumes = ((Volumes as Dockerode.VolumeInspectInfo[] | null) ?? []).filter(({ Labels }) =>
    isWanted(Labels),
  )
  await Promise.all(volumes.map(({ Name }) => removeVolume(docker, Name)))

  const allNetworks = await engineCall('network.list', () => docker.listNetworks({ filters }), asking)
  const networks = allNetworks.filter(({ Labels }) => isWanted(Labels))
  await Promise.all(
    networks.map(({ Id }) =>
      engineCall('network.remove', () => docker.getNetwork(Id).remove() as Promise<unknown>),
    ),
  )
  return { boxes: boxes.length, volumes: volumes.length, networks: networks.length }
}
