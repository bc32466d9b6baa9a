/**
 * Bots as processes of this machine. A bot belongs to its supervisor (`supervisor-script.ts`) and to its own folder,
 * never to the service: it continues while the service is down, and the folder says afterwards how it ended.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { availableParallelism, loadavg, totalmem } from 'node:os'
import { join } from 'node:path'
import type { RecordingMode } from '@standin/wire/codes.ts'
import type { Job } from '@standin/wire/job.ts'
import { type BotUser, letPass } from '@standin/wire/process/bot-user.ts'
import { inTurn } from '@standin/wire/time/in-turn.ts'
import {
  type BotNeeds,
  type Launcher,
  type LaunchHandle,
  type LaunchSpec,
  type LaunchState,
  type Log,
  type Need,
  NoRoom,
} from '../../../platform/ports.ts'
import { botEnvironment, permittedAddresses, usesAmbientKeys } from '../shared/bot-environment.ts'
import { botName, isBotName, knownName, placeOf } from '../shared/bot-name.ts'
import { capacityOf, refusalOf, roomOn } from '../shared/capacity.ts'
import { withOperatorKeys } from '../shared/container-environment.ts'
import { killLater } from '../shared/kill-later.ts'
import {
  hasEnded,
  isHalfMade,
  markSignal,
  NAME_VARIABLE,
  processesToSignal,
  readFacts,
  removeJobs,
  stateOf,
  writeFacts,
} from './bot-folder.ts'
import { memoryEventsFile, outOfMemoryKills, processWorld } from './proc.ts'
import { Spares } from './spares.ts'
import { SUPERVISOR_SCRIPT } from './supervisor-script.ts'

const JOB = /^job-.*\.json$/

interface Machine {
  size: Need
  /** Cores in use and memory that is free, now. */
  measure(): { cores: number; availableBytes: number }
}

export interface ProcessLauncherSettings {
  /** Absolute; every bot has a folder in it. One installation has one such folder. */
  folder: string
  /** Program and arguments; `--map-host` options are appended. */
  command: readonly string[]
  /** `host=ip:port`. */
  mapHosts: readonly string[]
  /** Further mappings of one bot; the mock meeting of a demo is started here. Rejects as an error of the infrastructure. */
  mapHostsOf?: (job: Job) => Promise<readonly string[]>
  /** The service's own variables; `shared/bot-environment.ts` says which of them bots get. */
  environment: Readonly<Record<string, string | undefined>>
  /** Null: by cores and memory. */
  maxBots: number | null
  /** Bots that stand by for a job, at most; default 0. The command has to be that of Standin then. */
  spareBots?: number
  needs: BotNeeds
  /** Who the bots become; absent or null: they stay the user of this process. */
  botUser?: BotUser | null
  /** Default: the machine of this process. */
  machine?: Machine
  log: Log
}

/** Rejects if the folder cannot be used. No other launcher may be starting bots in it. */
export async function createProcessLauncher(settings: ProcessLauncherSettings): Promise<Launcher> {
  const { folder, command, mapHosts, environment, log } = settings
  if (command.length === 0) throw new Error('The command that starts a bot is empty')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await removeHalfMade(folder, log)
  const script = await installScript(folder)
  const home = await homeId(folder)
  const memoryEvents = await memoryEventsFile()
  const places = (name: string) => join(folder, knownName(name))
  /** Starts check the free room one after the other; otherwise all would see the same free place. */
  const oneByOne = inTurn(1)
  /** Modes of bots whose facts are not written yet. */
  const reserved = new Map<string, RecordingMode>()
  const machine = settings.machine ?? thisMachine()
  const startSupervisor: StartSupervisor = (place, options, ...more) =>
    spawnSupervisor(place, [script, place, memoryEvents ?? '', ...command, ...options], ...more)
  const spares = await Spares.open({
    folder,
    count: settings.spareBots ?? 0,
    async start(place) {
      if (settings.botUser) await letPass(settings.botUser, place)
      return startSupervisor(place, [...optionsOf(mapHosts), '--stand-by'], botEnvironment(environment), 'pipe')
    },
    free: async () => (await capacity()).free,
    onFailure: (error) => log.warn({ error: String(error) }, 'No bot stands by'),
  })
  let hasWarned = false

  async function room() {
    const open: Need[] = []
    for (const name of await names(folder)) {
      if (await hasEnded(join(folder, name))) continue
      const mode = reserved.get(name) ?? (await readFacts(join(folder, name)))?.mode ?? 'speaker_view'
      open.push(settings.needs[mode])
    }
    return roomOn(machine.size, open)
  }

  async function capacity() {
    return capacityOf(await room(), settings.needs, settings.maxBots)
  }

  /** Only a warning: the operator's number or needs of bots decide which ones start. */
  function warnOfLoad(need: Need): void {
    const { cores, availableBytes } = machine.measure()
    if (hasWarned || (cores < machine.size.cores && availableBytes >= need.memoryBytes)) return
    hasWarned = true
    log.warn({ cores, available_bytes: availableBytes }, 'The machine is busy: bots that start now may not keep up')
  }

  /** Makes the bot's folder; false if it is there already. */
  function reserve(name: string, mode: RecordingMode): Promise<boolean> {
    return oneByOne(async () => {
      if ((await readFacts(places(name))) !== null) return false
      const need = settings.needs[mode]
      const refusal = refusalOf(need, await room(), settings.maxBots, 'on this machine')
      if (refusal !== null) throw new NoRoom(refusal)
      warnOfLoad(need)
      await mkdir(places(name), { recursive: true, mode: 0o700 })
      // Its work folder is inside.
      if (settings.botUser) await letPass(settings.botUser, places(name))
      reserved.set(name, mode)
      return true
    })
  }

  async function start(spec: LaunchSpec): Promise<LaunchHandle> {
    const name = botName(spec)
    const place = places(name)
    if (!(await reserve(name, spec.job.recording_mode))) return { name, home }
    try {
      await startBot(spec, name, place)
    } catch (error) {
      // The reserved place is free again.
      await rm(place, { recursive: true, force: true })
      throw error
    } finally {
      reserved.delete(name)
    }
    return { name, home }
  }

  async function startBot(spec: LaunchSpec, name: string, place: string): Promise<void> {
    const ownHosts = (await settings.mapHostsOf?.(spec.job)) ?? []
    // Libraries may have read the keys of their environment already.
    const spare = usesAmbientKeys(spec.job.storage) ? null : await spares.take(place)
    try {
      const jobFile = await writeStart(spec, name, place)
      const own = {
        STANDIN_PRIVATE_ADDRESSES: permittedAddresses(environment, spec.job),
        STANDIN_WORK_FOLDER: join(place, 'work'),
        STANDIN_JOB_FILE: jobFile,
      }
      if (spare !== null) return spare.start({ environment: own, mapHosts: ownHosts })
      const variables = { ...botEnvironment(environment, spec.job.storage), ...own, [NAME_VARIABLE]: name }
      await startSupervisor(place, optionsOf([...mapHosts, ...ownHosts]), variables, 'ignore')
    } catch (error) {
      spare?.end()
      throw error
    } finally {
      spares.fillLater()
    }
  }

  /** Writes job and facts; returns the job's file. */
  async function writeStart(spec: LaunchSpec, name: string, place: string): Promise<string> {
    const [world, events] = await Promise.all([processWorld(), memoryEvents && readFile(memoryEvents, 'utf8')])
    const jobFile = join(place, `job-${randomUUID()}.json`)
    await writeFile(jobFile, JSON.stringify(withOperatorKeys(spec.job, environment)), { mode: 0o600, flag: 'wx' })
    await writeFacts(place, {
      ...world,
      name,
      botId: spec.botId,
      attempt: spec.attempt,
      mode: spec.job.recording_mode,
      outOfMemoryKills: events ? outOfMemoryKills(events) : null,
    })
    return jobFile
  }

  async function signalBot(handle: LaunchHandle, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    const place = places(handle.name)
    if ((await readFacts(place)) === null || (await hasEnded(place))) return
    await markSignal(place, signal)
    for (const { pid } of await processesToSignal(place, handle.name)) {
      // SIGTERM is for the bot alone, which ends its own children in order. SIGKILL is for its whole process group.
      if (signal === 'SIGKILL') send(-pid, signal)
      send(pid, signal)
    }
  }

  const kill = (handle: LaunchHandle) => signalBot(handle, 'SIGKILL')

  void spares.fill()
  return {
    kind: 'process',
    start,
    kill,
    capacity,
    workFolder: async (handle) => join(places(handle.name), 'work'),
    async stop(handle, patienceMs) {
      await signalBot(handle, 'SIGTERM')
      killLater(kill, handle, patienceMs, log)
    },
    async inspect(handle): Promise<LaunchState> {
      const place = places(handle.name)
      if (handle.home !== home)
        return { state: 'unknown', reason: 'The bot belongs to the launcher of another data folder' }
      const state = await stateOf(place)
      if (state.state === 'ended')
        await removeJobs(
          place,
          (await readdir(place)).filter((name) => JOB.test(name)),
        )
      return state
    },
    async list() {
      const bots: Awaited<ReturnType<Launcher['list']>> = []
      for (const name of await names(folder)) {
        if (await isHalfMade(join(folder, name)).catch(ignoreGone)) continue
        bots.push({ ...placeOf(name), handle: { name, home } })
      }
      return bots
    },
    async clean(handle) {
      const place = places(handle.name)
      const { state } = await stateOf(place)
      if (state !== 'running' && state !== 'unknown') await rm(place, { recursive: true, force: true })
    },
  }
}

type StartSupervisor = (
  place: string,
  words: readonly string[],
  env: Record<string, string>,
  input: 'ignore' | 'pipe',
) => Promise<ChildProcess>

/** It does not keep this process from its end. Rejects if it cannot be started. */
const spawnSupervisor: StartSupervisor = async (place, words, env, input) => {
  const supervisor = spawn('/bin/sh', words, {
    ...{ cwd: place, detached: true, env },
    stdio: [input, 'ignore', 'ignore'],
  })
  await new Promise((resolve, reject) => supervisor.once('spawn', resolve).once('error', reject))
  supervisor.unref()
  ;(supervisor.stdin as Socket | null)?.unref()
  return supervisor
}

const optionsOf = (hosts: readonly string[]) => hosts.flatMap((host) => ['--map-host', host])

/** Distinguishes the launchers of several machines that share a database. */
async function homeId(folder: string): Promise<string> {
  const file = join(folder, 'id')
  await writeFile(file, randomUUID(), { mode: 0o600, flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  const id = (await readFile(file, 'utf8')).trim()
  if (id === '') throw new Error(`${file} is empty: remove it, and start again`)
  return id
}

/** Leftovers of a service that was killed while it started a bot: they would occupy a place for ever. */
async function removeHalfMade(folder: string, log: Log): Promise<void> {
  for (const name of await names(folder)) {
    if (!(await isHalfMade(join(folder, name)))) continue
    await rm(join(folder, name), { recursive: true, force: true })
    log.warn({ name }, 'Folder of a bot removed: the bot was never started')
  }
}

/** A folder that was removed meanwhile is of no bot. */
function ignoreGone(error: NodeJS.ErrnoException): true {
  if (error.code === 'ENOENT') return true
  throw error
}

function thisMachine(): Machine {
  // 0 without a limit.
  const limit = process.constrainedMemory()
  return {
    size: { cores: availableParallelism(), memoryBytes: limit > 0 ? Math.min(limit, totalmem()) : totalmem() },
    measure: () => ({ cores: loadavg()[0]!, availableBytes: process.availableMemory() }),
  }
}

async function names(folder: string): Promise<string[]> {
  return (await readdir(folder)).filter(isBotName)
}

/** A new file replaces the older one: running shells keep reading theirs. */
async function installScript(folder: string): Promise<string> {
  const script = join(folder, 'supervise.sh')
  const draft = join(folder, `.supervise-${randomUUID()}`)
  await writeFile(draft, SUPERVISOR_SCRIPT, { mode: 0o700, flag: 'wx' })
  await rename(draft, script)
  return script
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
