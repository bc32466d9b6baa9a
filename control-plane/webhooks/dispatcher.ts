/**
 * Sends due deliveries. Any number of dispatchers share one database; a killed one's deliveries come back with its
 * leases.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { backoff } from '@standin/wire/time/backoff.ts'
import { endsWithin, systemClock } from '@standin/wire/time/deadline.ts'
import { startLoop } from '@standin/wire/time/loop.ts'
import { batched } from '../platform/batcher.ts'
import { type Meters, NO_METERS } from '../platform/meters.ts'
import {
  type ArtifactLinks,
  type Clock,
  type GuardedClient,
  type Log,
  LostSecret,
  type Seals,
} from '../platform/ports.ts'
import { NO_TRACES, type Traces } from '../platform/traces.ts'
import type { Database } from '../store/database.ts'
import {
  type DeliveredAttempt,
  dropOfDisabled,
  finishDelivered,
  finishFailed,
  hasLeftDeliveries,
  lookForDeliveries,
  postponeDelivery,
  releaseExpiredClaims,
} from '../store/webhooks/deliveries.ts'
import { type ClaimedDelivery, claimDeliveries } from '../store/webhooks/delivery-claims.ts'
import { failLostDelivery } from '../store/webhooks/lost-deliveries.ts'
import { type Attempted, type AttemptTools, attemptDelivery, type BuiltRequest, buildRequest } from './attempt.ts'
import { DEFAULT_DELAYS } from './schedule.ts'
import { measureAttempt, outcomeOf, spanOf } from './watching.ts'

const BATCH = 64
/** Longer than building a request and sending it may take: 50 s. */
const LEASE_SECONDS = 60
const BUILD_WITHIN_MS = 20_000
/**
 * Pause between two polls while something is due that cannot be claimed, or no hints arrive: short after something
 * happened, longer with each poll that finds nothing.
 */
const PAUSE_MS = { first: 40, max: 500, factor: 1.6, jitter: 0.2 }
/** Between two claims while requests are under way: their lanes get free one by one, and one claim takes many. */
const BETWEEN_CLAIMS_MS = 10
const RELEASE_EVERY_MS = 10_000
const AFTER_ERROR_MS = 1_000

export interface DispatcherSettings {
  database: Database
  client: GuardedClient
  seals: Seals
  links: ArtifactLinks
  clock: Clock
  log: Log
  meters?: Meters
  traces?: Traces
  /** Seconds between attempts (`STANDIN_WEBHOOK_DELAYS`). */
  delays?: readonly number[]
  /** Requests at once: in all, and of one endpoint. A team gets a third of all. */
  concurrency?: number
  perEndpoint?: number
  leaseSeconds?: number
  buildWithinMs?: number
  /** Longest sleep, milliseconds, given the longest one without hints. */
  maxSleepMs?: (withoutHintsMs: number) => number
  /** From 0 to 1; spreads the delays. */
  random?: () => number
}

export interface Dispatcher {
  /** Claims no more and waits for the requests under way, `patienceMs` at most. The rest comes back with its leases. */
  close(patienceMs?: number): Promise<void>
  /** Polls for due deliveries now. Call it after the commit that made some due. */
  wake(): void
}

export function startDispatcher(settings: DispatcherSettings): Dispatcher {
  const { database, log, meters = NO_METERS, traces = NO_TRACES, maxSleepMs = (ms) => ms } = settings
  const concurrency = settings.concurrency ?? 500
  const rules = {
    leaseSeconds: settings.leaseSeconds ?? LEASE_SECONDS,
    perEndpoint: settings.perEndpoint ?? 20,
    perTeam: Math.max(1, Math.floor(concurrency / 3)),
  }
  const tools: AttemptTools = {
    ...settings,
    delays: settings.delays ?? DEFAULT_DELAYS,
    random: settings.random ?? Math.random,
  }
  const storeDelivered = deliveredWriter(database)
  const underWay = new Set<Promise<void>>()
  const busyEndpoints: Record<string, number> = {}
  const busyTeams: Record<string, number> = {}
  let releasedAt = Number.NEGATIVE_INFINITY
  /** Polls in a row that found nothing. */
  let idlePolls = 0
  const wakeUp = () => {
    idlePolls = 0
    loop.wake()
  }

  async function deliver(delivery: ClaimedDelivery, claim: string): Promise<void> {
    const claimedAt = performance.now()
    const fields = {
      delivery: delivery.id,
      message: delivery.message_id,
      event: delivery.event,
      team: delivery.team_id,
      bot: delivery.bot_id,
    }
    try {
      const result = await sendRequest(delivery, claim, fields)
      if (result === null) return
      const seconds = delivery.message_age + (performance.now() - claimedAt) / 1000
      const isOurs = result.isDelivered
        ? await storeDelivered({ delivery, claim, result })
        : await finishFailed(database, delivery, claim, result)
      measureAttempt(meters, delivery, result, { seconds, isOurs })
      if (!isOurs) log.warn(fields, 'Webhook result ignored: the claim was lost')
      else if (!result.isDelivered) {
        const { error, status, nextInSeconds } = result
        log.info({ ...fields, error, status, nextInSeconds }, 'Webhook attempt failed')
      }
    } catch (error) {
      // When the lease is over, the delivery is sent again.
      log.error({ ...fields, error: String(error) }, 'Webhook result could not be stored')
    }
  }

  /** Null: nothing was sent, and that is stored. */
  async function sendRequest(
    delivery: ClaimedDelivery,
    claim: string,
    fields: Record<string, unknown>,
  ): Promise<Attempted | null> {
    const span = traces.begin('webhook', spanOf(delivery))
    let request: BuiltRequest
    try {
      request = await buildRequest(delivery, tools, settings.buildWithinMs ?? BUILD_WITHIN_MS)
      if (span !== null) request.headers.traceparent = span.traceparent
    } catch (error) {
      span?.end({ error: 'not built' })
      const isLost = error instanceof LostSecret && (await failLostDelivery(database, delivery, claim, error.message))
      if (isLost) {
        meters.count('webhooks_finished', { result: 'given_up' })
        log.error({ ...fields, error: String(error) }, 'A webhook is given up: a secret that it needs is lost')
        return null
      }
      log.error({ ...fields, error: String(error) }, 'A webhook could not be built; it is tried again later')
      await postponeDelivery(database, delivery.id, claim)
      return null
    }
    const result = await attemptDelivery(delivery, request, tools)
    span?.end(outcomeOf(result))
    return result
  }

  function start(delivery: ClaimedDelivery, claim: string): void {
    const { endpoint_id: endpoint, team_id: team } = delivery
    add(busyEndpoints, endpoint, 1)
    add(busyTeams, team, 1)
    const sent = deliver(delivery, claim).finally(() => {
      underWay.delete(sent)
      add(busyEndpoints, endpoint, -1)
      add(busyTeams, team, -1)
      wakeUp()
    })
    underWay.add(sent)
  }

  /** Whether there may be more at once. */
  async function claimOnce(): Promise<boolean> {
    const limit = Math.min(BATCH, concurrency - underWay.size)
    if (limit <= 0) return false
    const claim = randomUUID()
    const claimed = await claimDeliveries(database, { ...rules, claim, limit, busyEndpoints, busyTeams })
    if (claimed.length > 0) meters.count('claims', { queue: 'deliveries' }, claimed.length)
    for (const delivery of claimed) start(delivery, claim)
    return claimed.length > 0
  }

  async function takeBackLeft(): Promise<void> {
    if (!(await hasLeftDeliveries(database))) return
    const count = await releaseExpiredClaims(database)
    if (count > 0) meters.count('lease_losses', { work: 'delivery', how: 'expired' }, count)
    if (count > 0) log.warn({ count }, 'Webhook deliveries of an ended dispatcher are sent again')
    await dropOfDisabled(database)
  }

  async function round(): Promise<number> {
    if (underWay.size > 0) await sleep(BETWEEN_CLAIMS_MS)
    if (performance.now() - releasedAt >= RELEASE_EVERY_MS) {
      await takeBackLeft()
      releasedAt = performance.now()
    }
    const longestMs = maxSleepMs(PAUSE_MS.max)
    const { is_due: isDue, next_in: nextIn } = await lookForDeliveries(database, longestMs / 1000)
    const hasClaimed = isDue && (await claimOnce())
    idlePolls = hasClaimed ? 0 : idlePolls + 1
    if (hasClaimed) return 0
    const pause = backoff({ ...PAUSE_MS, random: tools.random }, idlePolls)
    if (isDue || longestMs <= PAUSE_MS.max) return pause
    return nextIn === null ? longestMs : Math.min(longestMs, Math.ceil(nextIn * 1000) + 1)
  }

  const loop = startLoop(round, {
    onError: (error) => log.error({ error: String(error) }, 'Webhook deliveries could not be claimed'),
    afterErrorMs: AFTER_ERROR_MS,
  })
  return {
    wake: wakeUp,
    async close(patienceMs = 10_000) {
      await loop.close()
      await endsWithin(systemClock, patienceMs, Promise.all(underWay))
    },
  }
}

/** Stores deliveries that reached their receivers. Resolves with false if the claim was lost. */
export function deliveredWriter(database: Database): (attempt: DeliveredAttempt) => Promise<boolean> {
  const write = async (attempts: readonly DeliveredAttempt[]) => {
    const ours = await finishDelivered(database, attempts)
    return attempts.map(({ delivery }) => ours.has(delivery.id))
  }
  // One statement is built while the other one is being committed.
  return batched(write, { maxItems: 100, maxWrites: 2, isolatesFailures: true })
}

function add(counts: Record<string, number>, id: string, change: number): void {
  const count = (counts[id] ?? 0) + change
  if (count === 0) delete counts[id]
  else counts[id] = count
}
