/** A whole service of killable processes with simulated bots, and everything that can happen to it. */
import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createBot } from '../../../control-plane/actions/create-bot.ts'
import { stopAsked } from '../../../control-plane/bots/stop.ts'
import { createSeals, newSealKey, parseSealKeys } from '../../../control-plane/secrets/seals.ts'
import { lockBot } from '../../../control-plane/store/bots/bots.ts'
import { applyChange } from '../../../control-plane/store/bots/changes.ts'
import { addCommand } from '../../../control-plane/store/bots/commands.ts'
import { type Database, openDatabase } from '../../../control-plane/store/database.ts'
import { migrate } from '../../../control-plane/store/migrate.ts'
import { startOwnPostgres } from '../../../control-plane/store/own-postgres.ts'
import { createEndpoint } from '../../../control-plane/store/webhooks/endpoints.ts'
import { freePort } from '../../servers/free-port.ts'
import { type BotHost, startBotHost } from '../launching/bot-host.ts'
import type { Plan } from '../launching/simulated-bot.ts'
import { type LinkProxy, startLinkProxy } from './link-proxy.ts'
import type { RoleSettings } from './role-process.ts'
import { unsettled } from './settled.ts'
import type { Received } from './violations.ts'
import { startWebhookReceiver } from './webhook-receiver.ts'

const PROGRAM = fileURLToPath(new URL('role-process.ts', import.meta.url))
/** Longer than the margin within which a claimed bot is not started any more. */
const LEASE_SECONDS = 8
/** A busy machine needs its time to start the database again. */
const AWAY_MS = 120_000

interface RunningRole {
  settings: RoleSettings
  process: ChildProcess
  /** Resolves when it has started, or has ended before. */
  ready: Promise<unknown>
}

export class Chaos {
  readonly host: BotHost
  readonly proxy: LinkProxy
  readonly received: Received[] = []
  readonly counts: Record<string, number> = {}
  readonly database: Database
  readonly #folder: string
  readonly #seals
  readonly #closings: (() => unknown)[] = []
  readonly #roles: RunningRole[]
  #teams: string[] = []

  private constructor(parts: {
    host: BotHost
    proxy: LinkProxy
    database: Database
    folder: string
    sealKeys: string
    roles: RoleSettings[]
  }) {
    this.host = parts.host
    this.proxy = parts.proxy
    this.database = parts.database
    this.#folder = parts.folder
    this.#seals = createSeals(parseSealKeys(parts.sealKeys))
    this.#roles = parts.roles.map(startRole)
  }

  static async start(teams: number): Promise<Chaos> {
    const folder = mkdtempSync(join(tmpdir(), 'standin-checker-'))
    chmodSync(folder, 0o711)
    const postgres = await startOwnPostgres({ folder, settings: SERVER })
    const database = openDatabase({ url: postgres.url, role: 'checker', connections: 10, onError: () => {} })
    await migrate(database as never)
    const host = await startBotHost()
    const ports = [await freePort(), await freePort()]
    const proxy = await startLinkProxy(ports)
    const sealKeys = newSealKey('test')
    const common = {
      databaseUrl: postgres.url,
      sealKeys,
      recordings: join(folder, 'recordings'),
      hostUrl: host.url,
      linkUrl: proxy.url,
      port: 0,
      leaseSeconds: LEASE_SECONDS,
    }
    const roles: RoleSettings[] = [
      { ...common, role: 'launcher' },
      { ...common, role: 'launcher' },
      ...ports.map((port) => ({ ...common, role: 'links' as const, port })),
      { ...common, role: 'dispatcher' },
      { ...common, role: 'dispatcher' },
    ]
    const chaos = new Chaos({ host, proxy, database, folder, sealKeys, roles })
    await chaos.#addReceiver(teams)
    await Promise.all(chaos.#roles.map(({ ready }) => ready))
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
      this.#teams.push(team.id)
      await createEndpoint(this.database, this.#seals, { teamId: team.id, kind: 'team', url })
    }
  }

  /** Asks for a bot, again and again where the database is away: what a caller does that uses an idempotency key. */
  async createBot(plan: Plan, joinInSeconds: number | null): Promise<string> {
    const id = randomUUID()
    await this.#insist(async () => {
      const known = await this.database.selectFrom('bots').select('id').where('id', '=', id).executeTakeFirst()
      if (known !== undefined) return
      await createBot(this.database, this.#seals, {
        id,
        teamId: this.#teams[Math.floor(Math.random() * this.#teams.length)]!,
        apiKeyId: null,
        generation: 'v2',
        isCompat: false,
        meeting: { link: 'https://meet.google.com/abc-defg-hij', platform: 'meet', key: `meet:${id}` },
        request: { bot_name: 'Bot', recording_mode: 'speaker_view', extra: { plan } },
        joinAt: joinInSeconds === null ? null : new Date(Date.now() + joinInSeconds * 1000),
      })
    })
    this.#count('bots')
    return id
  }

  async askToLeave(botId: string): Promise<void> {
    await this.#insist(() =>
      this.database.transaction().execute(async (tx) => {
        const bot = (await lockBot(tx, botId))!
        const change = stopAsked(bot, new Date())
        if ('refused' in change) return
        await applyChange(tx, bot, change)
        if (change.patch.phase === 'ending') await addCommand(tx, botId, { type: 'leave' }, 3600)
      }),
    )
    this.#count('requests to leave')
  }

  /**
   * Kills one process of the service and starts it again. Resolves when it is ready: a busy machine needs more than a
   * minute to start one, and where both link servers are down for that long, no bot can report before its deadline.
   */
  async killRole(role: RoleSettings['role']): Promise<void> {
    const running = pick(this.#roles.filter(({ settings }) => settings.role === role))
    running.process.kill('SIGKILL')
    await once(running.process, 'exit')
    await sleep(Math.random() * 300)
    Object.assign(running, startRole(running.settings))
    this.#count(`kills of ${role}`)
    await running.ready
  }

  /** Stops a launcher for longer than its leases last, and wakes it. */
  async freezeLauncher(): Promise<void> {
    const { process: launcher } = pick(this.#roles.filter(({ settings }) => settings.role === 'launcher'))
    launcher.kill('SIGSTOP')
    await sleep(LEASE_SECONDS * 1000 + 1_500)
    launcher.kill('SIGCONT')
    this.#count('frozen launchers')
  }

  async killDatabase(): Promise<void> {
    const home = join(this.#folder, 'database', 'cluster')
    const pid = Number(readFileSync(join(home, 'postmaster.pid'), 'utf8').split('\n')[0])
    process.kill(pid, 'SIGKILL')
    await sleep(Math.random() * 500)
    await startOwnPostgres({ folder: this.#folder, settings: SERVER })
    this.#count('kills of the database')
  }

  /** Several times in a while; a busy machine takes its time until there are links. */
  async cutLinks(): Promise<void> {
    let cut = 0
    for (let times = 0; times < 4 || (cut === 0 && times < 60); times++) {
      await sleep(400)
      cut += this.proxy.cut(0.5)
    }
    this.#count('cut links', cut)
  }

  /** Work that has to finish before everything is over; empty at the end. */
  unsettled(): Promise<string[]> {
    return unsettled(this.database)
  }

  async close(): Promise<void> {
    await Promise.all(
      this.#roles.map(async ({ process: role }) => {
        if (role.exitCode !== null || role.signalCode !== null) return
        role.kill('SIGKILL')
        await once(role, 'exit')
      }),
    )
    for (const close of this.#closings) close()
    await this.host.close()
    await this.proxy.close()
    await this.database.destroy()
    await (await startOwnPostgres({ folder: this.#folder, settings: SERVER })).stop()
    rmSync(this.#folder, { recursive: true, force: true })
  }

  async #insist(work: () => Promise<void>): Promise<void> {
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

/** A killed server must not lose what it has committed; the machine itself is not lost here. */
const SERVER = ['fsync=off', 'synchronous_commit=on', 'full_page_writes=off']

function startRole(settings: RoleSettings): RunningRole {
  const env = { ...process.env, TEST_ROLE: JSON.stringify(settings) }
  const role = spawn(process.execPath, [PROGRAM], { env, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  // A frozen one is killed before it has said so.
  return { settings, process: role, ready: Promise.race([once(role, 'message'), once(role, 'exit')]) }
}

function pick<T>(items: readonly T[]): T {
  return items[Math.floor(Math.random() * items.length)]!
}
