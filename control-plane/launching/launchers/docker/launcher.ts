/**
 * Bots as containers of a Docker engine. The engine keeps them and says how they ended; the service keeps nothing, so it
 * may be restarted at any time. A container gets its job from the service, for a token that serves once.
 */
import { randomBytes } from 'node:crypto'
import { chown, mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { inTurn } from '@standin/base/in-turn.ts'
import type Docker from 'dockerode'
import {
  type JobOffers,
  type Launcher,
  type LaunchHandle,
  type LaunchSpec,
  type LaunchState,
  type Log,
  NoRoom,
} from '../../../ports.ts'
import { botName, isBotName, knownName, placeOf } from '../shared/bot-name.ts'
import { botLimit, limitReached } from '../shared/capacity.ts'
import { LABELS, withOperatorKeys } from '../shared/container-environment.ts'
import { endWithout, NEVER_STARTED } from '../shared/evidence.ts'
import { killLater } from '../shared/kill-later.ts'
import { createExpectedCost, type LearnedCost } from '../shared/learned-cost.ts'
import { type ContainerSettings, containerOf } from './container.ts'
import { connectEngine, isShortage, requireImage, sentenceOf, statusOf, wasNeverSent } from './engine.ts'
import { endedState, stateOf } from './evidence.ts'
import { copyJournal, copyWork } from './work.ts'

/** A younger bot has not taken the memory yet that it is going to need. */
const STARTING_MS = 60_000
/** How often the launcher looks for a container that another launcher makes. */
const APPEARS_TRIES = 50
const APPEARS_EVERY_MS = 200
/** The user of the worker's image. */
const IMAGE_USER = 1000

export interface DockerLauncherSettings extends ContainerSettings {
  /** The form is that of `DOCKER_HOST`. Null: that variable of this process, or the usual socket. */
  host: string | null
  /** Whether an image that is missing at the start is pulled. */
  mayPull: boolean
  /** Null: by cores and memory of the engine's machine. */
  maxBots: number | null
  /** The resources that running bots were measured to need; null before the first measurement. */
  learnedCost?: LearnedCost
  offers: JobOffers
  /** Absolute. Files that bots with recordings in a bucket left in their containers are copied there. */
  workFolder: string
  log: Log
}

/** Rejects with a sentence if the engine does not answer, or does not have the image. */
export async function createDockerLauncher(settings: DockerLauncherSettings): Promise<Launcher> {
  const { offers, installation, log } = settings
  const engine = connectEngine(settings.host)
  const { docker } = engine
  await requireImage(engine, settings.image, settings.mayPull, log)
  /** Names that are being made: they take a place before the engine lists them. */
  const making = new Set<string>()
  /** Bots that this process killed. After a restart, the evidence no longer shows who killed them. */
  const killed = new Set<string>()
  /** Starts check the free room one after the other; otherwise all would see the same free place. */
  const oneByOne = inTurn(1)
  const expectedCost = createExpectedCost(settings.learnedCost, log)

  async function ownContainers() {
    const filters = { label: [`${LABELS.installation}=${installation}`] }
    const containers = await docker.listContainers({ all: true, filters })
    return containers.flatMap((container) => {
      const name = container.Names.map((each) => each.slice(1)).find(isBotName)
      return name === undefined ? [] : [{ name, state: container.State, createdAt: container.Created * 1000 }]
    })
  }

  async function room() {
    const { cores, memoryBytes } = await engine.facts()
    const open = (await ownContainers()).filter(({ state }) => state !== 'exited' && state !== 'dead')
    const young = open.filter(({ createdAt }) => Date.now() - createdAt < STARTING_MS)
    const unlisted = [...making].filter((name) => !open.some((each) => each.name === name))
    const starting = young.length + unlisted.length
    const running = open.length - young.length
    const expected = await expectedCost()
    // The engine does not report free resources: running bots count with their expected cost.
    const availableBytes = memoryBytes - running * expected.memoryBytes
    const limit = settings.maxBots ?? botLimit({ cores, availableBytes }, expected, running, starting)
    return { limit, free: Math.max(0, limit - running - starting) }
  }

  /** Null if there is no such container, or one that is not ours. Rejects if the engine does not say. */
  async function find(name: string) {
    const container = docker.getContainer(knownName(name))
    try {
      const facts = await container.inspect()
      return { container, facts, isOurs: facts.Config.Labels?.[LABELS.installation] === installation }
    } catch (error) {
      if (statusOf(error) === 404) return null
      throw error
    }
  }

  async function findOurs(name: string) {
    const found = await find(name)
    return found?.isOurs ? found : null
  }

  /** Takes a place for the bot, if it is not there already. */
  function reserve(name: string): Promise<{ isNew: boolean; handle: LaunchHandle }> {
    return oneByOne(async () => {
      let handle: LaunchHandle
      try {
        handle = { name, engine: (await engine.facts()).id }
        const found = await find(name)
        if (found?.isOurs || making.has(name)) return { isNew: false, handle }
        if (found !== null) throw new Error(`The name ${name} is taken by a container that is not of this installation`)
        const { free, limit } = await room()
        if (free === 0) throw new NoRoom(limitReached(limit, 'on this engine'))
      } catch (error) {
        // Nothing was asked of the engine yet, so the bot can wait.
        if (statusOf(error) !== null || isEngineAway(error))
          throw new NoRoom(`The Docker engine does not answer: ${sentenceOf(error)}`)
        throw error
      }
      making.add(name)
      return { isNew: true, handle }
    })
  }

  async function start(spec: LaunchSpec): Promise<LaunchHandle> {
    const name = botName(spec)
    const { isNew, handle } = await reserve(name)
    if (!isNew) return handle
    try {
      await make(spec, name)
      return handle
    } finally {
      making.delete(name)
    }
  }

  async function make(spec: LaunchSpec, name: string): Promise<void> {
    const { botId, attempt } = spec
    await mkdirs(spec)
    const token = randomBytes(32).toString('base64url')
    const address = { url: offers.addressOf(botId, attempt), token }
    let container: Docker.Container
    try {
      container = await docker.createContainer(containerOf(spec, name, address, settings))
    } catch (error) {
      // Of two processes that make it at once, one succeeds and continues alone.
      if (statusOf(error) === 409 && (await appears(name))) return
      if (wasNeverSent(error)) throw new NoRoom(`The Docker engine does not answer: ${sentenceOf(error)}`)
      throw new Error(`The container of the bot could not be made: ${sentenceOf(error)}`, { cause: error })
    }
    try {
      await offers.offer({ ...spec, job: withOperatorKeys(spec.job, settings.environment) }, token)
      await container.start()
    } catch (error) {
      const isGone = await undo(spec, container)
      if (isGone && isShortage(error)) throw new NoRoom(`The engine has no room: ${sentenceOf(error)}`)
      throw new Error(`The container of the bot could not be started: ${sentenceOf(error)}`, { cause: error })
    }
  }

  /** The engine gives a name away before it shows the container. */
  async function appears(name: string): Promise<boolean> {
    for (let tries = 0; tries < APPEARS_TRIES; tries++) {
      const found = await find(name)
      if (found !== null) return found.isOurs
      await sleep(APPEARS_EVERY_MS)
    }
    return false
  }

  /** Without its job a container that was started all the same ends by itself. */
  async function undo({ botId, attempt }: LaunchSpec, container: Docker.Container): Promise<boolean> {
    const steps = [offers.withdraw(botId, attempt), container.remove({ v: true, force: true })]
    const results = await Promise.allSettled(steps)
    const failed = results.flatMap((result) => (result.status === 'rejected' ? [sentenceOf(result.reason)] : []))
    if (failed.length > 0)
      log.warn({ bot: botId, attempt, failed }, 'A container that was not started could not be removed')
    return failed.length === 0
  }

  /** The engine makes missing folders itself, but for root alone. */
  async function mkdirs({ job: { storage } }: LaunchSpec): Promise<void> {
    if (storage.type !== 'folder') return
    await mkdir(storage.path, { recursive: true, mode: 0o700 })
    if (process.getuid?.() === 0) await chown(storage.path, IMAGE_USER, IMAGE_USER)
  }

  async function signalBot({ name }: LaunchHandle, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    const found = await findOurs(name)
    if (found === null) return
    const state = stateOf(found.facts)
    if (state === 'created' || state === 'abandoned') await withdrawFor(name)
    if (state !== 'running' && state !== 'created') return
    if (signal === 'SIGKILL') killed.add(name)
    await found.container.kill({ signal }).catch((error: unknown) => {
      // It has ended meanwhile.
      if (statusOf(error) !== 404 && statusOf(error) !== 409) throw error
    })
  }

  const kill = (handle: LaunchHandle) => signalBot(handle, 'SIGKILL')

  async function withdrawFor(name: string): Promise<void> {
    const { botId, attempt } = placeOf(name)
    await offers.withdraw(botId, attempt)
  }

  const placeFor = (name: string) => join(settings.workFolder, knownName(name))

  async function inspect({ name, engine: home }: LaunchHandle): Promise<LaunchState> {
    try {
      if ((await engine.facts()).id !== home)
        return { state: 'unknown', reason: 'The bot belongs to another Docker engine' }
      const found = await find(name)
      if (found === null) return { state: 'absent' }
      if (!found.isOurs) return { state: 'unknown', reason: 'The name belongs to a container of another installation' }
      switch (stateOf(found.facts)) {
        case 'running':
          return { state: 'running' }
        case 'created':
          return { state: 'unknown', reason: 'The bot is being started' }
        case 'going':
          return { state: 'unknown', reason: 'The container is being removed' }
        case 'abandoned':
          // The process that made it may come back: then it starts without a job.
          await withdrawFor(name)
          return { state: 'ended', evidence: endWithout(NEVER_STARTED) }
        case 'ended':
          return await endedState(found.container, found.facts, killed.has(name))
      }
    } catch (error) {
      if (statusOf(error) === null && !isEngineAway(error)) throw error
      return { state: 'unknown', reason: `The Docker engine does not answer: ${sentenceOf(error)}` }
    }
  }

  return {
    kind: 'docker',
    start,
    inspect,
    kill,
    async stop(handle, patienceMs) {
      await signalBot(handle, 'SIGTERM')
      killLater(kill, handle, patienceMs, log)
    },
    async list() {
      const { id } = await engine.facts()
      const containers = await ownContainers()
      return containers.map(({ name }) => ({ ...placeOf(name), handle: { name, engine: id } }))
    },
    async clean({ name }) {
      const found = await findOurs(name)
      const state = found && stateOf(found.facts)
      if (state === 'running' || state === 'created') return
      await withdrawFor(name)
      killed.delete(name)
      await rm(placeFor(name), { recursive: true, force: true })
      await found?.container.remove({ v: true }).catch((error: unknown) => {
        // Gone, or on its way.
        if (statusOf(error) !== 404 && statusOf(error) !== 409) throw error
      })
    },
    async workFolder({ name }) {
      // A folder of recordings has everything that the bot wrote.
      if (settings.recordings !== null) return null
      const found = await findOurs(name)
      if (found === null) return null
      const { botId } = placeOf(name)
      const hasEnded = stateOf(found.facts) === 'ended'
      const target = join(placeFor(name), hasEnded ? 'work' : 'running')
      if (hasEnded) await copyWork(found.container, botId, target)
      else await copyJournal(found.container, botId, target)
      return target
    },
    /** Where the engine does not answer, each start fails with its own error. */
    capacity: () => room().catch(() => null),
  }
}

/** No answer, or the connection broke. */
function isEngineAway(error: unknown): boolean {
  const { code, message } = error as { code?: unknown; message?: unknown }
  return (
    wasNeverSent(error) ||
    code === 'ECONNRESET' ||
    code === 'EPIPE' ||
    code === 'ETIMEDOUT' ||
    /socket hang up|timed? ?out/i.test(String(message))
  )
}
