/** The evidence about a bot in its Job and pods. Pure. */
import type { EndEvidence } from '../../../platform/ports.ts'
import { endWithout, exitOf, knownTime, outOfMemory } from '../shared/evidence.ts'
import type { ContainerFacts, JobFacts, PodFacts } from './facts.ts'

/** The worker's exit code without a valid job. */
const NO_JOB = 2
/** A Job gets its pod right after it was made. After this time, its maker is considered gone. */
const FIRST_STEPS_MS = 60_000
/** How long pulling an image may fail, since registries are down at times. */
const PULL_PATIENCE_MS = 30_000
/** How long the scheduler and the quota may need before a bot counts as one that waits. */
const WAITS_AFTER_MS = 5_000

export type BotState =
  | { state: 'absent' }
  | { state: 'running' }
  /** The Job is made, and not started yet. */
  | { state: 'made' }
  /** It was made, and the process that made it is gone. */
  | { state: 'abandoned' }
  /** It cannot start as it is described: it has to be ended. */
  | { state: 'hopeless'; reason: string }
  | { state: 'unknown'; reason: string }
  | { state: 'ended'; pod: PodFacts | null; evidence: Omit<EndEvidence, 'logTail'> }

/** The bot is the first pod: a later one, made in place of one that was removed, gets no job any more. */
export function botPod(pods: readonly PodFacts[]): PodFacts | null {
  const rank = ({ createdAt, container }: PodFacts) => createdAt + (container.state === 'none' ? 0.5 : 0)
  return pods.filter(({ isKept }) => isKept).sort((a, b) => rank(a) - rank(b))[0] ?? null
}

export function stateOf(job: JobFacts | null, pods: readonly PodFacts[], now: number): BotState {
  const pod = botPod(pods)
  if (pod !== null) return stateOfPod(job, pod, now)
  if (job === null) return { state: 'absent' }
  if (job.mark === 'stopped' || job.mark === 'killed') return neverRan(job, null)
  if (job.end !== null) return neverRan(job, null)
  if (job.isGoing) return { state: 'unknown', reason: 'The Job is being removed' }
  if (job.mark === 'started') return { state: 'running' }
  return { state: now - job.createdAt < FIRST_STEPS_MS ? 'made' : 'abandoned' }
}

function stateOfPod(job: JobFacts | null, pod: PodFacts, now: number): BotState {
  const { container } = pod
  if (container.state === 'terminated') return { state: 'ended', pod, evidence: evidenceOf(job, pod, container) }
  // A forced removal means that no node runs it: it never had one, or the cluster found its node gone.
  if (pod.isForced) return container.state === 'running' ? nodeGone(pod) : neverRan(job, pod)
  const isOver = pod.phase === 'Failed' || pod.phase === 'Succeeded'
  if (isOver && container.state !== 'running') return neverRan(job, pod)
  if (pod.isSilent) return { state: 'unknown', reason: `The node ${pod.node} does not answer` }
  const problem = startProblem(container)
  if (problem !== null && (problem.isFinal || now - pod.createdAt > PULL_PATIENCE_MS))
    return { state: 'hopeless', reason: problem.reason }
  return { state: 'running' }
}

/** The events of the Job say more. */
export const NO_POD = 'The cluster makes no pod'

/** Why a bot that was started is not running yet; null if it runs, ended, or is on its way. */
export function waitReason(job: JobFacts, pods: readonly PodFacts[], now: number): string | null {
  if (job.mark !== 'started' || job.end !== null || job.isGoing) return null
  const pod = botPod(pods)
  if (pod === null) return now - job.createdAt > WAITS_AFTER_MS ? NO_POD : null
  if (pod.unschedulable === null || pod.isGoing || now - pod.createdAt <= WAITS_AFTER_MS) return null
  return `No node has room: ${pod.unschedulable}`
}

const PULL_FAILURES = ['ErrImagePull', 'ImagePullBackOff']
const FINAL_FAILURES = ['InvalidImageName', 'ErrImageNeverPull', 'ImageInspectError']
const CONFIG_FAILURES = ['CreateContainerConfigError', 'CreateContainerError', 'RunContainerError']

function startProblem(container: ContainerFacts): { reason: string; isFinal: boolean } | null {
  if (container.state !== 'waiting') return null
  const { reason, message } = container
  const said = message === '' ? reason : `${reason}: ${message.slice(0, 300)}`
  if (PULL_FAILURES.includes(reason)) return { reason: `The image could not be pulled: ${said}`, isFinal: false }
  if (FINAL_FAILURES.includes(reason)) return { reason: `The image cannot be used: ${said}`, isFinal: true }
  if (CONFIG_FAILURES.includes(reason)) return { reason: `The container could not be made: ${said}`, isFinal: false }
  return null
}

function evidenceOf(
  job: JobFacts | null,
  pod: PodFacts,
  ended: Extract<ContainerFacts, { state: 'terminated' }>,
): Omit<EndEvidence, 'logTail'> {
  const { exitCode: code, reason: said } = ended
  const endedAt = knownTime(ended.finishedAt)
  // The cluster writes 137 where it has lost the container itself.
  const isLost = said === 'ContainerStatusUnknown'
  const { exitCode, signal, how } = isLost ? LOST : exitOf(code)
  // Beside any code: the kernel mostly takes a page of the browser, and the bot exits with its own code.
  const isOutOfMemory = said === 'OOMKilled'
  const wasEndedByService = job?.mark === 'stopped' || job?.mark === 'killed'
  if (wasEndedByService && !isOutOfMemory && (code === NO_JOB || (job.mark === 'killed' && signal !== null)))
    return { ...evidenceOfMark(job, code === NO_JOB ? 'before it had its job' : ''), endedAt }
  return {
    exitCode,
    signal,
    isOutOfMemory,
    reason: reasonOf(job, pod, { how: isLost ? how : withMessage(how, ended), signal, isOutOfMemory }),
    endedAt,
  }
}

/** The evidence of a bot that the service ended and whose pod gives no reason. */
function evidenceOfMark({ mark }: JobFacts, when: string) {
  const wasKilled = mark === 'killed'
  const reason = `${wasKilled ? 'The service killed the bot' : 'The bot was stopped'} ${when}`.trim()
  return { ...endWithout(reason), signal: wasKilled ? 'SIGKILL' : null }
}

const LOST = { exitCode: null, signal: null, how: 'The node lost the container of the bot' }

const withMessage = (how: string, { message }: { message: string }) =>
  message === '' ? how : `${how}: ${message.slice(0, 300)}`

function reasonOf(
  job: JobFacts | null,
  pod: PodFacts,
  known: { how: string; signal: string | null; isOutOfMemory: boolean },
): string {
  const { how, signal, isOutOfMemory } = known
  if (isOutOfMemory) return outOfMemory(how)
  if (job?.mark === 'stopped' || job?.mark === 'killed') return how
  if (pod.reason !== null) return `${how} (${pod.reason})`
  if (job?.end?.startsWith('DeadlineExceeded')) return `${how}, after the cluster ended its Job (${job.end})`
  if (pod.isGoing) return `${how}, after a person or another program removed its pod`
  return signal === 'SIGKILL' ? 'The bot was killed' : how
}

function nodeGone({ node, reason, ...pod }: PodFacts): BotState {
  const said = reason === null ? '' : ` (${reason})`
  const evidence = endWithout(`The node ${node} of the bot is gone, or its pod was removed by force${said}`)
  return { state: 'ended', pod: { node, reason, ...pod }, evidence }
}

/** The state of a bot whose container never ran, or whose end left nothing. */
function neverRan(job: JobFacts | null, pod: PodFacts | null): BotState {
  const ended = (reason: string): BotState => ({ state: 'ended', pod, evidence: endWithout(reason) })
  if (job?.why) return ended(job.why)
  if (job?.mark === 'stopped' || job?.mark === 'killed') {
    const waited = pod?.unschedulable ? `: no node had room (${pod.unschedulable})` : ''
    return { state: 'ended', pod, evidence: evidenceOfMark(job, `before it ran${waited}`) }
  }
  if (pod?.reason) return ended(`The cluster ended the bot (${pod.reason})`)
  if (job?.end) return ended(`The cluster ended the Job of the bot, and nothing is left of its pod (${job.end})`)
  return ended('The pod of the bot was removed before it ran')
}
