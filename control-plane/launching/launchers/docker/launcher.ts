/**
 * Bots as containers of a Docker engine. The engine keeps them and says how they ended; the service keeps nothing, so it
 * may be restarted at any time. A container gets its job from the service, for a token that serves once.
 */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { RecordingMode } from '@standin/wire/codes.ts'
import type { BotNeeds, JobOffers, Launcher, LaunchHandle, LaunchState, Log } from '../../../platform/ports.ts'
import { isBotName, knownName, placeOf } from '../shared/bot-name.ts'
import { capacityOf, roomOn } from '../shared/capacity.ts'
import { LABELS } from '../shared/container-environment.ts'
import { endWithout, NEVER_STARTED } from '../shared/evidence.ts'
import { killLater } from '../shared/kill-later.ts'
import type { ContainerSettings } from './container.ts'
import { connectEngine, isAway, requireImage, sentenceOf, statusOf } from './engine.ts'
import { endedState, stateOf } from './evidence.ts'
import { createStart } from './start.ts'
import { copyJournal, copyWork } from './work.ts'

export interface DockerLauncherSettings extends ContainerSettings {
  /** The form is that of `DOCKER_HOST`. Null: that variable of this process, or the usual socket. */
  host: string | null
  /** Whether an image that is missing at the start is pulled. */
  mayPull: boolean
  /** Null: by cores and memory of the engine's machine. */
  maxBots: number | null
  needs: BotNeeds
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
  /** Names that are being made, with their modes: they take a place before the engine lists them. */
  const making = new Map<string, RecordingMode>()
  /** Bots that this process killed. After a restart, the evidence no longer shows who killed them. */
  const killed = new Set<string>()

  async function ownContainers() {
    const filters = { label: [`${LABELS.installation}=${installation}`] }
    const containers = await docker.listContainers({ all: true, filters })
    return containers.flatMap((container) => {
      const name = container.Names.map((each) => each.slice(1)).find(isBotName)
      if (name === undefined) return []
      return [{ name, mode: container.Labels[LABELS.mode] as RecordingMode, state: container.State }]
    })
  }

  async function room() {
    const machine = await engine.facts()
    const containers = (await ownContainers()).filter(({ state }) => state !== 'exited' && state !== 'dead')
    const listed = new Map(containers.map(({ name, mode }) => [name, mode]))
    return roomOn(
      machine,
      [...new Map([...making, ...listed]).values()].map((mode) => settings.needs[mode]),
    )
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
      if (!isAway(error)) throw error
      return { state: 'unknown', reason: `The Docker engine does not answer: ${sentenceOf(error)}` }
    }
  }

  return {
    kind: 'docker',
    start: createStart({ settings, engine, making, find, room }),
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
    async capacity() {
      return room().then(
        (found) => capacityOf(found, settings.needs, settings.maxBots),
        () => null,
      )
    },
  }
}
