/**
 * Plays a scene in a mock meeting to a driver in a real Chromium, and compares what it told with what truly happened.
 */

import { readMeeting } from '@standin/wire/meeting-links/index.ts'
import type { MeetingEvent } from '../../packages/core/meeting/meeting.ts'
import { MediaEncoder } from '../../packages/mock/media/encode.ts'
import type { MockMeeting, MockServer } from '../../packages/mock/types.ts'
import { openDriver } from '../../platforms/index.ts'
import { type DiarizationSegment, Timeline } from '../../src/run/timeline.ts'
import { median } from '../media/statistics.ts'
import { SILENT_STAGE, until, waitsAt } from '../platforms/conformance/ground.ts'
import { peopleOf } from '../platforms/conformance/people.ts'
import type { PlatformUnderTest } from '../platforms/conformance/platforms.ts'
import { guestOptions } from '../platforms/driver-options.ts'
import { type DiarizationError, diarizationError, type SpokenTurn } from './error-rate.ts'
import type { Scene } from './scripts.ts'

export interface Outcome {
  error: DiarizationError
  /** The same without a collar, where every boundary counts to the millisecond. */
  strict: DiarizationError
  /** Turns of the truth, and how many of them were noted at their time under their name. */
  turns: { all: number; noted: number }
  /** Noted turns of people who did not speak then. */
  invented: number
  /** Medians of the milliseconds from the sending of a turn's first and last sound to where it is noted. */
  lateMs: { begins: number; ends: number }
  truth: SpokenTurn[]
  segments: DiarizationSegment[]
  events: MeetingEvent[]
}

/**
 * Sound waits in the page before it is played, and recorded: a quarter of a second
 * (platforms/shared/page/audio/playout-sync.ts), and longer where the machine is busy. The times of the truth are
 * those of sending, so all of them are moved by the median delay, at most by this, to compare them with the recording.
 */
const MAX_LATE_SECONDS = 0.7
/** A turn that is noted this much before or after it was is noted, seconds. */
const NEAR_SECONDS = 0.5
/** Time for the last turn to end, milliseconds. */
const AFTER_MS = 2500

export async function playScene(
  platform: PlatformUnderTest,
  mock: MockServer,
  scene: Scene,
  scenario = 'open',
): Promise<Outcome> {
  await encodeVoices(scene)
  const meeting = mock.open(scenario, { seed: 1, speed: platform.speed, people: scene.people })
  const target = readMeeting(meeting.url, { jitsiHosts: platform.platform === 'jitsi' ? mock.hosts : [] })
  if ('problem' in target) throw new Error(target.problem)
  const stop = new AbortController()
  const open = openDriver({
    ...guestOptions(mock),
    waits: waitsAt(platform.speed),
    ...platform.driver,
  })
  const driver = await open(target, SILENT_STAGE, stop.signal)
  try {
    const events: MeetingEvent[] = []
    driver.watch((event) => events.push(event))
    if ((await driver.join(stop.signal)) === 'waiting_room') {
      meeting.admit()
      await driver.waitForAdmission(stop.signal)
    }
    await driver.prepareRecording(stop.signal)
    await until(
      () => peopleOf(events).length === scene.people.length,
      () => `all participants are reported; reported were ${JSON.stringify(peopleOf(events))}`,
    )
    // Listening begins a little after the people are known.
    await passes(1000)
    const startedAt = Date.now()
    await perform(meeting, scene, startedAt)
    const endedAt = Date.now()
    await passes(AFTER_MS)
    return outcomeOf(meeting, events, startedAt, endedAt)
  } finally {
    stop.abort()
    await driver.close()
  }
}

function outcomeOf(meeting: MockMeeting, events: MeetingEvent[], startedAt: number, endedAt: number): Outcome {
  const timeline = new Timeline(() => [{ startedAt, endedAt }])
  for (const event of events) timeline.onEvent(event)
  timeline.close(endedAt)
  const segments = timeline.diarization()
  // Who was renamed is known by the last name, before and after.
  const nameOf = (id: string) => meeting.truth.presence.findLast(({ personId }) => personId === id)?.name ?? ''
  const sent = meeting.truth.turns
    .map(({ personId, startedAt: from, endedAt: to }) => ({
      speaker: personId,
      name: nameOf(personId),
      start: (from - startedAt) / 1000,
      end: (Math.min(to ?? endedAt, endedAt) - startedAt) / 1000,
    }))
    .filter(({ start, end }) => start >= 0 && end > start)
  const stated = segments.map(({ user_id, speaker, start_time, end_time }) => ({
    speaker: user_id,
    name: speaker,
    start: start_time,
    end: end_time,
  }))
  const begins = sent.flatMap((turn) => nearest(turn, stated, 'start'))
  const ends = sent.flatMap((turn) => nearest(turn, stated, 'end'))
  const late = Math.min(MAX_LATE_SECONDS, Math.max(0, median([...begins, ...ends]) || 0))
  const truth = sent.map((turn) => ({ ...turn, start: turn.start + late, end: turn.end + late }))
  const noted = truth.filter((turn) => stated.some((other) => isSame(turn, other)))
  return {
    error: diarizationError(truth, stated),
    strict: diarizationError(truth, stated, 0),
    turns: { all: truth.length, noted: noted.length },
    invented: stated.filter((turn) => !truth.some((other) => isSame(turn, other))).length,
    lateMs: { begins: median(begins) * 1000, ends: median(ends) * 1000 },
    truth,
    segments,
    events,
  }
}

function isSame(one: SpokenTurn, other: SpokenTurn): boolean {
  return one.name === other.name && one.start < other.end + NEAR_SECONDS && other.start < one.end + NEAR_SECONDS
}

function nearest(turn: SpokenTurn, stated: readonly SpokenTurn[], edge: 'start' | 'end'): number[] {
  const late = stated.filter((other) => isSame(turn, other)).map((other) => other[edge] - turn[edge])
  return late.sort((one, other) => Math.abs(one) - Math.abs(other)).slice(0, 1)
}

async function perform(meeting: MockMeeting, scene: Scene, startedAt: number): Promise<void> {
  for (const { at, happen } of scene.steps) {
    await passes(startedAt + at * 1000 - Date.now())
    happen(meeting)
  }
  await passes(startedAt + scene.seconds * 1000 - Date.now())
}

/**
 * A platform that sends one mix needs one sound for each group of voices. Those of the scene are made before it begins.
 */
async function encodeVoices(scene: Scene): Promise<void> {
  const encoder = new MediaEncoder()
  const looks = new Map(scene.people.map(({ id }, look) => [id, look]))
  const choirs = new Set(scene.people.map((_, look) => String(look)))
  const speaking = new Set<string>()
  const recorder = new Proxy({ people: scene.people } as unknown as MockMeeting, {
    get: (target, name) => {
      if (name === 'people') return target.people
      return (id: string) => {
        if (name === 'startSpeaking') speaking.add(id)
        if (name === 'stopSpeaking' || name === 'removePerson') speaking.delete(id)
      }
    },
  })
  for (const { happen } of scene.steps) {
    happen(recorder)
    const choir = [...speaking].map((id) => looks.get(id)!).sort((one, other) => one - other)
    if (choir.length > 0) choirs.add(choir.join())
  }
  await Promise.all([...choirs].map((choir) => encoder.voices(choir.split(',').map(Number), false)))
}

function passes(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.max(0, ms)))
}
