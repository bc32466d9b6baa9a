import type { RtpSender } from './rtp-sender.ts'
import type { AudioFrame } from './voice-streams.ts'

/** Whose voice comes on which m-line, where each person has one. */
interface AudioSlot {
  mid: string
  streamId: string
  personId: string | null
}

interface Line extends AudioSlot {
  sender: RtpSender
}

/** The m-lines of one session that carry voices to the page: the loudest ones, a mix, or one for each person. */
export class VoiceLines {
  #lines: Line[] = []

  /** Applies the negotiated lines. A known line keeps its person. */
  setLines(lines: readonly { mid: string; streamId: string; sender: RtpSender }[]): void {
    this.#lines = lines.map((line) => {
      const known = this.#lines.find(({ mid }) => mid === line.mid)
      return { personId: known?.personId ?? null, ...line }
    })
  }

  slots(): AudioSlot[] {
    return this.#lines.map(({ mid, streamId, personId }) => ({ mid, streamId, personId }))
  }

  /** Gives each person a line, as far as there are lines, and takes theirs from those who are gone. */
  place(people: readonly string[]): void {
    for (const line of this.#lines) if (line.personId !== null && !people.includes(line.personId)) line.personId = null
    for (const id of people) {
      if (this.#lines.some(({ personId }) => personId === id)) continue
      const free = this.#lines.find(({ personId }) => personId === null)
      if (free) free.personId = id
    }
  }

  /** Gives a line's stream another name and another sender. */
  name(mid: string, streamId: string, sender: RtpSender): void {
    for (const line of this.#lines) if (line.mid === mid) Object.assign(line, { streamId, sender })
  }

  /** Sends the sound of one of the room's streams at a room time. */
  send(stream: number, frame: AudioFrame, roomMs: number): void {
    const line = frame.owner === null ? this.#lines[stream] : this.#lineOf(frame.owner)
    line?.sender.sendOpus(frame.data, roomMs, frame)
  }

  #lineOf(personId: string): Line | undefined {
    return this.#lines.find((line) => line.personId === personId)
  }
}
