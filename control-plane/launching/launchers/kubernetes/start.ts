/** Starts bots as Jobs: takes a place, makes the Job, offers its job, and lets the cluster make its pod. */
import { randomBytes } from 'node:crypto'
import { type BatchV1Api, PatchStrategy, setHeaderOptions } from '@kubernetes/client-node'
import { type Launcher, type LaunchHandle, type LaunchSpec, NoRoom } from '../../../platform/ports.ts'
import { botName } from '../shared/bot-name.ts'
import { limitReached } from '../shared/capacity.ts'
import { withOperatorKeys } from '../shared/container-environment.ts'
import { isQuota, sentenceOf, statusOf, wasNotDone } from './cluster.ts'
import { type JobFacts, jobFacts } from './facts.ts'
import { kubernetesJobOf, MARK, type Mark } from './job.ts'
import type { KubernetesLauncherSettings } from './launcher.ts'
import type { Room } from './room.ts'
import type { Book } from './watch.ts'

interface StartTools {
  settings: KubernetesLauncherSettings
  batch: BatchV1Api
  jobs: Book<JobFacts>
  /** Names that are being made: they take a place before the cluster lists them. */
  making: Set<string>
  room(): Room | null
  readJob(name: string): Promise<JobFacts | null>
  end(name: string, mark: 'killed', patienceMs: number): Promise<void>
}

export function createStart({ settings, batch, jobs, making, room, readJob, end }: StartTools): Launcher['start'] {
  const { offers, namespace, log } = settings

  async function start(spec: LaunchSpec): Promise<LaunchHandle> {
    const name = botName(spec)
    if (making.has(name) || jobs.of(name).length > 0) return { name, namespace }
    const places = room()
    if (places?.free === 0) throw new NoRoom(places.wait?.reason ?? limitReached(places.limit, 'in this cluster'))
    making.add(name)
    try {
      await make(spec, name)
      return { name, namespace }
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
      const body = kubernetesJobOf(spec, name, address, settings)
      const made = await batch.createNamespacedJob({ namespace, body })
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

  return start
}
