/** Records the true times of events, for comparison with the reports of a bot. */
import type { MockTruth } from '../types.ts'

export class TruthRecord implements MockTruth {
  admittedAt: number | null = null
  leftAt: number | null = null
  readonly turns: MockTruth['turns'] = []
  readonly presence: MockTruth['presence'] = []
  readonly chat: MockTruth['chat'] = []
  private readonly flashes: () => readonly number[]

  constructor(flashes: () => readonly number[]) {
    this.flashes = flashes
  }

  get beeps(): number[] {
    return [...this.flashes()]
  }

  botJoined(): void {
    this.admittedAt = Date.now()
    this.leftAt = null
  }

  botLeft(): void {
    if (this.admittedAt !== null) this.leftAt ??= Date.now()
  }

  joined(person: { id: string; name: string }): void {
    this.presence.push({ personId: person.id, name: person.name, joinedAt: Date.now(), leftAt: null })
  }

  left(id: string): void {
    const stay = this.presence.findLast((entry) => entry.personId === id && entry.leftAt === null)
    if (stay) stay.leftAt = Date.now()
  }

  renamed(id: string, name: string): void {
    const stay = this.presence.findLast((entry) => entry.personId === id && entry.leftAt === null)
    if (stay) stay.name = name
  }

  turn(personId: string, name: string, startedAt: number, endedAt: number | null): void {
    const known = this.turns.find((turn) => turn.personId === personId && turn.startedAt === startedAt)
    if (known) known.endedAt = endedAt
    else this.turns.push({ personId, name, startedAt, endedAt })
  }

  said(senderId: string | null, senderName: string, text: string, at: number): void {
    this.chat.push({ senderId, senderName, text, at })
  }
}
