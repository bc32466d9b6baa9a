/**
 * Decides who is in the meeting, from several sources of different trust. Pure: records go in with their time, events
 * come out.
 *
 * The meeting's own channel is believed at once, and its HTTP form for names and arrivals. The page (tiles, people
 * panel) names people whom the other two never named, and shows who is gone: the channel may have begun after they left,
 * or have been down meanwhile. Tiles and rows are virtual: absence from them in one poll proves nothing.
 */
import { createRosterReporter, type RosterReporter } from '../../shared/page/people/roster-reporter.ts'
import type { PageEvent, PageParticipant } from '../../shared/page/types.ts'
import type { OutputRecord, UserRecord } from './collections.ts'

export type RosterSource = 'channel' | 'http' | 'page'

/** A participant as the page shows it: a tile or a row of the panel. */
export interface SeenPerson {
  id: string
  name: string
  isSelf: boolean
}

/** Polls without a trace of a person whom the channel never named, before the person counts as gone. */
const ABSENCES = 3
/** The same for a person of the channel: ten seconds, since the page follows the channel late. */
const CHANNEL_ABSENCES = 40

interface Known {
  participant: PageParticipant
  source: RosterSource
  isIn: boolean
  absences: number
}

export class Roster {
  readonly #rosterReporter: RosterReporter
  readonly #people = new Map<string, Known>()
  readonly #selfIds = new Set<string>()
  /** Screen shares: device to parent. */
  readonly #shares = new Map<string, string>()
  readonly #outputs = new Map<string, OutputRecord>()
  #hasOwnMark = false
  #ownStatus: number | null = null
  #source: RosterSource | null = null

  constructor(botName: string, emit: (event: PageEvent) => void) {
    this.#rosterReporter = createRosterReporter(botName, emit)
  }

  get source(): RosterSource | null {
    return this.#source
  }

  get ownStatus(): number | null {
    return this.#ownStatus
  }

  /** From now on the roster emits events; first those of the people who are already there. */
  begin(at: number): void {
    this.#rosterReporter.begin(at)
    this.#report(at)
  }

  takeUsers(users: readonly UserRecord[], source: 'channel' | 'http', at: number): void {
    for (const user of users) {
      // A presentation of the bot is another device, whose end is not that of the bot.
      if (user.isSelf && user.parentId === null) {
        this.#markSelf(user.id, true)
        if (source === 'channel' || this.#ownStatus === null) this.#ownStatus = user.status ?? this.#ownStatus
        continue
      }
      if (this.#selfIds.has(user.id) && user.status !== null && source === 'channel') this.#ownStatus = user.status
      const isIn = user.status === null ? (this.#people.get(user.id)?.isIn ?? true) : user.status === 1
      if (user.parentId !== null) {
        if (isIn) this.#shares.set(user.id, user.parentId)
        else this.#shares.delete(user.id)
        this.#people.delete(user.id)
        continue
      }
      const known = this.#people.get(user.id)
      // The HTTP form is delayed: it never overrides the channel.
      if (known?.source === 'channel' && source === 'http') continue
      const name = user.name || known?.participant.name || 'Unknown'
      const participant = { id: user.id, name, isHost: user.isHost }
      this.#people.set(user.id, { participant, source, isIn, absences: 0 })
    }
    if (users.length > 0 && this.#source !== 'channel') this.#source = source
    this.#report(at)
  }

  takeOutputs(outputs: readonly OutputRecord[]): void {
    for (const output of outputs) this.#outputs.set(`${output.kind}/${output.deviceId}`, output)
  }

  /**
   * `count` is the number of people in the call with the bot, if a label says so. `shares` are tiles of shared
   * screens.
   */
  takePage(seen: readonly SeenPerson[], shares: ReadonlyMap<string, string>, count: number | null, at: number): void {
    for (const { id, isSelf } of seen) if (isSelf && !this.#hasOwnMark) this.#markSelf(id, false)
    const ids = new Set(seen.map(({ id }) => id))
    if (this.#source !== 'channel') {
      this.#shares.clear()
      for (const [id, parentId] of shares) this.#shares.set(id, parentId)
    }
    for (const { id, name } of seen) {
      if (this.#shares.has(id)) continue
      const known = this.#people.get(id)
      if (known && known.source !== 'page') continue
      const participant = { id, name: name || known?.participant.name || 'Unknown', isHost: false }
      this.#people.set(id, { participant, source: 'page', isIn: true, absences: 0 })
      this.#source ??= 'page'
    }
    const present = this.present().length
    const others = count === null ? null : count - (this.#selfIds.size > 0 ? 1 : 0)
    for (const [id, known] of this.#people) {
      if (known.source === 'channel' || !known.isIn) continue
      known.absences = ids.has(id) ? 0 : known.absences + 1
      const mayBeUnseen = others === null ? known.source === 'http' : present <= others
      if (known.absences >= ABSENCES && !mayBeUnseen) known.isIn = false
    }
    this.#noteMissing(ids, others)
    this.#report(at)
  }

  /** Those of the channel are missing while the page shows none of them, and counts as many people less. */
  #noteMissing(ids: ReadonlySet<string>, others: number | null): void {
    const present = this.#present()
    const missing = present.filter(({ source, participant }) => source === 'channel' && !ids.has(participant.id))
    const areGone = others !== null && missing.length <= present.length - others
    for (const [id, known] of this.#people) {
      if (known.source !== 'channel') continue
      if (ids.has(id)) known.absences = 0
      else if (missing.includes(known)) known.absences = areGone ? known.absences + 1 : 0
    }
  }

  /** Others in the meeting, in the order in which they were first seen. */
  present(): PageParticipant[] {
    return this.#present().map(({ participant }) => participant)
  }

  #present(): Known[] {
    return [...this.#people.values()].filter((known) => isPresent(known) && !this.isSelf(known.participant.id))
  }

  /** The only person of this name; null if there is none, or more than one. */
  named(name: string): PageParticipant | null {
    const named = this.present().filter((person) => person.name === name)
    return named.length === 1 ? named[0]! : null
  }

  isSelf(id: string): boolean {
    return this.#selfIds.has(id)
  }

  /** The one device that is certainly the bot's; null while no mark was seen. */
  ownId(): string | null {
    return [...this.#selfIds].at(-1) ?? null
  }

  nameOf(id: string): string | null {
    return this.#people.get(this.#shares.get(id) ?? id)?.participant.name ?? null
  }

  /** Participants behind a contributing source; several in a merged room, none if it is not known. */
  ownersOfSource(csrc: number): string[] {
    const wanted = String(csrc)
    return [...this.#outputs.values()]
      .filter(({ kind, streamId }) => kind === 'audio' && streamId === wanted)
      .map(({ deviceId }) => deviceId)
      .filter((id) => !this.isSelf(id) && !this.#shares.has(id) && isPresent(this.#people.get(id)))
  }

  videoOf(deviceId: string): OutputRecord | null {
    return this.#outputs.get(`video/${deviceId}`) ?? null
  }

  shares(): ReadonlyMap<string, string> {
    return this.#shares
  }

  #markSelf(id: string, isCertain: boolean): void {
    // The page's sign may be stale or belong to another person; the roster's statement is certain and replaces it.
    if (isCertain && !this.#hasOwnMark) this.#selfIds.clear()
    if (isCertain) this.#hasOwnMark = true
    this.#selfIds.add(id)
  }

  #report(at: number): void {
    const sharing = [...this.#shares.values()].filter((id) => !this.isSelf(id))
    this.#rosterReporter.update({ people: this.present(), selfIsKnown: this.#selfIds.size > 0, sharing }, at)
  }
}

/** A device without a person may be one whose name comes later. */
function isPresent(known: Known | undefined): boolean {
  if (known === undefined) return true
  return known.isIn && (known.source !== 'channel' || known.absences < CHANNEL_ABSENCES)
}
