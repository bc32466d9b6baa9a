/** The Job of one bot: what it may do, what it may take, and nothing secret in its description. */

import type { V1Job, V1PodSpec } from '@kubernetes/client-node'
import type { Job } from '@standin/wire/job.ts'
import type { BotNeeds, LaunchSpec, Need } from '../../../platform/ports.ts'
import { containerVariables, type JobAddress, LABELS, WORK_FOLDER } from '../shared/container-environment.ts'

/** The container of the bot in its pod. */
export const CONTAINER = 'bot'
/** On every pod of a bot: the cluster keeps the pod, and how it ended, until the service has read that. */
export const FINALIZER = 'standin.bot/evidence'
/** On every Job: what the service has done with it (`Mark`). */
export const MARK = 'standin.told'
/** On a Job that the service has ended before its bot ran: why, in a sentence. */
export const WHY = 'standin.why'

/** `made`: without a pod yet, since its job is not offered yet. */
export type Mark = 'made' | 'started' | 'stopped' | 'killed'

/** Time from SIGTERM to SIGKILL if the cluster removes the pod by itself: leave, finish the files, store the rest. */
const GRACE_SECONDS = 120
/** Seconds after which the cluster removes what the service has not. */
const KEPT_SECONDS = 86_400
/** Seconds after the limits in its job until the cluster ends a bot: a pause may last a day. */
const BEYOND_SECONDS = 86_400 + 3_600
/** The image's user. */
const USER = 1000
const DISK = { requests: '4Gi', limits: '16Gi' }

export interface PodSettings {
  installation: string
  namespace: string
  image: string
  pull: 'never' | 'missing' | 'always'
  /** A Secret of the namespace with access to the image's registry. */
  pullSecret: string | null
  /** Null: the namespace's own. Bots never get its token. */
  serviceAccount: string | null
  nodeSelector: Readonly<Record<string, string>>
  tolerations: readonly Toleration[]
  /** The node's own network in place of one of the pod. */
  usesHostNetwork: boolean
  /** A node keeps so much free for a bot. */
  needs: BotNeeds
  limits: Need
  shmBytes: number
  /** `host=ip:port`. */
  mapHosts: readonly string[]
  /** The service's own variables. */
  environment: Readonly<Record<string, string | undefined>>
}

interface Toleration {
  key: string
  /** Null: any. */
  value: string | null
  effect: 'NoSchedule' | 'PreferNoSchedule' | 'NoExecute'
}

const PULL_POLICY = { never: 'Never', missing: 'IfNotPresent', always: 'Always' } as const

/** Without a pod at first: its `parallelism` is raised when its job can be fetched. */
export function kubernetesJobOf(
  { botId, attempt, job }: LaunchSpec,
  name: string,
  address: JobAddress,
  settings: PodSettings,
): V1Job {
  const labels = {
    'app.kubernetes.io/name': 'standin',
    'app.kubernetes.io/component': 'bot',
    [LABELS.bot]: botId,
    [LABELS.attempt]: String(attempt),
    [LABELS.installation]: settings.installation,
  }
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name, labels, annotations: { [MARK]: 'made' satisfies Mark } },
    spec: {
      parallelism: 0,
      completions: 1,
      // A second pod would be a second bot in the meeting.
      backoffLimit: 0,
      podReplacementPolicy: 'Failed',
      activeDeadlineSeconds: longestLife(job),
      ttlSecondsAfterFinished: KEPT_SECONDS,
      template: {
        metadata: {
          labels,
          finalizers: [FINALIZER],
          // Autoscalers that empty a node leave it alone while a bot is in a meeting.
          annotations: {
            'cluster-autoscaler.kubernetes.io/safe-to-evict': 'false',
            'karpenter.sh/do-not-disrupt': 'true',
          },
        },
        spec: podOf(job, address, settings),
      },
    },
  }
}

function podOf(job: Job, address: JobAddress, settings: PodSettings): V1PodSpec {
  const { mapHosts } = settings
  return {
    restartPolicy: 'Never',
    terminationGracePeriodSeconds: GRACE_SECONDS,
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    ...(settings.serviceAccount !== null && { serviceAccountName: settings.serviceAccount }),
    ...(settings.pullSecret !== null && { imagePullSecrets: [{ name: settings.pullSecret }] }),
    ...(settings.usesHostNetwork && { hostNetwork: true, dnsPolicy: 'ClusterFirstWithHostNet' }),
    ...(Object.keys(settings.nodeSelector).length > 0 && { nodeSelector: { ...settings.nodeSelector } }),
    ...(settings.tolerations.length > 0 && {
      tolerations: settings.tolerations.map(({ key, value, effect }) =>
        value === null ? { key, operator: 'Exists', effect } : { key, operator: 'Equal', value, effect },
      ),
    }),
    securityContext: {
      runAsNonRoot: true,
      runAsUser: USER,
      runAsGroup: USER,
      fsGroup: USER,
      seccompProfile: { type: 'RuntimeDefault' },
    },
    containers: [
      {
        name: CONTAINER,
        image: settings.image,
        imagePullPolicy: PULL_POLICY[settings.pull],
        args: ['join', ...mapHosts.flatMap((host) => ['--map-host', host])],
        env: Object.entries(containerVariables(job, address, settings.environment)).map(([variable, value]) => ({
          name: variable,
          value,
        })),
        resources: resourcesOf(settings.needs[job.recording_mode], settings.limits),
        securityContext: {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        },
        volumeMounts: [
          { name: 'shm', mountPath: '/dev/shm' },
          { name: 'tmp', mountPath: '/tmp' },
          { name: 'recordings', mountPath: WORK_FOLDER },
        ],
      },
    ],
    volumes: [
      // Files there count as the bot's memory. A pod has 64 MB without it.
      { name: 'shm', emptyDir: { medium: 'Memory', sizeLimit: String(settings.shmBytes) } },
      { name: 'tmp', emptyDir: {} },
      { name: 'recordings', emptyDir: {} },
    ],
  }
}

function resourcesOf(need: Need, limits: Need) {
  return {
    requests: {
      cpu: inCores(need.cores),
      memory: String(need.memoryBytes),
      'ephemeral-storage': DISK.requests,
    },
    limits: {
      cpu: inCores(limits.cores),
      memory: String(limits.memoryBytes),
      'ephemeral-storage': DISK.limits,
    },
  }
}

/** As the cluster writes it back. */
const inCores = (cores: number) => (Number.isInteger(cores) ? String(cores) : `${Math.ceil(cores * 1000)}m`)

function longestLife({ timeout_config: limits, transcription }: Job): number {
  return (
    2 * limits.waiting_room_timeout +
    limits.no_one_joined_timeout +
    limits.recording_timeout +
    limits.storing_timeout +
    (transcription?.timeout ?? 0) +
    BEYOND_SECONDS
  )
}
