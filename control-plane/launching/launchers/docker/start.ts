/** Starts bots as containers: takes a place, makes the container, offers its job, and starts it. */
import { randomBytes } from 'node:crypto'
import { chown, mkdir } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { RecordingMode } from '@standin/wire/codes.ts'
import { inTurn } from '@standin/wire/time/in-turn.ts'
import type Docker from 'dockerode'
import { type Launcher, type LaunchHandle, type LaunchSpec, NoRoom } from '../../../platform/ports.ts'
import { botName } from '../shared/bot-name.ts'
import { type Room, refusalOf } from '../shared/capacity.ts'
import { withOperatorKeys } from '../shared/container-environment.ts'
import { containerOf } from './container.ts'
import { type Engine, isAway, isShortage, sentenceOf, statusOf, wasNeverSent } from './engine.ts'
import type { DockerLauncherSettings } from './launcher.ts'

/** How often the launcher looks for a container that another launcher makes. */
const APPEARS_TRIES = 50
const APPEARS_EVERY_MS = 200
/** The user of the worker's image. */
const IMAGE_USER = 1000

interface StartTools {
  settings: DockerLauncherSettings
  engine: Engine
  /** Names that are being made, with their modes: they take a place before the engine lists them. */
  making: Map<string, RecordingMode>
  find(name: string): Promise<{ isOurs: boolean } | null>
  room(): Promise<Room>
}

export function createStart({ settings, engine, making, find, room }: StartTools): Launcher['start'] {
  const { offers, log } = settings
  const { docker } = engine
  /** Starts check the free room one after the other; otherwise all would see the same free place. */
  const oneByOne = inTurn(1)

  /** Takes a place for the bot, if it is not there already. */
  function reserve(name: string, mode: RecordingMode): Promise<{ isNew: boolean; handle: LaunchHandle }> {
    return oneByOne(async () => {
      let handle: LaunchHandle
      try {
        handle = { name, engine: (await engine.facts()).id }
        const found = await find(name)
        if (found?.isOurs || making.has(name)) return { isNew: false, handle }
        if (found !== null) throw new Error(`The name ${name} is taken by a container that is not of this installation`)
        const refusal = refusalOf(settings.needs[mode], await room(), settings.maxBots, 'on this engine')
        if (refusal !== null) throw new NoRoom(refusal)
      } catch (error) {
        // Nothing was asked of the engine yet, so the bot can wait.
        if (isAway(error)) throw new NoRoom(`The Docker engine does not answer: ${sentenceOf(error)}`)
        throw error
      }
      making.set(name, mode)
      return { isNew: true, handle }
    })
  }

  async function start(spec: LaunchSpec): Promise<LaunchHandle> {
    const name = botName(spec)
    const { isNew, handle } = await reserve(name, spec.job.recording_mode)
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

  return start
}
