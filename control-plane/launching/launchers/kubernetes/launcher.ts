/**
 * Bots as Jobs of a Kubernetes cluster, one for each attempt. The cluster keeps them and says how they ended; the service
 * keeps nothing, so it may be restarted at any time. A pod gets its job from the service, for a token that serves once.
 */
import { type KubeConfig, PatchStrategy, setHeaderOptions, type V1Job, type V1Pod } from '@kubernetes/client-node'
import type { JobOffers, Launcher, LaunchHandle, LaunchState, Log } from '../../../platform/ports.ts'
import { placeOf } from '../shared/bot-name.ts'
import { LABELS } from '../shared/container-environment.ts'
import { endWithout, NEVER_STARTED } from '../shared/evidence.ts'
import { type Cluster, connectCluster, sentenceOf, statusOf, wasNotDone } from './cluster.ts'
import { type BotState, botPod, NO_POD, stateOf } from './evidence.ts'
import { type JobFacts, jobFacts, type PodFacts, podFacts } from './facts.ts'
import { FINALIZER, MARK, type PodSettings, WHY } from './job.ts'
import { LogKeeper } from './logs.ts'
import { roomIn } from './room.ts'
import { createStart } from './start.ts'
import { listAll, openBook, type WatchedKind } from './watch.ts'

/** The shortest that a node knows between SIGTERM and SIGKILL. */
const MIN_GRACE_SECONDS = 1
const WHY_CHARACTERS = 500
/** How long the answer about warnings serves: a full cluster is asked many times. */
const WARNINGS_SERVE_MS = 10_000
const MAX_WARNINGS = 50

export interface KubernetesLauncherSettings extends PodSettings {
  config: KubeConfig
  /** Null: as many as the cluster takes. */
  maxBots: number | null
  offers: JobOffers
  log: Log
}

/** Rejects with a sentence if the cluster does not answer, or does not allow what the launcher does. */
export async function createKubernetesLauncher(settings: KubernetesLauncherSettings): Promise<Launcher> {
  const { offers, installation, namespace } = settings
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
  const { jobKind, podKind } = kindsOf(cluster, namespace, ours)
  const [jobs, pods] = await openBooks(cluster, settings, jobKind, podKind, closing.signal)

  const room = () => roomIn({ jobs, pods, making, over, maxBots: settings.maxBots })

  async function explained({ bot, reason }: { bot: string; reason: string }): Promise<string> {
    const warning = reason === NO_POD ? await warningOf(bot) : null
    return warning === null ? reason : `${reason}: ${warning}`
  }

  const handleOf = (name: string): LaunchHandle => ({ name, namespace })

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
    start: createStart({ settings, batch, jobs, making, room, readJob, end }),
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

function kindsOf({ batch, core }: Cluster, namespace: string, labelSelector: string) {
  const jobKind: WatchedKind<V1Job, JobFacts> = {
    path: `/apis/batch/v1/namespaces/${namespace}/jobs`,
    labelSelector,
    list: (query) => batch.listNamespacedJob({ namespace, ...query }),
    factsOf: jobFacts,
  }
  const podKind: WatchedKind<V1Pod, PodFacts> = {
    path: `/api/v1/namespaces/${namespace}/pods`,
    labelSelector,
    list: (query) => core.listNamespacedPod({ namespace, ...query }),
    factsOf: podFacts,
  }
  return { jobKind, podKind }
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
        ? '. docker/helm/standin/templates/rights.yaml has the rights that it needs'
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

/**
 * The last warning about a Job in the cluster's own words, which alone says why it has no pod; null if there is none. Never
 * rejects.
 */
function createWarnings({ core }: Cluster, namespace: string): (job: string) => Promise<string | null> {
  let answer: { job: string; askedAt: number; warning: Promise<string | null> } | null = null

  async function ask(job: string): Promise<string | null> {
    try {
      const fieldSelector = `involvedObject.kind=Job,involvedObject.name=${job},type=Warning`
      const { items } = await core.listNamespacedEvent({ namespace, fieldSelector, limit: MAX_WARNINGS })
      const at = (event: (typeof items)[number]) => new Date(event.lastTimestamp ?? event.eventTime ?? 0).getTime()
      return items.sort((a, b) => at(b) - at(a))[0]?.message?.slice(0, 500) ?? null
    } catch (error) {
      return sentenceOf(error)
    }
  }

  return (job) => {
    if (answer === null || answer.job !== job || performance.now() - answer.askedAt > WARNINGS_SERVE_MS)
      answer = { job, askedAt: performance.now(), warning: ask(job) }
    return answer.warning
  }
}
