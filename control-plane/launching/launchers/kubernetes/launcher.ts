/**
 * Bots as Jobs of a Kubernetes cluster, one for each attempt. The cluster keeps them and says how they ended; the service
 * keeps nothing, so it may be restarted at any time. A pod gets its job from the service, for a token that serves once.
 */
import { randomBytes } from 'node:crypto'
import { type KubeConfig, PatchStrategy, setHeaderOptions, type V1Job, type V1Pod } from '@kubernetes/client-node'
import {
  type JobOffers,
  type Launcher,
  type LaunchHandle,
  type LaunchSpec,
  type LaunchState,
  type Log,
  NoRoom,
} from '../../../ports.ts'
import { botName, placeOf } from '../shared/bot-name.ts'
import { limitReached } from '../shared/capacity.ts'
import { LABELS, withOperatorKeys } from '../shared/container-environment.ts'
import { endWithout, NEVER_STARTED } from '../shared/evidence.ts'
import { type Cluster, connectCluster, isQuota, sentenceOf, statusOf, wasNotDone } from './cluster.ts'
import { createWarnings } from './events.ts'
import { type BotState, botPod, NO_POD, stateOf, waitReason } from './evidence.ts'
import { type JobFacts, jobFacts, type PodFacts, podFacts } from './facts.ts'
import { FINALIZER, kubernetesJobOf, MARK, type Mark, type PodSettings, WHY } from './job.ts'
import { LogKeeper } from './logs.ts'
import { listAll, openBook, type WatchedKind } from './watch.ts'

/** Bots that may wait for a node at once: enough to make an autoscaler add one, too few to fill the cluster's queue. */
const MAX_WAITING = 10
/** The shortest that a node knows between SIGTERM and SIGKILL. */
const MIN_GRACE_SECONDS = 1
const WHY_CHARACTERS = 500

export interface KubernetesLauncherSettings extends PodSettings {
  config: KubeConfig
  /** Null: as many as the cluster takes. */
  maxBots: number | null
  offers: JobOffers
  log: Log
}

/** Rejects with a sentence if the cluster does not answer, or does not allow what the launcher does. */
export async function createKubernetesLauncher(settings: KubernetesLauncherSettings): Promise<Launcher> {
  const { offers, installation, namespace, log } = settings
  const cluster = connectCluster(settings.config)
  const { batch, core } = cluster
  const logs = new LogKeeper(cluster, namespace)
  const warningOf = createWarnings(cluster, namespace)
  /** Names that are being made: they take a place before the cluster lists them. */
  const making = new Set<string>()
  /** Ended at the request of this process; the watch may report it later. */
  const over = new Set<string>()
  const closing = new AbortController()
  const ours = `${LABELS.installation}=${installation}`
  const jobKind: WatchedKind<V1Job, JobFacts> = {
    path: `/apis/batch/v1/namespaces/${namespace}/jobs`,
    labelSelector: ours,
    list: (query) => batch.listNamespacedJob({ namespace, ...query }),
    factsOf: jobFacts,
  }
  const podKind: WatchedKind<V1Pod, PodFacts> = {
    path: `/api/v1/namespaces/${namespace}/pods`,
    labelSelector: ours,
    list: (query) => core.listNamespacedPod({ namespace, ...query }),
    factsOf: podFacts,
  }
  const [jobs, pods] = await openBooks(cluster, settings, jobKind, podKind, closing.signal)

  const isOver = ({ name, end }: JobFacts) =>
    end !== null || over.has(name) || botPod(pods.of(name))?.container.state === 'terminated'

  /** Null if only the cluster knows. Its own words where bots wait for it. */
  function room(): { free: number; limit: number; wait?: { bot: string; reason: string } } | null {
    const open = [...jobs.all()].filter((job) => !isOver(job))
    const now = Date.now()
    const waits = open.flatMap((job) => {
      const reason = waitReason(job, pods.of(job.bot), now)
      return reason === null ? [] : [{ bot: job.bot, reason }]
    })
    const unlisted = [...making].filter((name) => jobs.of(name).length === 0)
    const used = open.length + unlisted.length
    const { maxBots } = settings
    if (maxBots === null && waits.length === 0) return null
    const mayWait = waits.length === 0 ? Number.POSITIVE_INFINITY : Math.max(0, MAX_WAITING - waits.length)
    const free = Math.min(mayWait, Math.max(0, (maxBots ?? Number.POSITIVE_INFINITY) - used))
    const isFull = maxBots !== null && used >= maxBots
    return { free, limit: maxBots ?? used + free, ...(free === 0 && !isFull && { wait: waits[0]! }) }
  }

  async function explained({ bot, reason }: { bot: string; reason: string }): Promise<string> {
    const warning = reason === NO_POD ? await warningOf(bot) : null
    return warning === null ? reason : `${reason}: ${warning}`
  }

  const handleOf = (name: string): LaunchHandle => ({ name, namespace })

  async function start(spec: LaunchSpec): Promise<LaunchHandle> {
    const name = botName(spec)
    if (making.has(name) || jobs.of(name).length > 0) return handleOf(name)
    const places = room()
    if (places?.free === 0) throw new NoRoom(places.wait?.reason ?? limitReached(places.limit, 'in this cluster'))
    making.add(name)
    try {
      await make(spec, name)
      return handleOf(name)
    } finally {
      making.delete(name)
    }
  }

  /**
   * First the Job without a pod, then its job, then the pod: each pod finds its job, and no job waits without a Job.
   */
  async function make(spec: LaunchSpec, name: string): Promise<void> {
    const { botId, attempt } = spec
    const token = randomBytes(32).toString('base64url')
    const address = { url: offers.addressOf(botId, attempt), token }
    try {
      const made = await batch.createNamespacedJob({ namespace, body: kubernetesJobOf(spec, name, address, settings) })
      jobs.put(jobFacts(made)!)
    } catch (error) {
      // Of two processes that make it at once, one succeeds and continues alone.
      if (statusOf(error) === 409 && (await readJob(name))) return
      if (statusOf(error) === 409)
        throw new Error(`The name ${name} is taken by a Job that is not of this installation`)
      if (isQuota(error)) throw new NoRoom(`The namespace ${namespace} has no room: ${sentenceOf(error)}`)
      if (wasNotDone(error)) throw new NoRoom(`The Kubernetes cluster does not answer: ${sentenceOf(error)}`)
      throw new Error(`The Job of the bot could not be made: ${sentenceOf(error)}`, { cause: error })
    }
    try {
      await offers.offer({ ...spec, job: withOperatorKeys(spec.job, settings.environment) }, token)
      await begin(name)
    } catch (error) {
      await undo(spec, name)
      throw new Error(`The Job of the bot could not be started: ${sentenceOf(error)}`, { cause: error })
    }
  }

  /** Only if unchanged since it was made: a Job that was asked to end meanwhile stays without a pod. */
  async function begin(name: string): Promise<void> {
    const mark = `/metadata/annotations/${MARK}`
    const body = [
      { op: 'test', path: mark, value: 'made' satisfies Mark },
      { op: 'replace', path: mark, value: 'started' satisfies Mark },
      { op: 'replace', path: '/spec/parallelism', value: 1 },
    ]
    const options = setHeaderOptions('Content-Type', PatchStrategy.JsonPatch)
    const started = await batch.patchNamespacedJob({ name, namespace, body }, options)
    jobs.put(jobFacts(started)!)
  }

  /** Without its job a bot that was started all the same ends by itself. */
  async function undo({ botId, attempt }: LaunchSpec, name: string): Promise<void> {
    const results = await Promise.allSettled([offers.withdraw(botId, attempt), end(name, 'killed', 0)])
    const failed = results.flatMap((result) => (result.status === 'rejected' ? [sentenceOf(result.reason)] : []))
    if (failed.length > 0) log.warn({ bot: botId, attempt, failed }, 'A Job that was not started could not be ended')
  }

  /** Null if there is no such Job, or one that is not ours. */
  async function readJob(name: string): Promise<JobFacts | null> {
    placeOf(name)
    const job = await batch.readNamespacedJob({ name, namespace }).catch(nullWhereMissing)
    return job?.metadata?.labels?.[LABELS.installation] === installation ? jobFacts(job) : null
  }

  async function readPods(name: string): Promise<PodFacts[]> {
    const { botId, attempt } = placeOf(name)
    const labelSelector = `${ours},${LABELS.bot}=${botId},${LABELS.attempt}=${attempt}`
    return (await listAll({ ...podKind, labelSelector })).facts
  }

  const readBot = async (name: string) => {
    const [job, podsOfBot] = await Promise.all([readJob(name), readPods(name)])
    return { job, pods: podsOfBot, state: stateOf(job, podsOfBot, Date.now()) }
  }

  const patchJob = (name: string, body: object) =>
    batch
      .patchNamespacedJob({ name, namespace, body }, setHeaderOptions('Content-Type', PatchStrategy.MergePatch))
      .catch(nullWhereMissing)

  /**
   * The node itself sends SIGTERM, then SIGKILL, so that both happen even if this process exits. The pod is removed for
   * that; its finalizer keeps it with the evidence.
   */
  async function end(name: string, mark: 'stopped' | 'killed', patienceMs: number, why?: string): Promise<void> {
    const { job, pods: podsOfBot, state } = await readBot(name)
    if (state.state === 'absent' || state.state === 'ended') return
    const { botId, attempt } = placeOf(name)
    await offers.withdraw(botId, attempt)
    const annotations = { [MARK]: mark, ...(why !== undefined && { [WHY]: why.slice(0, WHY_CHARACTERS) }) }
    if (job !== null) await patchJob(name, { metadata: { annotations } })
    const gracePeriodSeconds = Math.max(MIN_GRACE_SECONDS, Math.ceil(patienceMs / 1000))
    for (const pod of podsOfBot) {
      if (pod.container.state === 'running') await logs.follow(name, pod.name, gracePeriodSeconds)
      await core.deleteNamespacedPod({ name: pod.name, namespace, gracePeriodSeconds }).catch(nullWhereMissing)
    }
    // Only now, or the cluster would remove the pod first, with its own grace period.
    if (job !== null) await patchJob(name, { spec: { parallelism: 0 } })
  }

  async function inspect({ name, namespace: home }: LaunchHandle): Promise<LaunchState> {
    if (home !== namespace) return { state: 'unknown', reason: `The bot belongs to the namespace ${home}` }
    try {
      if (isSeenRunning(name)) return { state: 'running' }
      const { state } = await readBot(name)
      return await answerOf(name, state)
    } catch (error) {
      if (statusOf(error) === null && !isAway(error)) throw error
      return { state: 'unknown', reason: `The Kubernetes cluster does not answer: ${sentenceOf(error)}` }
    }
  }

  /** The watch is trusted only for a running bot; for every other state the launcher asks the cluster. */
  function isSeenRunning(name: string): boolean {
    const pod = botPod(pods.of(name))
    return pods.isConnected() && pod !== null && pod.container.state === 'running' && !pod.isGoing && !pod.isSilent
  }

  async function answerOf(name: string, state: BotState): Promise<LaunchState> {
    switch (state.state) {
      case 'absent':
      case 'running':
        return { state: state.state }
      case 'unknown':
        return { state: 'unknown', reason: state.reason }
      case 'made':
        return { state: 'unknown', reason: 'The bot is being started' }
      case 'abandoned':
        // The process that made it may come back: then it finds that the Job was asked to end.
        await end(name, 'killed', 0)
        over.add(name)
        return { state: 'ended', evidence: endWithout(NEVER_STARTED) }
      case 'hopeless':
        await end(name, 'stopped', 0, state.reason)
        return { state: 'unknown', reason: state.reason }
      case 'ended': {
        over.add(name)
        const { pod, evidence } = state
        const warning = pod === null && evidence.endedAt === null ? await warningOf(name) : null
        const reason = warning === null ? evidence.reason : `${evidence.reason}: ${warning}`
        const logTail = pod && (await logs.of(name, pod.name))
        return { state: 'ended', evidence: { ...evidence, reason, logTail } }
      }
    }
  }

  async function clean(name: string): Promise<void> {
    const { job, pods: podsOfBot, state } = await readBot(name)
    if (state.state !== 'ended' && state.state !== 'absent') return
    const { botId, attempt } = placeOf(name)
    await offers.withdraw(botId, attempt)
    // The Job goes first, or the cluster might make a pod in place of the one that goes.
    if (job !== null)
      await batch.deleteNamespacedJob({ name, namespace, propagationPolicy: 'Background' }).catch(nullWhereMissing)
    for (const pod of podsOfBot) await removePod(pod)
    jobs.drop(name)
    pods.drop(name)
    logs.drop(name)
    over.delete(name)
  }

  async function removePod({ name, isKept }: PodFacts): Promise<void> {
    await core.deleteNamespacedPod({ name, namespace }).catch(nullWhereMissing)
    if (!isKept) return
    // By name: others, such as the cluster itself, may have added their own finalizers.
    const pod = await core.readNamespacedPod({ name, namespace }).catch(nullWhereMissing)
    const index = pod?.metadata?.finalizers?.indexOf(FINALIZER) ?? -1
    if (index < 0) return
    const path = `/metadata/finalizers/${index}`
    const body = [
      { op: 'test', path, value: FINALIZER },
      { op: 'remove', path },
    ]
    const options = setHeaderOptions('Content-Type', PatchStrategy.JsonPatch)
    await core.patchNamespacedPod({ name, namespace, body }, options).catch(nullWhereMissing)
  }

  return {
    kind: 'kubernetes',
    start,
    inspect,
    stop: ({ name }, patienceMs) => end(name, 'stopped', patienceMs),
    kill: ({ name }) => end(name, 'killed', 0),
    clean: ({ name }) => clean(name),
    async list() {
      const [allJobs, allPods] = await Promise.all([listAll(jobKind), listAll(podKind)])
      // A pod can outlive its Job when a person or another program removed the Job.
      const kept = allPods.facts.filter(({ isKept }) => isKept)
      const names = new Set([...allJobs.facts, ...kept].map(({ bot }) => bot))
      return [...names].map((name) => ({ ...placeOf(name), handle: handleOf(name) }))
    },
    async capacity() {
      const places = jobs.isConnected() && pods.isConnected() ? room() : null
      if (places === null) return null
      const { wait, ...numbers } = places
      return wait === undefined ? numbers : { ...numbers, reason: await explained(wait) }
    },
    close: () => closing.abort(),
  }
}

async function openBooks(
  cluster: Cluster,
  settings: KubernetesLauncherSettings,
  jobKind: WatchedKind<V1Job, JobFacts>,
  podKind: WatchedKind<V1Pod, PodFacts>,
  signal: AbortSignal,
) {
  try {
    return await Promise.all([
      openBook(cluster, jobKind, settings.log, signal),
      openBook(cluster, podKind, settings.log, signal),
    ])
  } catch (error) {
    const server = settings.config.getCurrentCluster()!.server
    const cure =
      statusOf(error) === 403
        ? '. deploy/kubernetes/base/rbac.yaml has the rights that it needs'
        : statusOf(error) === null
          ? ` (${server}). KUBECONFIG names a file with the cluster's address`
          : ''
    throw new Error(`The Kubernetes cluster cannot be used: ${sentenceOf(error)}${cure}`, { cause: error })
  }
}

function nullWhereMissing(error: unknown): null {
  if (statusOf(error) === 404) return null
  throw error
}

/** No answer, or the connection broke. */
function isAway(error: unknown): boolean {
  const { name, message } = error as { name?: unknown; message?: unknown }
  return wasNotDone(error) || name === 'TimeoutError' || /fetch failed|terminated|socket/i.test(String(message))
}
