/**
 * Decides who is in the meeting, from sources of different trust. Pure: records go in with their time, and the people
 * come out.
 *
 * The meeting's signalling is believed at once. The client's call object adds people whom the signalling never named
 * (those who came before the bot). Tiles and rows of the page count for people whom neither knows: the page knows names
 * only, and shows them late and in part, so a person that only the page shows has to stay for a while, and a missing
 * one proves little. Without a call object the page also shows who left while the signalling was down.
 */
import type { PageParticipant } from '../../shared/page/types.ts'
import type { CallView } from './call-object.ts'
import type { PersonRecord, StreamRecord } from './signalling.ts'
import type { RosterSource } from './types.ts'

/**
 * A person whom only the page shows counts after this, longer than a name takes to resolve
 * (docs/platform-notes/microsoft-teams.md#tiles-and-names).
 */
const PAGE_STANDS_MS = 3000
/** And counts as gone after this. */
const PAGE_GONE_MS = 3000
/**
 * Polls of the call object, or without one of the page, that lack a person, before the person counts as gone: one whom
 * only the call object named, and one whom the signalling named and may have lost.
 */
const ABSENCES = { call: 3, push: 20 } as const

/** Applications and bots have keys of this kind. */
const BOT_MRI = '28:'

export interface PageView {
  /** Names in tiles of others, with repetitions; empty names are left out. */
  tiles: readonly string[]
  /** The same of the rows of the people panel. */
  rows: readonly string[]
  /** The bot's own tile has its mark. */
  hasOwnMark: boolean
  /** Number of people in the call with the bot; null if no badge shows it. */
  count: number | null
  /** The page says that no more people are in the call; null if it does not. */
  atMost: number | null
}

interface Known {
  id: string
  name: string
  isHost: boolean
  isBot: boolean
  /** As it was said. Absences make a person gone as well, until the call object lists the person again. */
  isIn: boolean
  source: 'push' | 'call'
  absences: number
  streams: StreamRecord[]
}

interface PagePerson {
  id: string
  name: string
  firstSeenAt: number
  lastSeenAt: number
}

export class People {
  readonly #nameOf: (shown: string) => string
  readonly #isOwn: (name: string) => boolean
  readonly #known = new Map<string, Known>()
  readonly #page = new Map<string, PagePerson>()
  #selfMri: string | null = null
  #hasOwnMark = false
  #source: RosterSource | null = null
  #call: CallView | null = null
  /** The page has a badge with more people than are visible. */
  #mayBeUnseen = false

  /** `nameOf` removes badges; empty for a label that is no person's name. `isOwn`: the name may be the bot's. */
  constructor(names: { nameOf(shown: string): string; isOwn(name: string): boolean }) {
    this.#nameOf = names.nameOf
    this.#isOwn = names.isOwn
  }

  get source(): RosterSource | null {
    return this.#source
  }

  get selfIsKnown(): boolean {
    return this.#selfMri !== null || this.#hasOwnMark
  }

  get selfMri(): string | null {
    return this.#selfMri
  }

  takePush(people: readonly PersonRecord[]): void {
    for (const record of people) this.#merge(record, 'push')
    if (people.length > 0 && this.#source !== 'call') this.#source = 'push'
  }

  /** The present call object; null if the client exposes none. */
  takeCall(call: CallView | null): void {
    this.#call = call
    if (!call) return
    this.#selfMri = call.selfMri ?? this.#selfMri
    if (this.#selfMri !== null || call.people.length > 0) this.#source = 'call'
    for (const record of call.people) {
      const known = this.#known.get(record.mri)
      if (known) known.absences = 0
      // The signalling is newer than the object that follows it, but may have fewer fields.
      if (known?.source !== 'push') this.#merge(record, 'call')
      else {
        known.name ||= this.#called(record)
        if (known.streams.length === 0) known.streams = record.streams ?? []
      }
    }
    const listed = new Set(call.people.map(({ mri }) => mri))
    for (const [mri, known] of this.#known) {
      // An empty list may be one that is not filled yet.
      if (listed.has(mri) || (known.source === 'push' && listed.size === 0)) continue
      known.absences++
    }
  }

  takePage({ tiles, rows, hasOwnMark, count, atMost }: PageView, at: number): void {
    this.#hasOwnMark ||= hasOwnMark
    if (hasOwnMark && this.#selfMri === null) this.#findSelf()
    const shown = new Map<string, number>()
    for (const names of [tiles, rows]) {
      for (const [name, times] of counted(names)) shown.set(name, Math.max(times, shown.get(name) ?? 0))
    }
    if (this.#source === 'call') {
      // The call object lists all people; a tile that lingers is no person.
      this.#page.clear()
      return
    }
    this.#noteMissing(shown, atMost)
    const known = counted(this.#others().map(({ name }) => name))
    for (const [name, times] of shown) {
      const alone = times - (known.get(name) ?? 0)
      for (let index = 1; index <= alone; index++) {
        const id = index === 1 ? `page:${name}` : `page:${name}#${index}`
        const before = this.#page.get(id)
        this.#page.set(id, { id, name, firstSeenAt: before?.firstSeenAt ?? at, lastSeenAt: at })
        this.#source ??= 'page'
      }
    }
    this.#mayBeUnseen = count !== null && this.#others().length + this.#page.size <= count - 1
    for (const person of this.#page.values()) {
      const isShort = person.lastSeenAt - person.firstSeenAt < PAGE_STANDS_MS
      if (at - person.lastSeenAt >= PAGE_GONE_MS && (isShort || !this.#mayBeUnseen)) this.#page.delete(person.id)
    }
  }

  /** People are missing while the page shows none of them, and counts as many less. */
  #noteMissing(shown: ReadonlyMap<string, number>, atMost: number | null): void {
    if (this.#selfMri === null) return
    const others = this.#others()
    const missing = others.filter(({ name }) => !shown.has(name))
    const areGone = atMost !== null && missing.length <= others.length - (atMost - 1)
    for (const known of others) known.absences = areGone && missing.includes(known) ? known.absences + 1 : 0
  }

  /** Others in the meeting, in the order in which they were first seen. */
  present(): PageParticipant[] {
    const known = this.#others().map(({ id, name, isHost, isBot }) => ({ id, name, isHost, ...(isBot && { isBot }) }))
    const page = [...this.#page.values()]
      .filter(({ firstSeenAt, lastSeenAt }) => lastSeenAt - firstSeenAt >= PAGE_STANDS_MS)
      .map(({ id, name }) => ({ id, name, isHost: false }))
    return [...known, ...page]
  }

  /** The one person of this name; null if there is none, or if there are several. */
  idOfName(name: string): string | null {
    const named = this.present().filter((person) => person.name === name)
    return named.length === 1 ? named[0]!.id : null
  }

  idOfMri(mri: string): string | null {
    const known = this.#known.get(mri)
    return known && isPresent(known) && mri !== this.#selfMri ? known.id : null
  }

  /** Participants behind a contributing source; none if they are unknown: unknown is better than wrong. */
  ownersOfSource(source: number): string[] {
    const called = this.#call?.ownerOfSource(source) ?? null
    if (called !== null) {
      const id = this.idOfMri(called)
      return id === null ? [] : [id]
    }
    return this.#others()
      .filter(({ streams }) => streams.some(({ type, sourceId }) => type === 'audio' && sourceId === source))
      .map(({ id }) => id)
  }

  /** Who shares a screen, as the signalling says. */
  sharing(): string[] {
    return this.#others()
      .filter(({ streams }) => streams.some(({ type, isSent }) => type === 'screen' && isSent))
      .map(({ id }) => id)
  }

  /** Whether the camera is on; null if the signalling does not say. */
  sendsVideo(id: string): boolean | null {
    const streams = [...this.#known.values()].find((known) => known.id === id)?.streams ?? []
    const videos = streams.filter(({ type }) => type === 'video')
    return videos.length === 0 ? null : videos.some(({ isSent }) => isSent)
  }

  #others(): Known[] {
    return [...this.#known]
      .filter(([mri, known]) => isPresent(known) && known.name !== '' && mri !== this.#selfMri)
      .map(([, known]) => known)
  }

  #merge(record: PersonRecord, source: Known['source']): void {
    const { mri } = record
    const before = this.#known.get(mri)
    const name = this.#called(record) || before?.name || ''
    const isIn = record.isIn ?? before?.isIn ?? true
    const known: Known = {
      id: before?.id ?? this.#idFor(mri, name),
      name,
      isHost: record.isHost ?? before?.isHost ?? false,
      isBot: mri.startsWith(BOT_MRI),
      isIn,
      source,
      absences: 0,
      streams: record.streams ?? before?.streams ?? [],
    }
    // Entries without a name are services of the meeting; a person whose name comes later gets an id then.
    if (before?.name === '' && name !== '') known.id = this.#idFor(mri, name)
    this.#known.set(mri, known)
  }

  /**
   * The bot is in, and the signalling lists it like every other participant: the newest of its name is the bot. The
   * client's own object corrects it.
   */
  #findSelf(): void {
    const own = [...this.#known].findLast(([, known]) => isPresent(known) && this.#isOwn(known.name))
    if (own) this.#selfMri = own[0]
  }

  /** Empty for an entry to which the platform gives no name: a service of the meeting. */
  #called({ name }: PersonRecord): string {
    return name ? this.#nameOf(name) || 'Unknown' : ''
  }

  /** A person whom the page showed first keeps the id under which it was reported. */
  #idFor(mri: string, name: string): string {
    const shown = [...this.#page.values()].find((person) => person.name === name)
    if (name === '' || !shown || mri === this.#selfMri) return mri
    this.#page.delete(shown.id)
    const isTaken = [...this.#known.values()].some(({ id }) => id === shown.id)
    return isTaken ? mri : shown.id
  }
}

function isPresent({ isIn, source, absences }: Known): boolean {
  return isIn && absences < ABSENCES[source]
}

function counted(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const name of names) if (name !== '') counts.set(name, (counts.get(name) ?? 0) + 1)
  return counts
}
