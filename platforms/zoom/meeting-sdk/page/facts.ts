/** Gathers the SDK's reports from all its channels into plain facts. Pure: no page, no SDK. */

import { pageNow } from '../../../shared/page/page-clock.ts'
import type { FailureChannel, SdkFacts, SdkFailure } from './types.ts'

/** Levels of `onJoinSpeed`; docs/platform-notes/zoom.md#join-sequence. */
const LEVEL = { waitsForHost: 4, outOfWaitForHost: 5, inWaitingRoom: 6, outOfWaitingRoom: 7, gateway: 8 } as const
const DISCONNECTED = 3
/** Later failures are repetitions of these. */
const MAX_FAILURES = 20
const TEXT_LENGTH = 300

/** An attendee as the SDK lists it; missing fields were not reported. */
export interface Attendee {
  userId?: unknown
  userName?: unknown
  isHost?: unknown
  isCoHost?: unknown
  isHold?: unknown
  isBotUser?: unknown
  sharingStatus?: unknown
  raiseHand?: unknown
}

export class SdkFactsStore {
  readonly #now: () => number
  #facts: SdkFacts = {
    progress: 'bare',
    joinCalledAt: null,
    level: null,
    waitsForHost: false,
    isInWaitingRoom: null,
    meetingStatus: null,
    failures: [],
    left: null,
    isAttendee: false,
    hasHost: false,
    areRoomsOpen: null,
    capture: { status: null, allowed: null, answers: 0 },
  }
  #ownId: number | null = null

  constructor(now: () => number = pageNow) {
    this.#now = now
  }

  get facts(): SdkFacts {
    return structuredClone(this.#facts)
  }

  /** The SDK's number of the bot; another one after every rejoin. */
  get ownId(): number | null {
    return this.#ownId
  }

  reached(progress: SdkFacts['progress']): void {
    this.#facts.progress = progress
    if (progress === 'joining') this.#facts.joinCalledAt = this.#now()
  }

  failed(channel: FailureChannel, code: unknown, text: unknown): void {
    const { failures } = this.#facts
    const failure: SdkFailure = { channel, code: numberOf(code), text: textOf(text) }
    const isKnown = failures.some(({ channel: known, code: number }) => known === channel && number === failure.code)
    // A callback may be called twice, and an error view calls it again
    // (docs/platform-notes/zoom.md#how-sdk-failures-are-reported).
    if (!isKnown && failures.length < MAX_FAILURES) failures.push(failure)
  }

  tookJoinSpeed(data: unknown): void {
    const level = numberOf(fieldOf(data, 'level'))
    if (level === null) return
    const facts = this.#facts
    facts.level = Math.max(facts.level ?? 0, level)
    if (level === LEVEL.waitsForHost) facts.waitsForHost = true
    if (level >= LEVEL.outOfWaitForHost) facts.waitsForHost = false
    if (level === LEVEL.inWaitingRoom) facts.isInWaitingRoom = true
    if (level >= LEVEL.outOfWaitingRoom && level !== LEVEL.gateway) facts.isInWaitingRoom = false
  }

  tookMeetingStatus(data: unknown): void {
    const facts = this.#facts
    facts.meetingStatus = numberOf(fieldOf(data, 'meetingStatus')) ?? facts.meetingStatus
    if (facts.meetingStatus !== DISCONNECTED) return
    const detail = fieldOf(data, 'detail')
    const code = fieldOf(data, 'errorCode') ?? fieldOf(detail, 'errorCode')
    // A connection that is lost in the meeting has no number and is no failure.
    if (facts.isAttendee && numberOf(code) === null) return
    this.failed('status', code, fieldOf(data, 'errorMessage') ?? fieldOf(detail, 'errorMessage'))
  }

  tookWaitingRoom(data: unknown): void {
    if (fieldOf(data, 'self') === false) return
    const isWaiting = fieldOf(data, 'isInWaitingRoom')
    if (typeof isWaiting !== 'boolean') return
    this.#facts.isInWaitingRoom = isWaiting
    if (isWaiting) this.#facts.isAttendee = false
  }

  /** The event also reports that others left; only one with a reason is about the bot. */
  tookUserLeave(data: unknown): void {
    const reasonCode = fieldOf(data, 'reasonCode')
    if (reasonCode === undefined) return
    this.#facts.left ??= { reasonCode: numberOf(reasonCode), reason: textOf(fieldOf(data, 'reason')) }
  }

  /** 2 open, 3 closing, 4 closed (docs/platform-notes/zoom.md#sdk-events). */
  tookRoomStatus(data: unknown): void {
    const status = numberOf(fieldOf(data, 'status'))
    if (status !== null) this.#facts.areRoomsOpen = status === 2 || status === 3
  }

  tookCaptureAnswer(data: unknown): void {
    const allow = fieldOf(data, 'allow')
    if (typeof allow !== 'boolean') return
    this.#facts.capture.allowed = allow
    this.#facts.capture.answers++
  }

  tookCaptureStatus(data: unknown): void {
    const status = numberOf(fieldOf(data, 'status'))
    const userId = numberOf(fieldOf(data, 'userId'))
    const isOwn = userId === null || this.#ownId === null || personOf(userId) === personOf(this.#ownId)
    if (isOwn && (status === 0 || status === 1 || status === 2)) this.#facts.capture.status = status
  }

  /** The answer of `getCurrentUser` about the bot itself. */
  tookSelf(user: unknown): void {
    const id = numberOf(fieldOf(user, 'userId'))
    if (id === null) return
    this.#ownId = id
    if (fieldOf(user, 'isHold') === true) this.#facts.isInWaitingRoom = true
  }

  /**
   * The list of `getAttendeeslist`; null if the SDK refuses it, as it does in the waiting room: status true all the
   * same, number 1 and a sentence (docs/platform-notes/zoom.md#join-sequence).
   */
  tookAttendees(attendees: readonly Attendee[] | null): void {
    const facts = this.#facts
    const own = attendees?.find(({ userId }) => this.#ownId !== null && numberOf(userId) === this.#ownId)
    facts.isAttendee = own !== undefined && own.isHold !== true && facts.isInWaitingRoom !== true
    if (attendees) facts.hasHost = attendees.some(({ isHost, isCoHost }) => isHost === true || isCoHost === true)
  }
}

/** Streams of one person differ in the low ten bits (docs/platform-notes/zoom.md#sdk-events). */
export function personOf(userId: number): number {
  return Math.floor(userId / 1024) * 1024
}

export function numberOf(value: unknown): number | null {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) ? number : null
}

export function fieldOf(data: unknown, name: string): unknown {
  return typeof data === 'object' && data !== null ? (data as Record<string, unknown>)[name] : undefined
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value.slice(0, TEXT_LENGTH)
  return value === undefined || value === null ? '' : String(value).slice(0, TEXT_LENGTH)
}
