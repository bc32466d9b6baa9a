/** The container of one bot: what it may do, what it may take, and nothing secret in its description. */
import { relative } from 'node:path'
import type { Job } from '@standin/wire/job.ts'
import type { ContainerCreateOptions } from 'dockerode'
import type { BotNeeds, LaunchSpec, Need } from '../../../platform/ports.ts'
import { containerVariables, type JobAddress, LABELS } from '../shared/container-environment.ts'

/** Between SIGTERM and SIGKILL where another program or a person stops the container. */
const STOP_SECONDS = 120
/** The driver `json-file` breaks characters at each 16 KiB of a line. */
const LOG = { Type: 'local', Config: { 'max-size': '10m', 'max-file': '1', compress: 'false' } }

/** Limits of one bot. */
interface BotLimits extends Need {
  processes: number
  shmBytes: number
}

/** The figures of docs/docker.md. */
export const BOT_LIMITS = { processes: 500, shmBytes: 1024 ** 3 }

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
  needs: BotNeeds
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
  { botId, attempt, job }: LaunchSpec,
  name: string,
  address: JobAddress,
  settings: ContainerSettings,
): ContainerCreateOptions {
  const { image, installation, environment, limits, mapHosts, network } = settings
  const need = settings.needs[job.recording_mode]
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
      [LABELS.mode]: job.recording_mode,
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
      Memory: limits.memoryBytes,
      // No swap beside it.
      MemorySwap: limits.memoryBytes,
      // When the machine is short of memory, the kernel takes what a bot has beyond this first.
      MemoryReservation: need.memoryBytes,
      NanoCpus: Math.round(limits.cores * 1e9),
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
