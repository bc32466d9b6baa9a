/** The container of one bot: what it may do, what it may take, and nothing secret in its description. */
import { relative } from 'node:path'
import type { Job } from '@standin/wire/job.ts'
import type { ContainerCreateOptions } from 'dockerode'
import type { LaunchSpec, Need } from '../../../ports.ts'
import { containerVariables, type JobAddress, LABELS } from '../shared/container-environment.ts'
import { type BotBounds, limitsOf } from '../shared/needs.ts'

/** Between SIGTERM and SIGKILL where another program or a person stops the container. */
const STOP_SECONDS = 120
/** The driver `json-file` breaks characters at each 16 KiB of a line. */
const LOG = { Type: 'local', Config: { 'max-size': '10m', 'max-file': '1', compress: 'false' } }

/** Limits of one bot beside those of memory and cores. */
export interface BotLimits {
  processes: number
  shmBytes: number
}

/** The figures of docs/docker.md. */
export const BOT_LIMITS: BotLimits = { processes: 500, shmBytes: 1024 ** 3 }

/** The weight of one core, by which the kernel divides cores that are short. */
const SHARES_OF_CORE = 1024
const MIN_SHARES = 2

export interface ContainerSettings {
  installation: string
  image: string
  /** Null: the engine's own bridge. */
  network: string | null
  /** `host=ip:port`. */
  mapHosts: readonly string[]
  /** The service's own variables. */
  environment: Readonly<Record<string, string | undefined>>
  limits: BotLimits
  /** JSON of a seccomp profile; null: the engine's own. */
  seccompProfile: string | null
  /** Null if recordings are not in a folder. */
  recordings: RecordingsFolder | null
}

interface RecordingsFolder {
  /** The path in the service and in the bots. */
  path: string
  /** The engine's name for it: an absolute path, of which a bot gets its own part, or a whole volume. */
  source: string
}

export function containerOf(
  { botId, attempt, job, need }: LaunchSpec & { need: Need },
  name: string,
  address: JobAddress,
  settings: ContainerSettings & { bounds: BotBounds },
): ContainerCreateOptions {
  const { image, installation, environment, limits, mapHosts, network } = settings
  const { memoryBytes, cores } = limitsOf(need, settings.bounds)
  const variables = containerVariables(job, address, environment)
  const user = ownUser(job)
  return {
    name,
    Image: image,
    Cmd: ['join', ...mapHosts.flatMap((host) => ['--map-host', host])],
    Env: Object.entries(variables).map(([key, value]) => `${key}=${value}`),
    Labels: {
      [LABELS.bot]: botId,
      [LABELS.attempt]: String(attempt),
      [LABELS.installation]: installation,
      [LABELS.cores]: String(need.cores),
      [LABELS.memory]: String(need.memoryBytes),
    },
    StopTimeout: STOP_SECONDS,
    ...(user !== null && { User: user }),
    HostConfig: {
      // The exit code and the log are evidence, which is read before the container is removed.
      AutoRemove: false,
      RestartPolicy: { Name: 'no' },
      LogConfig: LOG,
      ReadonlyRootfs: true,
      Tmpfs: { '/tmp': '' },
      CapDrop: ['ALL'],
      SecurityOpt: [
        'no-new-privileges',
        ...(settings.seccompProfile === null ? [] : [`seccomp=${settings.seccompProfile}`]),
      ],
      Memory: memoryBytes,
      // No swap beside it.
      MemorySwap: memoryBytes,
      // When the machine is short of memory, the kernel takes what a bot has beyond this first.
      MemoryReservation: Math.min(need.memoryBytes, memoryBytes),
      NanoCpus: Math.round(cores * 1e9),
      CpuShares: Math.max(MIN_SHARES, Math.round(need.cores * SHARES_OF_CORE)),
      PidsLimit: limits.processes,
      ShmSize: limits.shmBytes,
      NetworkMode: network ?? 'bridge',
      ...(network !== 'host' && { ExtraHosts: ['host.docker.internal:host-gateway'] }),
      Mounts: mountsOf(job, settings.recordings),
    },
  }
}

/** Files in a folder belong to the service's user, who reads them; the image's own user is 1000. */
function ownUser({ storage }: Job): string | null {
  const [user, group] = [process.getuid?.() ?? 0, process.getgid?.() ?? 0]
  return storage.type === 'folder' && user !== 0 ? `${user}:${group}` : null
}

type Mounts = NonNullable<NonNullable<ContainerCreateOptions['HostConfig']>['Mounts']>

function mountsOf({ storage }: Job, recordings: RecordingsFolder | null): Mounts {
  if (storage.type !== 'folder') return []
  if (recordings === null)
    throw new Error('Recordings are stored in a folder, and no folder is configured for containers')
  const { path, source } = recordings
  // Engines before version 26 cannot mount a part of a volume.
  if (!source.startsWith('/')) return [{ Type: 'volume', Source: source, Target: path }]
  const own = `${source.replace(/\/+$/, '')}/${relative(path, storage.path)}`
  return [{ Type: 'bind', Source: own, Target: storage.path }]
}
