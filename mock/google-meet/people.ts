/** Who is in a mock meeting besides the bot. */
import { randomInt } from 'node:crypto'
import type { MockPerson } from '../types.ts'
import type { PagePerson } from './page/protocol.ts'

export interface Person extends MockPerson {
  /** `spaces/<space>/devices/<n>`. */
  device: string
  audioCsrc: number
  look: number
  /** The device of the person's presentation. */
  shareDevice: string | null
  isSpeaking: boolean
  isMerged: boolean
  /** When the person came in this time, UTC milliseconds. */
  joinedAt: number
}

const LOOKS = 48

export class People {
  private readonly people = new Map<string, Person>()
  private readonly space: string
  private nextDevice = randomInt(11, 60)
  private nextLook = 0

  constructor(space: string) {
    this.space = space
  }

  newDevice(): string {
    this.nextDevice += randomInt(1, 9)
    return `spaces/${this.space}/devices/${this.nextDevice}`
  }

  add(person: MockPerson, isMerged: boolean): Person {
    if (this.people.has(person.id)) throw new Error(`There is a person ${person.id} in the meeting already`)
    const mergedWith = isMerged ? this.all().find((other) => other.isMerged) : undefined
    const added: Person = {
      ...person,
      device: person.id.startsWith('spaces/') ? person.id : this.newDevice(),
      audioCsrc: mergedWith?.audioCsrc ?? randomInt(1, 2 ** 32 - 1),
      look: this.nextLook++ % LOOKS,
      shareDevice: null,
      isSpeaking: false,
      isMerged,
      joinedAt: Date.now(),
    }
    this.people.set(person.id, added)
    return added
  }

  get(id: string): Person {
    const person = this.people.get(id)
    if (!person)
      throw new Error(`Nobody in the meeting has the id ${id}; there are ${[...this.people.keys()].join(', ')}`)
    return person
  }

  find(id: string): Person | undefined {
    return this.people.get(id)
  }

  remove(id: string): Person {
    const person = this.get(id)
    this.people.delete(id)
    return person
  }

  all(): Person[] {
    return [...this.people.values()]
  }
}

export function shownAs(person: Person): PagePerson {
  return {
    device: person.device,
    name: person.name,
    isSelf: false,
    isHost: person.isHost === true,
    camera: person.camera === true,
    muted: person.muted === true,
    speaking: person.isSpeaking,
    shareDevice: person.shareDevice,
    merged: person.isMerged,
  }
}
