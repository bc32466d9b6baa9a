/**
 * When a bot leaves by itself: pure functions of what was observed. Three things keep them honest: the observer must be
 * healthy (a page that does not answer decides nothing), "alone" counts only while it is known, and the time in which
 * a rule would fire is counted from an observation and never from a guess.
 */

import type { TimeoutConfig } from '@standin/wire/job.ts'
import type { MeetingEvent } from '../meeting.ts'
import type { RecorderEvent } from '../ports.ts'
import type { End } from './states.ts'

/** A heartbeat older than this means that the page does not answer; nothing is concluded from silence then. */
export const OBSERVER_HEALTHY_MS = 15_000

/** UTC milliseconds throughout. */
export interface Observed {
  admittedAt: number
  lastHeartbeatAt: number
  /** Since when the bot is known to be alone; null while others are there or the page does not say. */
  aloneSince: number | null
  hasSeenOthers: boolean
  isAudible: boolean
  /** When somebody was last heard, or a mark of somebody's speech came or went; the time of admission before that. */
  lastSpeechAt: number
}

export function firstObservation(admittedAt: number): Observed {
  return {
    admittedAt,
    lastHeartbeatAt: admittedAt,
    aloneSince: null,
    hasSeenOthers: false,
    isAudible: false,
    lastSpeechAt: admittedAt,
  }
}

/** Silence counts from now: in a pause quiet says nothing, since the pause is somebody's decision. */
export function excuseSilence(before: Observed, now: number): Observed {
  return { ...before, lastSpeechAt: now }
}

/** A bot that saw nothing knows nobody and nothing; whatever a rule counts, it counts from now. */
export function unseen(before: Observed, now: number): Observed {
  return { ...firstObservation(now), hasSeenOthers: before.hasSeenOthers }
}

/** Whoever comes to a bot that was alone gets the whole time to speak up. */
function accompanied(before: Observed, at: number): Observed {
  const wasAlone = before.aloneSince !== null || !before.hasSeenOthers
  const lastSpeechAt = wasAlone ? Math.max(before.lastSpeechAt, at) : before.lastSpeechAt
  return { ...before, hasSeenOthers: true, aloneSince: null, lastSpeechAt }
}

/** Takes one event into account. Events that say nothing about presence or speech leave the observation as it is. */
export function observe(before: Observed, event: MeetingEvent | RecorderEvent): Observed {
  switch (event.type) {
    case 'heartbeat': {
      // The page did not answer, the machine was asleep, or its clock was set, forward or back.
      const wasBlind = Math.abs(event.at - before.lastHeartbeatAt) > OBSERVER_HEALTHY_MS
      const known = wasBlind
        ? { ...unseen(before, event.at), isAudible: before.isAudible }
        : { ...before, lastHeartbeatAt: event.at }
      if (event.others === null) return known
      if (event.others > 0) return accompanied(known, event.at)
      return { ...known, aloneSince: known.aloneSince ?? event.at }
    }
    case 'participant_joined':
      return accompanied(before, event.at)
    // A mark that stays says nothing more: on a page whose connection is dead it stays for ever.
    case 'speaking':
      return { ...before, lastSpeechAt: Math.max(before.lastSpeechAt, event.at) }
    case 'sound':
      return { ...before, isAudible: event.isAudible, lastSpeechAt: Math.max(before.lastSpeechAt, event.at) }
    default:
      return before
  }
}

/** The end that these observations call for at `now`, or null. `recorded` is in milliseconds, pauses removed. */
export function leaveReason(observed: Observed, limits: TimeoutConfig, now: number, recorded: number): End | null {
  if (recorded >= limits.recording_timeout * 1000)
    return { code: 'RECORDING_TIMEOUT', message: `The recording reached its limit of ${limits.recording_timeout} s.` }
  if (now - observed.lastHeartbeatAt > OBSERVER_HEALTHY_MS) return null
  if (now - observed.admittedAt < limits.grace_period * 1000) return null
  if (observed.aloneSince !== null) {
    const aloneMs = now - observed.aloneSince
    if (!observed.hasSeenOthers && aloneMs >= limits.no_one_joined_timeout * 1000)
      return { code: 'NO_ATTENDEES', message: `Nobody joined within ${limits.no_one_joined_timeout} s.` }
    if (observed.hasSeenOthers && aloneMs >= limits.everyone_left_timeout * 1000)
      return { code: 'NO_ATTENDEES', message: 'Everybody else has left the meeting.' }
    return null
  }
  if (!observed.isAudible && observed.hasSeenOthers && now - observed.lastSpeechAt >= limits.silence_timeout * 1000)
    return { code: 'NO_SPEAKER', message: `Nobody spoke for ${limits.silence_timeout} s.` }
  return null
}
