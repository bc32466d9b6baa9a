/**
 * The end of the event journals: new events of bots that are followed are read once for all their followers in this
 * process. A hint of the process that stored them says when; without hints they are looked for every second.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { EVENT_TYPES } from '../../../bots/shown-events.ts'
import type { Log } from '../../../platform/ports.ts'
import { type EventPlaces, type ReadEvent, readEvents, readHeads } from '../../../store/bots/bot-events.ts'
import type { Database } from '../../../store/database.ts'

const LOOK_EVERY_MS = 1_000
/** After a failed read. */
const PAUSE_MS = 1_000
/** Of one statement. */
const MAX_BOTS = 500
const MAX_EVENTS = 2_000

type Listener = (events: readonly ReadEvent[]) => void

export class EventTail {
  readonly #database: Database
  readonly #log: Log
  readonly #timer: NodeJS.Timeout
  readonly #listeners = new Map<string, Set<Listener>>()
  readonly #teams = new Map<string, Set<() => void>>()
  /** How far each bot's journals were read. A bot without an entry is not read yet. */
  readonly #places = new Map<string, EventPlaces>()
  readonly #due = new Set<string>()
  #isReading = false
  #isClosed = false

  /** `database` shows the bots of all teams. */
  constructor(database: Database, log: Log) {
    this.#database = database
    this.#log = log
    this.#timer = setInterval(() => this.wake([]), LOOK_EVERY_MS)
    this.#timer.unref()
  }

  /** Calls `listener` when events of the team's bots were stored. The result ends that. */
  listen(teamId: string, listener: () => void): () => void {
    const ofTeam = this.#teams.get(teamId) ?? new Set()
    this.#teams.set(teamId, ofTeam.add(listener))
    return () => {
      ofTeam.delete(listener)
      if (ofTeam.size === 0 && this.#teams.get(teamId) === ofTeam) this.#teams.delete(teamId)
    }
  }

  /** Events of these bots and teams were stored; none: of any. */
  wake(ids: readonly string[]): void {
    for (const id of ids.length > 0 ? ids : this.#teams.keys())
      for (const listener of this.#teams.get(id) ?? []) listener()
    this.#wakeBots(ids)
  }

  #wakeBots(botIds: readonly string[]): void {
    for (const id of botIds.length > 0 ? botIds : this.#listeners.keys()) if (this.#places.has(id)) this.#due.add(id)
    if (this.#due.size > 0) void this.#read()
  }

  /** Resolves once `listener` gets every event of the bot that is stored from now on. The result ends that. */
  async follow(botId: string, listener: Listener): Promise<() => void> {
    const ofBot = this.#listeners.get(botId) ?? new Set()
    this.#listeners.set(botId, ofBot.add(listener))
    const leave = () => {
      ofBot.delete(listener)
      if (ofBot.size > 0 || this.#listeners.get(botId) !== ofBot) return
      this.#listeners.delete(botId)
      this.#places.delete(botId)
    }
    if (this.#places.has(botId)) return leave
    try {
      const heads = await readHeads(this.#database, botId)
      if (this.#listeners.get(botId) === ofBot && !this.#places.has(botId)) this.#places.set(botId, heads)
      return leave
    } catch (error) {
      leave()
      throw error
    }
  }

  close(): void {
    this.#isClosed = true
    clearInterval(this.#timer)
    this.#listeners.clear()
    this.#places.clear()
  }

  async #read(): Promise<void> {
    if (this.#isReading) return
    this.#isReading = true
    try {
      while (this.#due.size > 0 && !this.#isClosed) {
        const ids = [...this.#due].slice(0, MAX_BOTS)
        for (const id of ids) this.#due.delete(id)
        await this.#readBots(ids.filter((id) => this.#places.has(id)))
      }
    } finally {
      this.#isReading = false
    }
  }

  async #readBots(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return
    const known = new Map(ids.map((id) => [id, this.#places.get(id)!]))
    try {
      const read = await readEvents(this.#database, ids, { types: EVENT_TYPES, known, limit: MAX_EVENTS })
      // A bot without followers has no place any more; one that has a follower again has another place.
      for (const [id, places] of read.places)
        if (this.#places.get(id) === known.get(id)) this.#places.set(id, new Map([...known.get(id)!, ...places]))
      for (const [id, events] of Map.groupBy(read.events, ({ botId }) => botId))
        for (const listener of this.#listeners.get(id) ?? []) listener(events)
      if (read.isCutOff) for (const id of ids) this.#due.add(id)
    } catch (error) {
      this.#log.warn({ error: String(error) }, 'Events could not be read for their followers')
      await sleep(PAUSE_MS)
      for (const id of ids) this.#due.add(id)
    }
  }
}
