import type Dockerode from 'dockerode'
import type { EngineInfo } from '../../specs/sandbox.ts'
import { engineCall } from './engine-call.ts'

/** What we read of the engine's `/info`; engines leave out what they do not know. */
interface RawInfo {
  readonly Name?: string
  readonly ServerVersion?: string
  readonly CgroupVersion?: string
  readonly Runtimes?: Record<string, unknown> | null
  readonly SecurityOptions?: string[] | null
  readonly MemoryLimit?: boolean
  readonly PidsLimit?: boolean
  readonly CpuCfsQuota?: boolean
  readonly SwapLimit?: boolean
  readonly NCPU?: number
  readonly MemTotal?: number
  readonly DockerRootDir?: string
  readonly InitBinary?: string
}

/** @throws Fault `infra/engine-unreachable` when no engine answers within `timeoutMs`. */
export async function engineInfo(docker: Dockerode, timeoutMs: number): Promise<EngineInfo> {
  const [info, version] = await engineCall(
    'info',
    () => Promise.all([docker.info() as Promise<RawInfo>, docker.version()]),
    { timeoutMs },
  )
  return {
    name: info.Name ?? '',
    version: info.ServerVersion ?? version.Version,
    apiVersion: version.ApiVersion,
    cgroupVersion: info.CgroupVersion ?? '1',
    runtimes: Object.keys(info.Runtimes ?? {}),
    securityOptions: info.SecurityOptions ?? [],
    memoryLimit: info.MemoryLimit ?? false,
    pidsLimit: info.PidsLimit ?? false,
    cpuLimit: info.CpuCfsQuota ?? false,
    swapLimit: info.SwapLimit ?? false,
    cpus: info.NCPU ?? 0,
    memoryBytes: info.MemTotal ?? 0,
    rootDir: info.DockerRootDir ?? '',
  }
}
