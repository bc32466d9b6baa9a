/**
 * Types of the data that the SDK page's script receives and reports, in addition to those of the web client; plain data
 * in both directions.
 */
import type { PageApi } from '../../../shared/page/types.ts'
import type { ElementName, PageConfig, PageSnapshot } from '../../page/types.ts'

export type SdkPageConfig = PageConfig

/**
 * The channels on which the SDK reports that a join failed; one alone misses failures
 * (docs/platform-notes/zoom.md#how-sdk-failures-are-reported).
 */
export type FailureChannel = 'script' | 'init' | 'callback' | 'status' | 'console' | 'silence'

export interface SdkFailure {
  channel: FailureChannel
  /** A public number of the SDK (docs/platform-notes/zoom.md#sdk-error-numbers); null if it gave none. */
  code: number | null
  text: string
}

/**
 * The right to record, and the bot's use of it, in the words of the SDK
 * (docs/platform-notes/zoom.md#recording-permission).
 */
export interface CaptureFacts {
  /** State of the bot's own capture: 0 stopped, 1 started, 2 paused; null before the first report. */
  status: 0 | 1 | 2 | null
  /** The host's latest answer; null before one. */
  allowed: boolean | null
  /** Number of answers so far, so that a second "no" is distinguished from the first. */
  answers: number
}

export interface SdkFacts {
  /** `bare`: this document has no SDK (yet). */
  progress: 'bare' | 'ready' | 'starting' | 'initialized' | 'joining'
  /** UTC milliseconds of the call of `join`; null before. */
  joinCalledAt: number | null
  /** Highest level of `onJoinSpeed`; null before the first (docs/platform-notes/zoom.md#join-sequence). */
  level: number | null
  /** Level 4 without a 5. */
  waitsForHost: boolean
  /** As the SDK reports it of the bot itself; null before a report. */
  isInWaitingRoom: boolean | null
  /** 1 connecting, 2 connected, 3 disconnected, 4 reconnecting. */
  meetingStatus: number | null
  /** Oldest first; the same failure comes on several channels. */
  failures: SdkFailure[]
  /** Why the bot is leaving, when the SDK said it; docs/platform-notes/zoom.md#leaving-reasons. */
  left: { reasonCode: number | null; reason: string } | null
  /** The SDK knows the bot among the attendees and does not hold it back. */
  isAttendee: boolean
  hasHost: boolean
  /** Breakout rooms, as the SDK reports them; null before a report. */
  areRoomsOpen: boolean | null
  capture: CaptureFacts
}

export interface SdkSnapshot extends PageSnapshot {
  sdk: SdkFacts
}

/** Parameters of the SDK's `join`. They reach the page by the driver's call only, never by an address or a file. */
export interface SdkJoin {
  meetingNumber: string
  userName: string
  passWord: string
  signature: string
  tk?: string
  obfToken?: string
  zak?: string
}

/** How a call of the SDK ended. */
export type SdkAnswer = { ok: true } | { ok: false; code: number | null; text: string }

export interface SdkStart {
  /** Where the SDK's files are. */
  base: string
  /** Where the SDK goes after the end. */
  leaveUrl: string
  view: 'gallery' | 'speaker'
}

export interface SdkPageApi extends PageApi<SdkSnapshot, ElementName> {
  /** Starts the SDK; the facts say how far it came and what went wrong. Repeatable. */
  startSdk(given: SdkStart): void
  /** Calls `join`; the facts say what came of it. */
  joinMeeting(given: SdkJoin): void
  capture(what: 'start' | 'stop'): Promise<SdkAnswer>
  requestCapture(): Promise<SdkAnswer>
  sendChat(text: string): Promise<SdkAnswer>
  /** Leaves by the SDK's own call, without its question; false if the bot is in no meeting. */
  leaveMeeting(): boolean
}
