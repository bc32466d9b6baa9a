/** The loop that finds bots whose time has come, admits them, and starts them. Any number of such loops may run. */
import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { RECORDING_MODES, type RecordingMode } from '@standin/wire/codes.ts'
import { inTurn } from '@standin/wire/time/in-turn.ts'
import { startLoop } from '@standin/wire/time/loop.ts'
import { admitDue } from '../../bots/actions/admit-due.ts'
import { changeBot } from '../../bots/actions/change-bot.ts'
import { gaveUp } from '../../bots/crash.ts'
import { pickupDelayed, waitsForRoom } from '../../bots/launch.ts'
import type { Capacity } from '../../platform/ports.ts'
import {
  claimDue,
  dueModes,
  dueWithoutReason,
  hasLateBots,
  hopelessBots,
  latePickups,
  lookForDue,
} from '../../store/bots/claims.ts'
import { startSeconds } from '../../store/launches/launches.ts'
import { traceEnd } from '../reconcile/trace-end.ts'
import { type Claim, type LaunchTools, launchBot, namesCredential } from './launch.ts'
import { LaunchWriter } from './launch-writer.ts'

const LEASE_SECONDS = 30
/**
 * Longest pause between two polls without hints; the due time of the next known bot ends it earlier. A bot that becomes
 * due in between is late by this time at most.
 */
const MAX_PAUSE_MS = 1_000
/** While bots wait for room at the launcher, which sends no hint when room becomes free. */
const FULL_PAUSE_MS = 250
/** Spreads the polls of several processes. */
const JITTER = 0.2
const AFTER_ERROR_MS = 1_000
/** How often the loop searches for late bots, and for bots that can no longer be started. */
const LATE_EVERY_MS = 10_000
/** How often the lead is measured again. */
const LEAD_EVERY_MS = 60_000
/** Seconds that a scheduled bot is started ahead of its join time, until enough starts were measured. */
const ASSUMED_LEAD_SECONDS = 15
const LEAD_LIMITS = { least: 5, most: 60 }
/** Started bots whose outcome is not stored yet. A burst is started first and stored beside that. */
const MAX_UNSTORED = 2_000
/** Bots of one claim and of one pass over late ones. */
const BATCH = 100
/** Bots whose tokens are fetched beside the starts, so that a slow provider does not hold up the other bots. */
const MAX_FETCHING = 64

const KEPT = 'The next room is kept for a bot that has waited longer'

type Modes = NonNullable<Capacity['modes']>

export interface DueLoop {
  /** Looks for due bots now. */
  wake(): void
  /** Claims no more and waits for the starts under way. */
  close(): Promise<void>
}

export interface DueSettings extends Omit<LaunchTools, 'writer'> {
  /** Starts at once. */
  concurrency: number
  /** Called when bots were claimed. */
  onClaim?: () => void
  leaseSeconds?: number
  /** Longest sleep, milliseconds, given the longest one without hints. */
  maxSleepMs?: (withoutHintsMs: number) => number
}

export function startDueLoop(settings: DueSettings): DueLoop {
  const { database, launcher, log, concurrency, maxSleepMs = (ms) => ms } = settings
  const leaseSeconds = settings.leaseSeconds ?? LEASE_SECONDS
  const tools: LaunchTools = { ...settings, writer: new LaunchWriter(database, launcher) }
  const underWay = new Set<Promise<void>>()
  const startInTurn = inTurn(concurrency)
  let leadSeconds = ASSUMED_LEAD_SECONDS
  let measuring = Promise.resolve()
  /** Starts that the launcher has not answered yet, and whether a token is fetched for them first. */
  const starting = new Map<Claim, boolean>()

  function start(claim: Claim): void {
    starting.set(claim, namesCredential(claim.bot))
    const freePlace = () => {
      starting.delete(claim)
      loop.wake()
    }
    const launch = launchBot(tools, claim, { startInTurn, onStarted: freePlace })
      .catch((error) => {
        // When the lease is over, another launcher takes the bot.
        const fields = { team: claim.bot.team_id, bot: claim.bot.id, attempt: claim.bot.attempt, error: String(error) }
        log.error(fields, 'Outcome of a launch could not be stored')
      })
      .finally(() => {
        underWay.delete(launch)
        freePlace()
      })
    underWay.add(launch)
  }

  /** How many more may be begun beside those under way. */
  function moreStarts(): number {
    const fetching = [...starting.values()].filter(Boolean).length
    const unstored = MAX_UNSTORED - underWay.size
    return Math.min(concurrency - (starting.size - Math.min(fetching, MAX_FETCHING)), unstored)
  }

  /**
   * Modes of which bots are started now: no bot overtakes one that has waited longer for its room. Undefined: all. `pending`
   * of the starts may not have taken their room yet.
   */
  async function startable(modes: Modes | undefined, pending: number): Promise<RecordingMode[] | undefined> {
    if (modes === undefined || Object.values(modes).every(({ free }) => free > pending)) return undefined
    const waiting = await dueModes(database)
    const full = waiting.findIndex((mode) => modes[mode].free === 0)
    const started = full === -1 ? waiting : waiting.slice(0, full)
    for (const { id, mode } of full === -1 ? [] : await dueWithoutReason(database, BATCH))
      if (!started.includes(mode)) await reportWait(id, modes[mode].reason ?? KEPT)
    return started
  }

  /** Null: the engine decides. */
  function freePlaces(places: Capacity | null, modes: readonly RecordingMode[] = RECORDING_MODES): number | null {
    if (places === null) return null
    const free = places.modes === undefined ? places.free : Math.min(...modes.map((mode) => places.modes![mode].free))
    return free - starting.size
  }

  async function claimAndStart(): Promise<number> {
    const places = await launcher.capacity()
    const modes = await startable(places?.modes, starting.size)
    if (places?.modes === undefined && places?.free === 0 && underWay.size === 0) await reportFull(places)
    const limit = Math.min(BATCH, moreStarts(), freePlaces(places, modes) ?? BATCH)
    if (limit <= 0 || modes?.length === 0) return 0
    const tokens = Array.from({ length: limit }, () => randomBytes(32).toString('base64url'))
    const hashes = tokens.map((token) => createHash('sha256').update(token).digest())
    const owner = randomUUID()
    const claimedAt = performance.now()
    const leaseEnds = claimedAt + leaseSeconds * 1000
    const rules = { owner, launcher: launcher.kind, limit, leaseSeconds, ...(modes && { modes }) }
    const claimed = await claimDue(database, rules, hashes)
    if (claimed.length > 0) {
      settings.meters?.count('claims', { queue: 'bots' }, claimed.length)
      settings.onClaim?.()
    }
    for (const [index, bot] of claimed.entries()) start({ bot, owner, claimedAt, leaseEnds, token: tokens[index]! })
    return claimed.length
  }

  async function reportFull({ limit, reason: own }: Capacity): Promise<void> {
    const reason = own ?? (limit === 1 ? 'One bot runs, which is the limit' : `${limit} bots run, which is the limit`)
    for (const { id } of await dueWithoutReason(database, BATCH)) await reportWait(id, reason)
  }

  async function reportWait(id: string, reason: string): Promise<void> {
    await changeBot(database, id, (bot, now) => (bot.phase === 'due' ? waitsForRoom(bot, reason, now) : null))
  }

  async function lookAfterLate(): Promise<void> {
    if (!(await hasLateBots(database))) return
    const message = 'The bot could not be started before its time in the meeting was over.'
    for (const id of await hopelessBots(database, BATCH)) {
      await changeBot(database, id, (bot, now) => {
        if (bot.phase !== 'due') return null
        return gaveUp(bot, bot.wait_reason === null ? message : `${message} ${bot.wait_reason}`, now)
      })
      await traceEnd(settings, id)
      log.warn({ bot: id }, 'Bot given up: it could not be started in time')
    }
    for (const id of await latePickups(database, BATCH)) await changeBot(database, id, pickupDelayed)
  }

  async function measureLead(): Promise<void> {
    try {
      const measured = await startSeconds(database, launcher.kind)
      if (measured === null) return
      leadSeconds = Math.min(LEAD_LIMITS.most, Math.max(LEAD_LIMITS.least, measured + 2))
    } catch (error) {
      log.warn({ error: String(error) }, 'The time that bots take to start could not be measured')
    }
  }

  const late = every(LATE_EVERY_MS, lookAfterLate)
  const lead = every(LEAD_EVERY_MS, async () => {
    // Not awaited: the earlier lead is good enough.
    measuring = measureLead()
  })

  async function round(): Promise<number> {
    await lead()
    const longestMs = maxSleepMs(MAX_PAUSE_MS)
    const { scheduled, due, next_in } = await lookForDue(database, leadSeconds, longestMs / 1000)
    let isAdmitting = scheduled
    const admit = async () => {
      try {
        return await admitDue(database, leadSeconds)
      } finally {
        isAdmitting = false
      }
    }
    // Beside an admission, which takes longer, claims follow each other.
    const claim = async () => {
      let sum = 0
      let count = await claimAndStart()
      while (count > 0) {
        sum += count
        count = isAdmitting ? await claimAndStart() : 0
      }
      return sum
    }
    const [admitted, claimed] = await both(scheduled ? admit() : 0, due ? claim() : 0)
    await late()
    if (claimed + admitted > 0) return 0
    return due ? FULL_PAUSE_MS : pauseUntil(next_in, longestMs)
  }

  const loop = startLoop(round, {
    onError: (error) => log.error({ error: String(error) }, 'Due bots could not be looked for'),
    afterErrorMs: AFTER_ERROR_MS,
  })
  return {
    wake: loop.wake,
    async close() {
      await loop.close()
      await Promise.all([...underWay.keys(), measuring])
    },
  }
}

/** Milliseconds, until just after the next bot is due. */
function pauseUntil(nextInSeconds: number | null, longestMs: number): number {
  const longest = longestMs * (1 - JITTER * Math.random())
  return nextInSeconds === null ? longest : Math.min(longest, Math.ceil(nextInSeconds * 1000) + 1)
}

/** Waits for both, then resolves with both results or rejects with the first error. */
async function both<A, B>(one: A, other: B): Promise<[Awaited<A>, Awaited<B>]> {
  await Promise.allSettled([one, other])
  return Promise.all([one, other])
}

/** Does the work at most once in this time. */
function every(ms: number, work: () => Promise<void>): () => Promise<void> {
  let last = Number.NEGATIVE_INFINITY
  return async () => {
    if (performance.now() - last < ms) return
    last = performance.now()
    await work()
  }
}
