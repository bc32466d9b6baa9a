/** Who is in a mock meeting besides the bot. */
import { randomInt } from 'node:crypto'
import type { MockPerson } from '../types.ts'

/** The data of a person on every platform. Each platform adds its own. */
export interface Person extends MockPerson {
  /** Names the person in the packets that carry the voice. */
  audioCsrc: number
  /** Which picture and voice, see packages/mock/media. */
  look: number
  isSpeaking: boolean
  isSharing: boolean
  isHandRaised: boolean
  /** When the person came in this time, UTC milliseconds. */
  joinedAt: number
}

const LOOKS = 48

export class People<P extends Person = Person> {
  private readonly people = new Map<string, P>()
  private readonly make: (base: Person) => P
  private nextLook = 0

  /** @param make adds what the platform knows of a person */
  constructor(make: (base: Person) => P) {
    this.make = make
  }

  add(person: MockPerson): P {
    if (this.people.has(person.id)) throw new Error(`There is a person ${person.id} in the meeting already`)
    const added = this.make({
      ...person,
      audioCsrc: randomInt(1, 2 ** 32 - 1),
      look: this.nextLook++ % LOOKS,
      isSpeaking: false,
      isSharing: false,
      isHandRaised: false,
      joinedAt: Date.now(),
    })
    this.people.set(person.id, added)
    return added
  }

  get(id: string): P {
    const person = this.people.get(id)
    if (!person)
      throw new Error(`No person in the meeting has the id ${id}; there are ${[...this.people.keys()].join(', ')}`)
    return person
  }

  find(id: string): P | undefined {
    return this.people.get(id)
  }

  remove(id: string): P {
    const person = this.get(id)
    this.people.delete(id)
    return person
  }

  all(): P[] {
    return [...this.people.values()]
  }
}
