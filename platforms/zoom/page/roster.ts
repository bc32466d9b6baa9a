/**
 * Decides who is in the meeting. Pure: the page's signs go in, people with ids come out. The page gives no id that all
 * people have, so ids are the roster's own. Names of the participants panel decide; video players distinguish people of
 * the same name.
 */
import type { SeenList, SeenRow } from './people-panel.ts'
import type { SeenTile } from './tiles.ts'

export interface Person {
  /** Stable while the person is in the meeting. */
  id: string
  name: string
  isHost: boolean
  /** Zoom's own number, as far as a video player or a chat message shows it. */
  userId: number | null
}

/** After so long without the participants panel, tiles replace it. Milliseconds. */
const LIST_STALE_MS = 4000
/** The list is read again for new names, this long after the last time. Milliseconds. */
const LIST_OLD_MS = 45_000
/** Polls without a trace of a person whom only a tile named, before the person counts as gone. */
const ABSENCES = 12

interface Known extends Person {
  absences: number
}

export class Roster {
  readonly #botName: string
  readonly #document: string
  #people: Known[] = []
  #ownUserId: number | null = null
  #counter = 0
  #listAt: number | null = null
  #listCount: number | null = null
  #hasOwnRow = false
  /** A tile shows a name that no known person has. */
  #hasNewName = false

  /** `document` distinguishes the ids of one document from those of the next, in which other people may come first. */
  constructor(botName: string, document = '') {
    this.#botName = botName
    this.#document = document
  }

  /** Whether the bot is surely none of these people. `count` is the number of people with the bot, as the page says. */
  selfIsKnown(count: number | null): boolean {
    if (this.#hasOwnRow) return true
    const isNamesake = this.#people.some(({ name }) => name === this.#botName)
    return !isNamesake && count !== null && this.#people.length === count - 1
  }

  /** Others in the meeting, in the order in which they were first seen. */
  present(): Person[] {
    return this.#people.map(({ absences: _, ...person }) => person)
  }

  ofUser(userId: number): Person | null {
    return this.#people.find((person) => person.userId === userId) ?? null
  }

  /** Null if no person, or more than one, has this name. */
  named(name: string): Person | null {
    const namesakes = this.#people.filter((person) => person.name === name)
    return namesakes.length === 1 ? namesakes[0]! : null
  }

  isSelf(userId: number | null): boolean {
    return userId !== null && userId === this.#ownUserId
  }

  /** `userId` is the bot's own, as its own chat messages show it. */
  takeOwn(userId: number): void {
    this.#ownUserId = userId
    for (const person of this.#people) if (person.userId === userId) person.userId = null
  }

  /** The owner of a sound, found in another way. */
  takeOwner(userId: number, id: string): void {
    const person = this.#people.find((known) => known.id === id)
    if (person && person.userId === null && !this.ofUser(userId)) person.userId = userId
  }

  /** The sender of a message, by Zoom's number and the name beside it. */
  takeSender(userId: number, name: string): void {
    if (userId === this.#ownUserId || this.ofUser(userId)) return
    const person = this.named(name) as Known | null
    if (person && person.userId === null) person.userId = userId
  }

  /**
   * Whether the participants panel may know more than the roster. `count` is the number of people, as the page says.
   */
  isListDue(count: number | null, at: number): boolean {
    if (this.#listAt === null || this.#hasNewName || at - this.#listAt > LIST_OLD_MS) return true
    return count !== null && count !== this.#listCount
  }

  /** The complete participants panel. */
  takeList({ rows, isOneLook }: SeenList, count: number | null, at: number): void {
    this.#listAt = at
    this.#listCount = count
    this.#hasNewName = false
    this.#hasOwnRow = rows.some(({ isSelf }) => isSelf)
    const others = rows.filter(({ isSelf, name }) => !isSelf && name !== '')
    const left = [...others]
    const stay = new Map<Known, SeenRow>()
    for (const person of this.#people) {
      const index = left.findIndex(({ name }) => name === person.name)
      if (index >= 0) stay.set(person, left.splice(index, 1)[0]!)
    }
    const gone = this.#people.filter((person) => !stay.has(person))
    // One person missing and one new in one poll are the same person under another name; in a longer walk both may be
    // true.
    const isRename = isOneLook && gone.length === 1 && left.length === 1 && this.#people.length === others.length
    if (isRename) stay.set(gone[0]!, left.splice(0, 1)[0]!)
    for (const [person, row] of stay) {
      person.name = row.name
      person.isHost = row.isHost
      person.absences = 0
    }
    this.#people = this.#people.filter((person) => stay.has(person))
    for (const row of left) this.#add(row.name, row.isHost)
  }

  /**
   * The tiles in view, with their owners; null for the bot's own and for those that could be of several people. `count`
   * is the number of people with the bot, as the page says.
   */
  takeTiles(tiles: readonly SeenTile[], count: number | null, at: number): (Person | null)[] {
    const isListFresh = this.#listAt !== null && at - this.#listAt < LIST_STALE_MS
    const owners: (Known | null)[] = tiles.map(() => null)
    const isFree = (person: Known) => !owners.includes(person)
    // First by number, which is certain, then by name.
    tiles.forEach(({ userId }, index) => {
      if (userId === null || userId === this.#ownUserId) return
      const person = this.#people.find((known) => known.userId === userId)
      if (person && isFree(person)) owners[index] = person
    })
    tiles.forEach((tile, index) => {
      if (owners[index] || tile.name === '' || this.isSelf(tile.userId)) return
      const namesakes = this.#people.filter((person) => person.name === tile.name)
      if (this.#isOwnName(tile.name, namesakes.length, tiles)) return
      const free = namesakes.filter((person) => isFree(person) && (person.userId === null || tile.userId === null))
      const isNew = namesakes.length === 0 && !isListFresh
      // Where all people are known, a new name belongs to one of them; the list will show to whom.
      const hasRoom = this.#listAt === null || (count !== null && this.#people.length < count - 1)
      if (isNew && !hasRoom) this.#hasNewName = true
      const person = free[0] ?? (isNew && hasRoom ? this.#add(tile.name, false) : null)
      if (!person) return
      owners[index] = person
      if (tile.userId !== null && person.userId === null && !this.ofUser(tile.userId)) person.userId = tile.userId
    })
    if (!isListFresh) this.#forgetAbsent(new Set(owners), count)
    return owners
  }

  /**
   * Of as many tiles under the bot's name as there are namesakes and the bot, one is the bot's own; which one is
   * unknown.
   */
  #isOwnName(name: string, namesakes: number, tiles: readonly SeenTile[]): boolean {
    if (name !== this.#botName) return false
    return namesakes === 0 || tiles.filter((tile) => tile.name === name).length > namesakes
  }

  /**
   * Only some people have tiles: a person without one is gone only if so many are missing that it can be no other
   * person.
   */
  #forgetAbsent(seen: ReadonlySet<Known | null>, count: number | null): void {
    for (const person of this.#people) person.absences = seen.has(person) ? 0 : person.absences + 1
    const absent = this.#people.filter(({ absences }) => absences >= ABSENCES)
    const tooMany = count === null ? absent.length : this.#people.length - (count - 1)
    if (absent.length <= tooMany) this.#people = this.#people.filter((person) => !absent.includes(person))
  }

  #add(name: string, isHost: boolean): Known {
    const id = `participant-${this.#document}${++this.#counter}`
    const person = { id, name, isHost, userId: null, absences: 0 }
    this.#people.push(person)
    return person
  }
}
