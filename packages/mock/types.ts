/**
 * How a script (the demo, a test) or a person plays host in a mock meeting. The same interface serves every platform.
 * The page under test cannot see it.
 */

import type { MediaRoomOptions } from './media/room.ts'

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
export interface MockMeeting {
  readonly url: string
  readonly people: readonly MockPerson[]
  readonly log: readonly MockLogEntry[]
  readonly truth: MockTruth
  /** The state of the client page, as the platform's state machine names it (such as `lobby` or `call`). */
  readonly state: string
  /** As typed by the bot; null before it asked to join. */
  readonly botName: string | null
  readonly bot: {
    microphoneOn: boolean
    cameraOn: boolean
    /** Sound and pictures of the meeting reach the page; false again ten seconds after its last packet. */
    isConnected: boolean
    /** The last seconds of the bot's camera as IVF or WebM; null if there are none. */
    savedCamera(): Promise<Uint8Array | null>
    sent(): { audioPackets: number; videoPackets: number; audioIsSilent: boolean | null }
  }
  /** Resolves when the page is in this state; rejects after `deadlineMs` naming the state it is in. */
  whenState(state: string, deadlineMs?: number): Promise<void>
  admit(): void
  deny(): void
  remove(): void
  endForAll(): void
  addPerson(person: MockPerson): void
  removePerson(id: string): void
  renamePerson(id: string, name: string): void
  setCamera(id: string, on: boolean): void
  startSpeaking(id: string): void
  stopSpeaking(id: string): void
  /** Lets the person speak a sound file once; resolves when it is over. */
  playVoice(id: string, file: string): Promise<void>
  startSharing(id: string): void
  stopSharing(id: string): void
  /** Returns the message's id, for later changes. */
  say(id: string, text: string, parts?: MockMessageParts): string
  editMessage(messageId: string, text: string): void
  deleteMessage(messageId: string): void
  /** On a message, or if none is named in the meeting, for all to see. */
  react(id: string, emoji: string, messageId?: string): void
  raiseHand(id: string, isRaised: boolean): void
  setChatEnabled(enabled: boolean): void
  muteBot(): void
  loseConnection(): void
  regainConnection(): void
  /**
   * Runs an action of the platform, such as `consent` or `alone-prompt`; throws for a word the platform does not know.
   */
  show(what: string): void
  /** From the next join request on; throws for an access mode that the platform does not have. */
  setAccess(name: string): void
  flashAndBeep(on: boolean): void
}

export interface MockServer {
  /** Such as `127.0.0.1:40123`. */
  readonly address: string
  /** The real host names of the platform; for `--map-host` each is served at `address`. */
  readonly hosts: readonly string[]
  /** Where a person plays host, such as `http://127.0.0.1:40124/`. */
  readonly hostPage: string
  /** Base64 SHA-256 of the certificate's public key, for the browser flag that accepts it. */
  readonly certificateHash: string
  /** A meeting that runs the named scenario with the given people; every call makes a meeting with a new code. */
  open(scenario: string, options?: MockMeetingOptions): MockMeeting
  /** Ends the meeting's media and forgets the meeting: for a server that outlives many. */
  forget(meeting: MockMeeting): Promise<void>
  close(): Promise<void>
}

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
  media?: Pick<MediaRoomOptions, 'width' | 'height' | 'fps' | 'layers' | 'moves' | 'address' | 'loss'>
}
