/** Text messages on the streaming sockets, beside the sound. Source: docs/streaming.md#messages-from-the-bot. */

/** The exchange described in docs/streaming.md. */
export const PROTOCOL_VERSION = 1
/** Length of one binary message of the output. */
export const MESSAGE_MS = 100
export const BYTES_PER_SAMPLE = 2

/** The first message of every connection, as text. */
export interface Handshake {
  protocol_version: typeof PROTOCOL_VERSION
  bot_id: string
  /** Seconds of the meeting's sound that earlier connections of this bot were there for; 0 on the first. */
  offset: number
  /** Samples per second, of both directions. */
  sample_rate: number
}

/** Text messages carry an array of these whenever a participant starts or stops speaking. */
export interface SpeakerMessage {
  name: string
  /** The person's number, as in `participants.json`. */
  id: number | null
  /** Unix seconds with a fraction. */
  timestamp: number
  isSpeaking: boolean
}

/** Bytes of one message; of streaming's output by default. */
export function messageBytes(sampleRate: number, ms = MESSAGE_MS): number {
  return (sampleRate / 1000) * ms * BYTES_PER_SAMPLE
}

export function secondsOf(bytes: number, sampleRate: number): number {
  return bytes / BYTES_PER_SAMPLE / sampleRate
}

/** True for `{"type":"clear"}`, which interrupts the bot's voice. Other text is ignored. */
export function asksToClear(text: string): boolean {
  if (text.length > 1000) return false
  try {
    const message: unknown = JSON.parse(text)
    return typeof message === 'object' && message !== null && 'type' in message && message.type === 'clear'
  } catch {
    return false
  }
}
