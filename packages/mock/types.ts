/**
 * How a script (the demo, a test) or a person plays host in a mock meeting. The same interface serves every platform.
 * The page under test cannot see it.
 */

import type { MediaRoomOptions } from './media/room.ts'
import type { Meeting } from './shared/meeting.ts'
import type { PlatformServer } from './shared/platform-server.ts'

export interface MockPerson {
  id: string
  name: string
  isHost?: boolean
  camera?: boolean
  muted?: boolean
}

/** Properties of a message beside its text. A platform without such a property ignores it. */
export interface MockMessageParts {
  /** Words of the text that lead to another place than they say. */
  links?: { text: string; url: string }[]
  /** Names in the text; it has them as `@Name`. */
  mentions?: string[]
  file?: { name: string; url: string; bytes: number }
  /** The id of the message that is answered. */
  replyTo?: string
  /** To the bot alone. */
  isDirect?: boolean
}

/** One action of the page under test; the newest is last. `trusted` is the DOM event's isTrusted. */
export interface MockLogEntry {
  /** UTC milliseconds. */
  at: number
  event: 'state' | 'click' | 'fill' | 'key' | 'chat' | 'rpc' | 'navigate'
  target: string
  trusted?: boolean
  detail?: string
}

/** True times, for comparison with what a bot reports; UTC milliseconds. */
export interface MockTruth {
  /** When the page became a participant; null before. */
  admittedAt: number | null
  /** When the page left, was removed, or the meeting ended. */
  leftAt: number | null
  turns: { personId: string; name: string; startedAt: number; endedAt: number | null }[]
  presence: { personId: string; name: string; joinedAt: number; leftAt: number | null }[]
  chat: { senderId: string | null; senderName: string; text: string; at: number }[]
  /** Instants of the flash and beep, where switched on. */
  beeps: number[]
}

/** One meeting with one client page under test (a later visit of the page starts a new visit of the same meeting). */
export type MockMeeting = Meeting
export type MockServer = PlatformServer

export interface MockMeetingOptions {
  people?: MockPerson[]
  /** Its code, in the platform's form; a random one if it is left out. */
  code?: string
  /** Same seed, same class names, apostrophes, badge or button, order of traps. */
  seed?: number
  /** Divides the waits of the scenario's own times; media run at natural speed always. Default 1. */
  speed?: number
  /**
   * The host admits or denies waiting visitors only after this is resolved, even if the scenario's time for it is over.
   */
  hostReady?: Promise<unknown>
  lang?: string
  /** Texts and marks that the platform changed since: by what the page's script has, what it shows instead. */
  rewording?: Readonly<Record<string, string>>
  /** How the media come: in which size, from which address, with which losses. */
  media?: Pick<MediaRoomOptions, 'width' | 'height' | 'fps' | 'layers' | 'moves' | 'stillScreens' | 'address' | 'loss'>
}
