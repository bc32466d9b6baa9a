/**
 * When a bot leaves by itself: pure functions of what was observed. Three things keep them honest: the observer must be
 * healthy (a page that does not answer decides nothing), "alone" counts only while it is known, and the time in which
 * a rule would fire is counted from an observation and never from a guess.
 */

import type { TimeoutConfig } from '@standin/wire/job.ts'
import type { MeetingEvent } from '../../packages/core/meeting/meeting.ts'
import type { RecorderEvent } from '../../packages/core/recording.ts'
import { areOnlyBots, type IsBotName, isPersonThere, type People, peopleAfter } from './other-bots.ts'
import type { End } from './states.ts'

/** A heartbeat older than this means that the page does not answer; nothing is concluded from silence then. */
const OBSERVER_HEALTHY_MS = 15_000

/** Until the recorder has noticed the silence after the bot's own voice. */
const DEAF_MS = 4_000

/** UTC milliseconds throughout. */
export interface Observed {
  admittedAt: number
  lastHeartbeatAt: number
  /** Since when the bot is known to be alone; null while others are there or the page does not say. */
  aloneSince: number | null
  hasSeenOthers: boolean
  people: People
  /** The moment from which all other participants are known to be bots; null while one may be a person. */
  onlyBotsSince: number | null
  /** A participant was present who is not a bot. */
  hasSeenPeople: boolean
  isBotName: IsBotName
  isAudible: boolean
  /** The last speech, or the last change of a speaking indicator; before that the time of admission. */
  lastSpeechAt: number
  /** The last sign that somebody else is heard, which contradicts a page that shows no one. */
  heardAt: number
  /** When the recorded sound last said nothing about others: the bot itself spoke, or nothing was recorded. */
  deafAt: number
}

/** `isBotName`: by default no name is a bot's. */
export function firstObservation(admittedAt: number, isBotName: IsBotName = () => false): Observed {
  return {
    admittedAt,
    lastHeartbeatAt: admittedAt,
    aloneSince: null,
    hasSeenOthers: false,
    people: new Map(),
    onlyBotsSince: null,
    hasSeenPeople: false,
    isBotName,
    isAudible: false,
    lastSpeechAt: admittedAt,
    heardAt: admittedAt,
    deafAt: Number.NEGATIVE_INFINITY,
  }
}

/** Silence counts from now: during a pause it has no meaning, because a caller asked for the pause. */
export function excuseSilence(before: Observed, now: number): Observed {
  return { ...deafened(before, now), lastSpeechAt: now }
}

/** The bot speaks, or nothing is recorded: the recorded sound says nothing about others. */
export function deafened(before: Observed, now: number): Observed {
  return { ...before, heardAt: lastHeard(before, now), deafAt: now }
}

/** A bot without a browser knows nothing about the meeting; each rule counts from now. */
export function unseen(before: Observed, now: number): Observed {
  const { hasSeenOthers, hasSeenPeople, people, isBotName } = before
  return { ...firstObservation(now, isBotName), hasSeenOthers, hasSeenPeople, people }
}

/** A participant who joins a bot that was alone gets the full time to speak. */
function accompanied(before: Observed, at: number): Observed {
  const wasAlone = before.aloneSince !== null || !before.hasSeenOthers
  const lastSpeechAt = wasAlone ? Math.max(before.lastSpeechAt, at) : before.lastSpeechAt
  return { ...before, hasSeenOthers: true, aloneSince: null, lastSpeechAt }
}

/** Whether one of the others may be a person. A late name, or speech, ends the wait. */
function accompaniedBy(before: Observed, others: number, at: number): Observed {
  if (areOnlyBots(before.people, others, before.isBotName))
    return { ...before, onlyBotsSince: before.onlyBotsSince ?? at }
  return {
    ...before,
    onlyBotsSince: null,
    hasSeenPeople: before.hasSeenPeople || isPersonThere(before.people, before.isBotName),
  }
}

/** People may be in breakout rooms: an empty or silent room means nothing until they are closed. */
function besideRooms(before: Observed, at: number): Observed {
  const lastSpeechAt = Math.max(before.lastSpeechAt, at)
  return { ...before, hasSeenOthers: true, aloneSince: null, onlyBotsSince: null, lastSpeechAt }
}

function withPeople(before: Observed, event: MeetingEvent | RecorderEvent): Observed {
  if (event.type === 'failed' || event.type === 'progress' || event.type === 'sound') return before
  const people = peopleAfter(before.people, event as MeetingEvent)
  return people === before.people ? before : { ...before, people }
}

/** Takes one event into account. Events that say nothing about presence or speech leave the observation as it is. */
export function observe(earlier: Observed, event: MeetingEvent | RecorderEvent): Observed {
  const before = withPeople(earlier, event)
  switch (event.type) {
    case 'heartbeat': {
      // The page did not answer, the machine was asleep, or its clock was set, forward or back.
      const wasBlind = Math.abs(event.at - before.lastHeartbeatAt) > OBSERVER_HEALTHY_MS
      const known = wasBlind
        ? { ...unseen(before, event.at), isAudible: before.isAudible }
        : { ...before, lastHeartbeatAt: event.at }
      if (event.areRoomsOpen) return besideRooms(known, event.at)
      if (event.others === null) return known
      if (event.others > 0) return accompaniedBy(accompanied(known, event.at), event.others, event.at)
      return { ...known, onlyBotsSince: null, aloneSince: known.aloneSince ?? event.at }
    }
    case 'participant_joined':
      return accompanied(before, event.at)
    // A mark that stays says nothing more: on a page whose connection is dead it stays for ever.
    case 'speaking':
      return heard(before, event.at)
    case 'sound': {
      const sounding = { ...before, isAudible: event.isAudible, lastSpeechAt: Math.max(before.lastSpeechAt, event.at) }
      return isDeaf(before, event.at) ? sounding : heard(sounding, event.at)
    }
    default:
      return before
  }
}

function heard(before: Observed, at: number): Observed {
  return { ...before, lastSpeechAt: Math.max(before.lastSpeechAt, at), heardAt: Math.max(before.heardAt, at) }
}

/** The last instant at which others were heard. */
function lastHeard(observed: Observed, now: number): number {
  return observed.isAudible && !isDeaf(observed, now) ? now : observed.heardAt
}

function isDeaf({ deafAt }: Observed, at: number): boolean {
  return at - deafAt <= DEAF_MS
}

/** The end that these observations call for at `now`, or null. `recorded` is in milliseconds, pauses removed. */
export function leaveReason(observed: Observed, limits: TimeoutConfig, now: number, recorded: number): End | null {
  if (recorded >= limits.recording_timeout * 1000)
    return { code: 'RECORDING_TIMEOUT', message: `The recording reached its limit of ${limits.recording_timeout} s.` }
  if (now - observed.lastHeartbeatAt > OBSERVER_HEALTHY_MS) return null
  if (now - observed.admittedAt < limits.grace_period * 1000) return null
  // The page may count wrongly: while people are heard, and from then on, they are there.
  const heardAt = lastHeard(observed, now)
  if (observed.aloneSince !== null) {
    const aloneMs = now - Math.max(observed.aloneSince, heardAt)
    if (!observed.hasSeenOthers && aloneMs >= limits.no_one_joined_timeout * 1000)
      return { code: 'NO_ATTENDEES', message: `No participant joined within ${limits.no_one_joined_timeout} s.` }
    if (observed.hasSeenOthers && aloneMs >= limits.everyone_left_timeout * 1000)
      return { code: 'NO_ATTENDEES', message: 'All other participants have left the meeting.' }
    return null
  }
  if (observed.onlyBotsSince !== null) {
    // People may be late if none came yet.
    const limit = observed.hasSeenPeople
      ? limits.only_bots_timeout
      : Math.max(limits.only_bots_timeout, limits.no_one_joined_timeout)
    if (now - Math.max(observed.onlyBotsSince, heardAt) >= limit * 1000)
      return { code: 'NO_ATTENDEES', message: `Only other bots were in the meeting for ${limit} s.` }
  }
  if (!observed.isAudible && observed.hasSeenOthers && now - observed.lastSpeechAt >= limits.silence_timeout * 1000)
    return { code: 'NO_SPEAKER', message: `No participant spoke for ${limits.silence_timeout} s.` }
  return null
}
