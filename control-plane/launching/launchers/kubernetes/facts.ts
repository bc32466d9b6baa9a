/** The fields that the launcher reads from a Job and from a pod, requested or received over a watch. */
import type { V1Job, V1Pod } from '@kubernetes/client-node'
import { isBotName } from '../shared/bot-name.ts'
import { LABELS } from '../shared/container-environment.ts'
import { CONTAINER, FINALIZER, MARK, type Mark, WHY } from './job.ts'

/** Pods and Jobs have the names of their bots in their labels. */
interface Named {
  /** Name of the attempt: `standin-<bot>-<attempt>`. */
  bot: string
  /** Name of the object in the cluster. */
  name: string
  /** UTC milliseconds. */
  createdAt: number
  isGoing: boolean
}

export interface JobFacts extends Named {
  mark: Mark
  why: string | null
  /** How the cluster says that it ended, in its own words; null while it runs. */
  end: string | null
}

export interface PodFacts extends Named {
  /** The cluster keeps it for us: its evidence is not taken yet. */
  isKept: boolean
  phase: string
  /** The cluster's own words about the pod, such as why it was evicted; null if there are none. */
  reason: string | null
  /** Removed without asking its node, which is gone, or before it had one. */
  isForced: boolean
  node: string | null
  /** The node does not report. */
  isSilent: boolean
  /** Why no node takes it; null if one did. */
  unschedulable: string | null
  container: ContainerFacts
}

export type ContainerFacts =
  | { state: 'none' }
  | { state: 'waiting'; reason: string; message: string }
  | { state: 'running' }
  | { state: 'terminated'; exitCode: number; reason: string; message: string; finishedAt: Date | null }

export function jobFacts(job: V1Job): JobFacts | null {
  const name = job.metadata?.name ?? ''
  if (!isBotName(name)) return null
  const annotations = job.metadata?.annotations ?? {}
  const end = job.status?.conditions?.find(
    ({ type, status }) => ['Complete', 'Failed'].includes(type) && status === 'True',
  )
  return {
    bot: name,
    name,
    createdAt: timeOf(job.metadata?.creationTimestamp),
    isGoing: job.metadata?.deletionTimestamp !== undefined,
    mark: (annotations[MARK] ?? 'started') as Mark,
    why: annotations[WHY] ?? null,
    end: end === undefined ? null : (words(end.reason, end.message) ?? end.type),
  }
}

export function podFacts(pod: V1Pod): PodFacts | null {
  const { metadata, spec, status } = pod
  const labels = metadata?.labels ?? {}
  const bot = `standin-${labels[LABELS.bot]}-${labels[LABELS.attempt]}`
  if (!isBotName(bot) || metadata?.name === undefined) return null
  const condition = (type: string) => status?.conditions?.find((each) => each.type === type)
  const isGoing = metadata.deletionTimestamp !== undefined
  const scheduled = condition('PodScheduled')
  const disruption = condition('DisruptionTarget')
  const container = containerFacts(pod)
  return {
    bot,
    name: metadata.name,
    createdAt: timeOf(metadata.creationTimestamp),
    isGoing,
    isKept: metadata.finalizers?.includes(FINALIZER) ?? false,
    phase: status?.phase ?? 'Pending',
    reason:
      words(status?.reason, status?.message) ?? (disruption && words(disruption.reason, disruption.message)) ?? null,
    isForced: isGoing && metadata.deletionGracePeriodSeconds === 0,
    node: spec?.nodeName ?? null,
    // The cluster says so of a pod whose own node does not: the node would have said both.
    isSilent:
      container.state === 'running' &&
      condition('Ready')?.status === 'False' &&
      condition('ContainersReady')?.status === 'True',
    unschedulable:
      scheduled?.status === 'False' && spec?.nodeName === undefined ? words(scheduled.reason, scheduled.message) : null,
    container,
  }
}

function containerFacts({ status }: V1Pod): ContainerFacts {
  const { state } = status?.containerStatuses?.find(({ name }) => name === CONTAINER) ?? {}
  if (state?.terminated) {
    const { exitCode, reason = '', message = '', finishedAt } = state.terminated
    return { state: 'terminated', exitCode, reason, message, finishedAt: finishedAt ? new Date(finishedAt) : null }
  }
  if (state?.running) return { state: 'running' }
  if (!state?.waiting) return { state: 'none' }
  const { reason = '', message = '' } = state.waiting
  return { state: 'waiting', reason, message }
}

function words(reason: string | undefined, message: string | undefined): string | null {
  const text = [reason, message].filter(Boolean).join(': ').replace(/\s+/g, ' ').trim().replace(/\.$/, '')
  return text === '' ? null : text.slice(0, 500)
}

/** The client makes a `Date` of what comes as text over a watch. */
const timeOf = (value: Date | string | undefined): number => (value === undefined ? 0 : new Date(value).getTime())
