import type { BotEvent, Transcript } from '@standin/wire/events.ts'
import { shownBytes } from '@standin/wire/text/shown-bytes.ts'
import { systemClock } from '@standin/wire/time/deadline.ts'
import { shownDuration, shownText } from './shown-text.ts'
import { LEFT_EARLY, STATUS_WORDS } from './view.ts'

const SIGNS: Readonly<Record<string, string>> = {
  in_call_recording: '● ',
  recording_resumed: '● ',
  recording_paused: '‖ ',
}

/** A partial transcript without a final one is removed after this time. */
const PARTIAL_SHOWN_MS = 10_000

/** The facts of the status line, kept from events. */
export class LiveState {
  #status = 'starting'
  #since = systemClock.now()
  #bytes = 0
  #seconds = 0
  #progressAt: number | null = null
  #partial: { words: Transcript; at: number } | null = null
  readonly #present = new Set<number>()
  readonly #speaking = new Map<number, string>()

  onEvent(event: BotEvent, now = systemClock.now()): void {
    switch (event.type) {
      case 'status_change':
        if (event.status === 'recording_paused') this.#seconds = this.#recorded(now)
        this.#status = event.error_code === LEFT_EARLY ? 'left' : event.status
        this.#since = now
        if (event.status === 'in_call_recording' || event.status === 'recording_resumed') this.#progressAt = now
        break
      case 'participant_joined':
        this.#present.add(event.participant.id)
        break
      case 'participant_left':
        this.#present.delete(event.participant.id)
        this.#speaking.delete(event.participant.id)
        break
      case 'speaker':
        if (event.is_speaking) this.#speaking.set(event.participant.id, event.participant.name)
        else this.#speaking.delete(event.participant.id)
        break
      case 'transcript':
        this.#partial = null
        break
      case 'recording_progress':
        this.#bytes = event.bytes
        this.#seconds = event.seconds
        this.#progressAt = now
        break
    }
  }

  /** A partial transcript stays in the line until it is final. */
  onPartial(words: Transcript, now = systemClock.now()): void {
    this.#partial = { words, at: now }
  }

  /** Fits the width: what matters most comes first. */
  line(width: number, now = systemClock.now()): string {
    const isRecording = this.#status === 'in_call_recording' || this.#status === 'recording_resumed'
    const time = isRecording || this.#status === 'recording_paused' ? this.#recorded(now) : (now - this.#since) / 1000
    const words = `${SIGNS[this.#status] ?? ''}${STATUS_WORDS[this.#status] ?? this.#status}`
    const parts = [words, shownDuration(time)]
    if (this.#present.size > 0) parts.push(`${this.#present.size} ${this.#present.size === 1 ? 'person' : 'people'}`)
    const said = this.#said(width - parts.join(' · ').length - 3, now)
    if (said !== null) parts.push(said)
    else if (this.#speaking.size > 0)
      parts.push(`${[...this.#speaking.values()].map((name) => shownText(name, 30)).join(', ')} speaking`)
    if (this.#bytes > 0) parts.push(shownBytes(this.#bytes))
    return shownText(parts.join(' · '), Math.max(20, width))
  }

  /** The end of what is being said: who reads along has read its beginning. */
  #said(room: number, now: number): string | null {
    if (this.#partial === null || now - this.#partial.at > PARTIAL_SHOWN_MS) return null
    const { speaker, text } = this.#partial.words
    const name = `${shownText(speaker?.name ?? 'Unknown', 20)}: `
    const characters = [...shownText(text, Number.POSITIVE_INFINITY)]
    const left = room - [...name].length
    if (left < 10) return null
    return name + (characters.length <= left ? characters.join('') : `…${characters.slice(1 - left).join('')}`)
  }

  /** Reports come every few seconds; in between the clock counts on. */
  #recorded(now: number): number {
    const isRecording = this.#status === 'in_call_recording' || this.#status === 'recording_resumed'
    return this.#seconds + (isRecording && this.#progressAt !== null ? (now - this.#progressAt) / 1000 : 0)
  }
}
