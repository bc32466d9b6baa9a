/**
 * Writes the events of all links in few transactions, and acknowledges what is committed. A link has at most one batch
 * on its way, so its events stay in order; batches of different links go side by side.
 */

import type { FinalReport } from '@standin/wire/events.ts'
import { countedSignals } from '@standin/wire/page-signals.ts'
import { type BotUsage, USAGE_PHASES } from '@standin/wire/usage.ts'
import { appendEvents, type Stored } from '../bots/actions/append-events.ts'
import { usageRowOf } from '../bots/usage.ts'
import type { Counted, Meters } from '../platform/meters.ts'
import type { Log } from '../platform/ports.ts'
import { type Traces, traceLife, traceOf } from '../platform/traces.ts'
import type { JournalBatch } from '../store/bots/events.ts'
import type { Database } from '../store/database.ts'
import { isDatabaseLost, mayPassLater } from '../store/lost-database.ts'
import { CLOSE, type Link } from './link.ts'

/** Milliseconds that events are gathered while other transactions run. Those that meet none begin one at once. */
const GATHER_MS = 10
/** Events of one transaction, and of one link in it. */
const MAX_EVENTS = 500
const MAX_OF_ONE_LINK = 200
/** Transactions at the same time. */
const RUNNING = 3

export interface EventWriterParts {
  database: Database
  log: Log
  meters: Meters
  traces: Traces
  /** Called after the commit and before the acknowledgement: messages that have to come first. */
  beforeAck(link: Link, stored: Stored): Promise<void>
  /** Called after the commit, with the bots of the events and their teams. */
  onStored(...ids: string[]): void
}

export class EventWriter {
  readonly #parts: EventWriterParts
  readonly #queue = new Set<Link>()
  readonly #busy = new Set<Link>()
  readonly #running = new Set<Promise<void>>()
  #timer: NodeJS.Timeout | undefined

  constructor(parts: EventWriterParts) {
    this.#parts = parts
  }

  /** The link has events, or asks for an acknowledgement again. */
  add(link: Link): void {
    if (this.#busy.has(link)) return
    this.#queue.add(link)
    const gatherMs = this.#running.size === 0 ? 0 : GATHER_MS
    if (this.#running.size < RUNNING) this.#timer ??= setTimeout(() => this.#start(), gatherMs)
  }

  forget(link: Link): void {
    this.#queue.delete(link)
  }

  /** Resolves when everything that was taken so far is committed or given back. */
  async settled(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running)
  }

  #start(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    while (this.#queue.size > 0 && this.#running.size < RUNNING) {
      const group = this.#nextGroup()
      const run = this.#write(group).finally(() => {
        this.#running.delete(run)
        for (const { link } of group) {
          this.#busy.delete(link)
          if (link.hasEvents) this.#queue.add(link)
        }
        if (this.#queue.size > 0) this.#timer ??= setTimeout(() => this.#start(), 0)
      })
      this.#running.add(run)
    }
  }

  #nextGroup(): Taken[] {
    const group: Taken[] = []
    let events = 0
    for (const link of this.#queue) {
      if (events >= MAX_EVENTS) break
      this.#queue.delete(link)
      this.#busy.add(link)
      const taken = link.oldest(Math.min(MAX_OF_ONE_LINK, MAX_EVENTS - events))
      events += taken.length
      group.push({
        link,
        oldestAt: taken.length > 0 ? link.oldestAt : null,
        batch: { ...link.owner, journalId: link.journalId!, events: taken },
      })
    }
    return group
  }

  async #write(group: Taken[]): Promise<void> {
    let stored: (Stored | null)[]
    try {
      stored = await appendEvents(
        this.#parts.database,
        group.map(({ batch }) => batch),
      )
    } catch (error) {
      await this.#refused(group, error)
      return
    }
    const written = group.filter(({ batch }) => batch.events.length > 0)
    if (written.length > 0)
      this.#parts.onStored(...written.flatMap(({ link }) => [link.owner.botId, link.owner.teamId]))
    this.#measure(group)
    if (this.#parts.traces.isOn) this.#trace(group, stored)
    await Promise.all(group.map(({ link, batch }, place) => this.#settle(link, batch, stored[place]!)))
  }

  /** One bot's events close its own link only, so the guilty link is searched for unless the database itself is lost. */
  async #refused(group: Taken[], error: unknown): Promise<void> {
    if (group.length > 1 && !isDatabaseLost(error)) {
      const half = Math.ceil(group.length / 2)
      await this.#write(group.slice(0, half))
      await this.#write(group.slice(half))
      return
    }
    const fields = { links: group.length, ...group[0]!.link.logFields, error: String(error) }
    this.#parts.log.warn(fields, 'Events could not be stored')
    const isPassing = mayPassLater(error)
    for (const { link } of group) {
      if (isPassing) link.close(CLOSE.tryAgain, 'events cannot be stored now')
      else link.close(CLOSE.policy, 'these events cannot be stored')
    }
  }

  #measure(committed: Taken[]): void {
    const now = performance.now()
    for (const { batch, oldestAt } of committed) {
      if (oldestAt === null) continue
      this.#parts.meters.time('event_commit', (now - oldestAt) / 1000, {})
      this.#parts.meters.count('events_stored', {}, batch.events.length)
      const last = batch.events.at(-1)?.event
      if (last?.type === 'final_report') this.#countReport(last)
    }
  }

  /** A bot of another version may count signals that are not known here. */
  #countReport({ meeting_platform: platform, recording_mode: mode, signals, reason, usage }: FinalReport): void {
    if (platform === null) return
    if (usage !== undefined) countUsage(this.#parts.meters, { platform, mode }, usage)
    if (reason !== undefined) this.#parts.meters.count('refusals', { platform, reason })
    if (signals === undefined) return
    this.#parts.meters.count('signal_reports', { platform })
    for (const signal of countedSignals(platform))
      if ((signals[signal] ?? 0) > 0) this.#parts.meters.count('page_signals', { platform, signal })
  }

  #trace(committed: Taken[], stored: readonly (Stored | null)[]): void {
    const { traces } = this.#parts
    const now = performance.now()
    for (const [place, { batch, oldestAt }] of committed.entries()) {
      const { bot, standing } = stored[place] ?? {}
      if (!bot || oldestAt === null) continue
      const attributes = {
        'standin.bot.id': bot.id,
        'standin.attempt': batch.attempt,
        'standin.events': batch.events.length,
      }
      const startedAt = Date.now() - (now - oldestAt)
      traces.begin('events', { parent: traceOf(bot), startedAt, attributes })?.end()
      if (standing !== 'closed') traceLife(traces, bot)
    }
  }

  async #settle(link: Link, { events }: JournalBatch, stored: Stored | null): Promise<void> {
    if (stored === null) {
      link.close(CLOSE.policy, 'the bot is unknown')
      return
    }
    if (stored.foreignTranscripts.length > 0)
      this.#parts.log.warn(
        { ...link.logFields, ids: stored.foreignTranscripts.length },
        'A bot reported transcripts of another team; they are not taken as its own',
      )
    try {
      await this.#parts.beforeAck(link, stored)
    } catch (error) {
      this.#parts.log.warn({ ...link.logFields, error: String(error) }, 'Commands of a bot could not be read')
      link.close(CLOSE.tryAgain, 'the database cannot be reached')
      return
    }
    link.ack(stored.lastSeq)
    const last = events.at(-1)
    // Another link of the journal has taken its place, or the journal was restored to an older state.
    if (last !== undefined && stored.lastSeq < last.seq)
      link.close(CLOSE.protocol, `expected event ${stored.lastSeq + 1}`)
    else link.settle(events.length)
  }
}

function countUsage(meters: Meters, bot: Counted['bot_core_seconds'], usage: BotUsage): void {
  const { core_ms, peak_memory_bytes, bytes_received, bytes_sent, bytes_stored, life_ms, phase_ms } = usageRowOf(usage)
  meters.count('bot_core_seconds', bot, core_ms / 1000)
  meters.count('bot_memory_gigabyte_seconds', bot, ((peak_memory_bytes ?? 0) / 1e9) * (life_ms / 1000))
  meters.count('bot_bytes', { ...bot, kind: 'received' }, bytes_received)
  meters.count('bot_bytes', { ...bot, kind: 'sent' }, bytes_sent)
  meters.count('bot_bytes', { ...bot, kind: 'stored' }, bytes_stored)
  for (const phase of USAGE_PHASES) meters.count('bot_phase_seconds', { ...bot, phase }, phase_ms[phase] / 1000)
}

interface Taken {
  link: Link
  batch: JournalBatch
  /** `performance.now()` of the arrival of its first event; null: there is none. */
  oldestAt: number | null
}
