/** A service under load of which every process is replaced: bots in meetings, new bots by the API, webhooks. */
import { randomUUID } from 'node:crypto'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createSeals, newSealKey, parseSealKeys } from '../../../control-plane/platform/secrets/seals.ts'
import { type Database, openDatabase } from '../../../control-plane/store/database.ts'
import { migrate } from '../../../control-plane/store/migrate.ts'
import { startOwnPostgres } from '../../../control-plane/store/own-postgres.ts'
import { createKey } from '../../../control-plane/store/teams/keys.ts'
import { createTeam } from '../../../control-plane/store/teams/teams.ts'
import { createEndpoint } from '../../../control-plane/store/webhooks/endpoints.ts'
import { type BotHost, startBotHost } from '../launching/bot-host.ts'
import type { Plan } from '../launching/simulated-bot.ts'
import { Fleet, type Kind, type Replaced } from './fleet.ts'
import { startLinkProxy } from './link-proxy.ts'
import type { Received } from './violations.ts'
import { startWebhookReceiver } from './webhook-receiver.ts'

const KINDS: Kind[] = ['api', 'api', 'links', 'links', 'dispatcher', 'dispatcher', 'launcher', 'launcher', 'jobs']
/** Two generations of processes side by side have more connections than PostgreSQL allows by default. */
const SERVER = ['fsync=off', 'synchronous_commit=on', 'full_page_writes=off', 'max_connections=400']
const LEASE_SECONDS = 8
/** A caller that gives up after this many tries would lose its bot. */
const TRIES = 200

export interface Upgrade {
  readonly database: Database
  readonly host: BotHost
  readonly received: Received[]
  readonly fleet: Fleet
  readonly counts: { bots: number; repeatedCalls: number }
  /** Bots that stay in their meetings until `leave`. */
  send(bots: number, chatEverySeconds: number): Promise<string[]>
  /** Asks for a short bot again and again, until what it gives back is called. */
  traffic(everyMs: number): () => Promise<void>
  leave(botIds: readonly string[]): Promise<void>
  /** Every process once, one after the other. */
  replaceAll(signal: NodeJS.Signals): Promise<Replaced[]>
  close(): Promise<void>
}

export async function startUpgrade(): Promise<Upgrade> {
  const folder = mkdtempSync(join(tmpdir(), 'standin-upgrade-'))
  chmodSync(folder, 0o711)
  const postgres = await startOwnPostgres({ folder, settings: SERVER })
  const database = openDatabase({ url: postgres.url, role: 'checker', connections: 6, onError: () => {} })
  await migrate(database as never)
  const host = await startBotHost()
  const behind = { api: [] as number[], links: [] as number[] }
  const apiProxy = await startLinkProxy(behind.api)
  const linkProxy = await startLinkProxy(behind.links)
  const apiUrl = new URL(apiProxy.url.replace('ws', 'http')).origin
  const sealKeys = newSealKey('test')
  const settings = { folder, databaseUrl: postgres.url, sealKeys, hostUrl: host.url, linkUrl: linkProxy.url }
  const fleet = new Fleet({ ...settings, leaseSeconds: LEASE_SECONDS, behind })
  const received: Received[] = []
  const receiver = await startWebhookReceiver(received)
  const counts = { bots: 0, repeatedCalls: 0 }

  const seals = createSeals(parseSealKeys(sealKeys))
  const teamId = await createTeam(database, 'Team')
  const { key } = await createKey(database, { teamId, name: 'test', permission: 'full', seal: null })
  await createEndpoint(database, seals, { teamId, kind: 'team', url: receiver.url })
  await fleet.start(KINDS)

  /** Calls as a careful caller does: the same call again, under the same key, until there is an answer. */
  async function call(path: string, body: object | null): Promise<{ status: number; bot_id: string }> {
    const headers = {
      'x-service-api-key': key,
      'idempotency-key': randomUUID(),
      ...(body && { 'content-type': 'application/json' }),
    }
    for (let tries = 1; ; tries++) {
      const answer = await fetch(apiUrl + path, {
        method: 'POST',
        headers,
        ...(body && { body: JSON.stringify(body) }),
      }).catch(() => null)
      const text = await answer?.text().catch(() => null)
      if (answer && text != null && answer.status < 500) {
        const { data } = JSON.parse(text) as { data?: { bot_id: string } }
        return { status: answer.status, bot_id: data?.bot_id ?? '' }
      }
      if (tries === TRIES) throw new Error(`${path} was not answered: ${answer?.status} ${text}`)
      counts.repeatedCalls++
      await sleep(100)
    }
  }

  async function createBot(plan: Plan): Promise<string> {
    const meeting = Array.from({ length: 10 }, () => String.fromCharCode(97 + Math.floor(Math.random() * 26))).join('')
    const url = `https://meet.google.com/${meeting.slice(0, 3)}-${meeting.slice(3, 7)}-${meeting.slice(7)}`
    const made = await call('/v2/bots', { bot_name: 'Bot', meeting_url: url, extra: { plan } })
    if (made.status !== 201) throw new Error(`The bot was refused with ${made.status}`)
    counts.bots++
    return made.bot_id
  }

  return {
    database,
    host,
    received,
    fleet,
    counts,
    async send(bots, chatEverySeconds) {
      // For an hour at most.
      const plan: Plan = { meetingMs: 3_600_000, chats: 3_600 / chatEverySeconds, reconnectsAsReal: true }
      const ids: string[] = []
      let left = bots
      const lanes = Array.from({ length: 8 }, async () => {
        while (left-- > 0) ids.push(await createBot(plan))
      })
      await Promise.all(lanes)
      return ids
    },
    traffic(everyMs) {
      let isOver = false
      const running = (async () => {
        while (!isOver) {
          await createBot({ meetingMs: 500 + Math.random() * 2_000, chats: 4, reconnectsAsReal: true })
          await sleep(everyMs * (0.5 + Math.random()))
        }
      })()
      return async () => {
        isOver = true
        await running
      }
    },
    async leave(botIds) {
      for (const id of botIds) await call(`/v2/bots/${id}/leave`, null)
    },
    async replaceAll(signal) {
      const replaced: Replaced[] = []
      for (const member of [...fleet.members]) replaced.push(await fleet.replace(member, signal))
      return replaced
    },
    async close() {
      await fleet.close()
      receiver.close()
      await host.close()
      await Promise.all([apiProxy.close(), linkProxy.close()])
      await database.destroy()
      await (await startOwnPostgres({ folder, settings: SERVER })).stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
