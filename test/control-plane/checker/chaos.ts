/** A whole service of killable processes with simulated bots, and everything that can happen to it. */
import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createBot } from '../../../control-plane/bots/actions/create-bot.ts'
import { askToLeave } from '../../../control-plane/bots/actions/stop-bot.ts'
import { WEBHOOK_EVENTS } from '../../../control-plane/bots/messages/kinds.ts'
import { createSeals, newSealKey, parseSealKeys } from '../../../control-plane/platform/secrets/seals.ts'
import { nowOf } from '../../../control-plane/store/clock.ts'
import { type Database, openDatabase } from '../../../control-plane/store/database.ts'
import { migrate } from '../../../control-plane/store/migrate.ts'
import { startOwnPostgres } from '../../../control-plane/store/own-postgres.ts'
import { createKey } from '../../../control-plane/store/teams/keys.ts'
import { createEndpoint } from '../../../control-plane/store/webhooks/endpoints.ts'
import { packageRoot } from '../../../packages/core/process/page-scripts.ts'
import { freePort } from '../../servers/free-port.ts'
import { type BotHost, startBotHost } from '../launching/bot-host.ts'
import type { Plan } from '../launching/simulated-bot.ts'
import { installClock, stepClock } from './database-clock.ts'
import { mayMount, mountDisk, unmountDisk } from './disk.ts'
import { Followers } from './followers.ts'
import { type LinkProxy, startLinkProxy } from './link-proxy.ts'
import { unpackOlderVersion } from './older-version.ts'
import type { RoleSettings } from './role-process.ts'
import { seeded } from './seeded.ts'
import { unsettled } from './settled.ts'
import type { Evidence, Received } from './violations.ts'
import { startWebhookReceiver } from './webhook-receiver.ts'

const PROGRAM = fileURLToPath(new URL('role-process.ts', import.meta.url))
/** Longer than the margin within which a claimed bot is not started any more. */
export const LEASE_SECONDS = 8
/** A busy machine needs its time to start the database again. */
const AWAY_MS = 120_000

/** A killed server must not lose what it has committed; the machine itself is not lost here. */
const SERVER = ['fsync=off', 'synchronous_commit=on', 'full_page_writes=off']
/** Its log stays small beside what else is on its disk, and its clock can be set. */
const LONG_SERVER = [...SERVER, 'max_wal_size=64MB', 'min_wal_size=32MB', 'search_path=public,pg_catalog']
const DISK_MEGABYTES = { database: 768, recordings: 64 }

interface Shape {
  teams: number
  seed: number
  /** With a database clock, an older version and, for root, small disks. */
  isLong: boolean
}

interface RunningRole {
  settings: RoleSettings
  process: ChildProcess
  /** Resolves when it has started, or has ended before. */
  ready: Promise<unknown>
  /** Between it and the database. */
  proxy: LinkProxy
}

export class Chaos {
  readonly host: BotHost
  readonly received: Received[] = []
  readonly counts: Record<string, number> = {}
  /** Faults that are over. */
  readonly happened: { name: string; seconds: number }[] = []
  /** Processes that ended and were not killed. */
  readonly ended: string[] = []
  readonly database: Database
  readonly random: () => number
  readonly roles: RunningRole[]
  readonly disks: Record<keyof typeof DISK_MEGABYTES, string>
  readonly older: { commit: string; program: string } | null
  readonly #folder: string
  readonly followers: Followers
  readonly #proxy: LinkProxy
  readonly #apiProxy: LinkProxy
  readonly #seals
  readonly #server: readonly string[]
  readonly #closings: (() => unknown)[] = []
  /** By team. */
  readonly #keys = new Map<string, string>()

  private constructor(parts: {
    host: BotHost
    proxy: LinkProxy
    apiProxy: LinkProxy
    database: Database
    folder: string
    sealKeys: string
    roles: { settings: RoleSettings; proxy: LinkProxy }[]
    shape: Shape
  }) {
    const { shape, folder } = parts
    this.host = parts.host
    this.database = parts.database
    this.random = seeded(shape.seed)
    this.disks = disksIn(folder)
    this.#proxy = parts.proxy
    this.#apiProxy = parts.apiProxy
    this.followers = new Followers(`http://127.0.0.1:${parts.apiProxy.port}`)
    this.#folder = folder
    this.#seals = createSeals(parseSealKeys(parts.sealKeys))
    this.#server = shape.isLong ? LONG_SERVER : SERVER
    const version = join(folder, 'older')
    this.older = shape.isLong
      ? { commit: unpackOlderVersion(version), program: join(version, relative(packageRoot, PROGRAM)) }
      : null
    this.roles = parts.roles.map((role) => ({ ...role, ...this.#start(role.settings, PROGRAM) }))
  }

  static async start(shape: Shape): Promise<Chaos> {
    const folder = mkdtempSync(join(tmpdir(), 'standin-checker-'))
    chmodSync(folder, 0o711)
    if (shape.isLong && mayMount)
      for (const [disk, path] of Object.entries(disksIn(folder))) {
        mkdirSync(path)
        mountDisk(path, DISK_MEGABYTES[disk as keyof typeof DISK_MEGABYTES])
      }
    const postgres = await startOwnPostgres({ folder, settings: shape.isLong ? LONG_SERVER : SERVER })
    const database = openDatabase({ url: postgres.url, role: 'checker', connections: 10, onError: () => {} })
    if (shape.isLong) await installClock(database)
    await migrate(database as never)
    const host = await startBotHost()
    const ports = [await freePort(), await freePort()]
    const proxy = await startLinkProxy(ports)
    const apiPorts = [await freePort(), await freePort()]
    const apiProxy = await startLinkProxy(apiPorts)
    const sealKeys = newSealKey('test')
    const common = {
      sealKeys,
      recordings: disksIn(folder).recordings,
      hostUrl: host.url,
      linkUrl: proxy.url,
      port: 0,
      leaseSeconds: LEASE_SECONDS,
    }
    const kinds = [
      { role: 'launcher' as const },
      { role: 'launcher' as const },
      ...ports.map((port) => ({ role: 'links' as const, port })),
      ...apiPorts.map((port) => ({ role: 'api' as const, port })),
      { role: 'dispatcher' as const },
      { role: 'dispatcher' as const },
    ]
    const roles = await Promise.all(
      kinds.map(async (kind) => {
        const ownProxy = await startLinkProxy([`${new URL(postgres.url).searchParams.get('host')}/.s.PGSQL.5432`])
        const url = new URL(postgres.url)
        url.search = ''
        url.host = `127.0.0.1:${ownProxy.port}`
        return { settings: { ...common, ...kind, databaseUrl: url.href }, proxy: ownProxy }
      }),
    )
    const chaos = new Chaos({ host, proxy, apiProxy, database, folder, sealKeys, roles, shape })
    await chaos.#addReceiver(shape.teams)
    await Promise.all(chaos.roles.map(({ ready }) => ready))
    for (const key of chaos.#keys.values()) chaos.followers.followTeam(key)
    return chaos
  }

  async #addReceiver(teams: number): Promise<void> {
    const { url, close } = await startWebhookReceiver(this.received)
    this.#closings.push(close)
    for (let n = 0; n < teams; n++) {
      const team = await this.database
        .insertInto('teams')
        .values({ name: `Team ${n}` })
        .returning('id')
        .executeTakeFirstOrThrow()
      const { id: teamId } = team
      const { key } = await createKey(this.database, { teamId, name: 'checker', permission: 'full', seal: null })
      this.#keys.set(teamId, key)
      const endpoint = { teamId, kind: 'team', url, events: WEBHOOK_EVENTS, liveWithinMs: 300 } as const
      await createEndpoint(this.database, this.#seals, endpoint)
    }
  }

  /** Asks for a bot, again and again where the database is away: what a caller does that uses an idempotency key. */
  async createBot(plan: Plan, joinInSeconds: number | null): Promise<string> {
    const id = randomUUID()
    const [teamId, key] = [...this.#keys][Math.floor(this.random() * this.#keys.size)]!
    await this.#insist(async () => {
      const known = await this.database.selectFrom('bots').select('id').where('id', '=', id).executeTakeFirst()
      if (known !== undefined) return
      const now = await nowOf(this.database)
      await createBot(this.database, this.#seals, {
        id,
        teamId,
        apiKeyId: null,
        generation: 'v2',
        isCompat: false,
        meeting: { link: 'https://meet.google.com/abc-defg-hij', platform: 'meet', key: `meet:${id}` },
        request: { bot_name: 'Bot', recording_mode: 'speaker_view', extra: { plan } },
        joinAt: joinInSeconds === null ? null : new Date(now.getTime() + joinInSeconds * 1000),
      })
    })
    this.#count('bots')
    this.followers.followBot(key, id)
    return id
  }

  async askToLeave(botId: string): Promise<void> {
    await this.#insist(() => askToLeave(this.database, botId))
    this.#count('requests to leave')
  }

  pick(role: RoleSettings['role']): RunningRole {
    const some = this.roles.filter(({ settings }) => settings.role === role)
    return some[Math.floor(this.random() * some.length)]!
  }

  /**
   * Kills one process of the service and starts it again, in its own or the named version. Resolves when it is ready: a
   * busy machine needs more than a minute to start one, and where both link servers are down for that long, no bot can
   * report before its deadline.
   */
  async restart(role: RunningRole, isOlder?: boolean): Promise<undefined> {
    const program = isOlder === undefined ? role.process.spawnargs[1]! : isOlder ? this.older!.program : PROGRAM
    role.process.kill('SIGKILL')
    await ending(role.process)
    await sleep(Math.random() * 300)
    Object.assign(role, this.#start(role.settings, program))
    await role.ready
  }

  /** Sets the clock of one process. The older version does not hear it. */
  stepClock(role: RunningRole, seconds: number): void {
    role.settings.clockStepMs = seconds * 1000
    role.process.send?.(role.settings.clockStepMs)
  }

  stepDatabaseClock(seconds: number): Promise<void> {
    return this.#insist(() => stepClock(this.database, seconds))
  }

  async killDatabase(): Promise<undefined> {
    const home = join(this.disks.database, 'cluster')
    const pid = Number(readFileSync(join(home, 'postmaster.pid'), 'utf8').split('\n')[0])
    process.kill(pid, 'SIGKILL')
    await sleep(Math.random() * 500)
    await this.startDatabase()
  }

  startDatabase(): Promise<void> {
    return this.#insist(() => startOwnPostgres({ folder: this.#folder, settings: this.#server }))
  }

  /** Several times in a while; a busy machine takes its time until there are links. */
  async cutLinks(): Promise<undefined> {
    let cut = 0
    for (let times = 0; times < 4 || (cut === 0 && times < 60); times++) {
      await sleep(400)
      cut += this.#proxy.cut(0.5)
    }
    this.#count('cut links', cut)
  }

  async cutFollowers(): Promise<undefined> {
    for (let times = 0; times < 4; times++) {
      await sleep(400)
      this.#count('cut followers', this.#apiProxy.cut(0.5))
    }
  }

  /** Work that has to finish before everything is over; empty at the end. */
  async unsettled(): Promise<string[]> {
    const { streams } = this.followers
    return [...(await unsettled(this.database)), ...(streams > 0 ? [`${streams} streams`] : [])]
  }

  /** The invariants are computed from it. */
  get evidence(): Evidence {
    const { database, host, received } = this
    return { database, host, received, heard: this.followers.heard }
  }

  async close(): Promise<void> {
    await Promise.all(
      this.roles.map(async ({ process: role }) => {
        role.kill('SIGKILL')
        await ending(role)
      }),
    )
    for (const close of this.#closings) close()
    await this.followers.close()
    await this.host.close()
    await Promise.all(
      [this.#proxy, this.#apiProxy, ...this.roles.map(({ proxy }) => proxy)].map((proxy) => proxy.close()),
    )
    await this.database.destroy()
    await (await startOwnPostgres({ folder: this.#folder, settings: this.#server })).stop()
    if (this.older !== null && mayMount) for (const disk of Object.values(this.disks)) unmountDisk(disk)
    rmSync(this.#folder, { recursive: true, force: true })
  }

  #start(settings: RoleSettings, program: string): Pick<RunningRole, 'process' | 'ready'> {
    const env = { ...process.env, TEST_ROLE: JSON.stringify(settings) }
    const role = spawn(process.execPath, [program], { env, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
    role.once('exit', (code, signal) => {
      if (signal !== 'SIGKILL') this.ended.push(`a process of ${settings.role} ended by itself: ${code ?? signal}`)
    })
    // A frozen one is killed before it has said so.
    return { process: role, ready: Promise.race([once(role, 'message'), once(role, 'exit')]) }
  }

  async #insist(work: () => Promise<unknown>): Promise<void> {
    const deadline = performance.now() + AWAY_MS
    for (;;) {
      try {
        await work()
        return
      } catch (error) {
        if (performance.now() > deadline) throw error
        await sleep(100)
      }
    }
  }

  #count(what: string, by = 1): void {
    this.counts[what] = (this.counts[what] ?? 0) + by
  }
}

const disksIn = (folder: string) => ({ database: join(folder, 'database'), recordings: join(folder, 'recordings') })

async function ending(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
}
