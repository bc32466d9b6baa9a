import { expect, test } from 'vitest'
import type { MeetingEvent } from '../../../packages/core/meeting/meeting.ts'
import { crashingAtExtraEdges } from '../extra-edges.ts'
import { type Attempt, until, untilItMoves, zoomHarness } from './harness.ts'

const zoom = zoomHarness()

/** Turns that began, by name, as they were reported. */
function reported({ events }: Attempt): { name: string; at: number }[] {
  const names = new Map<string, string>()
  for (const event of events)
    if (event.type === 'participant_joined') names.set(event.participant.id, event.participant.name)
  return events
    .filter((event): event is Extract<MeetingEvent, { type: 'speaking' }> => event.type === 'speaking')
    .filter(({ isSpeaking }) => isSpeaking)
    .map(({ participantId, at }) => ({ name: names.get(participantId) ?? 'nobody', at }))
}

test.each([
  ['wc-audio-webrtc', 'a sound for each person', 'gallery_view'],
  ['wc-audio-worklet', 'a mix in the page', 'speaker_view'],
  ['wc-audio-loopback', 'a mix that goes round', 'audio_only'],
  ['wc-speaker-1to1', 'no mark says who speaks', 'audio_only'],
  ['wc-gallery-active', 'marks that never go out', 'audio_only'],
] as const)(
  '%s (%s, %s): the speaker is reported, and never another participant; pictures move',
  async (scenario, _sound, recordingMode) => {
    const attempt = await zoom.attempt(scenario, {
      speed: 1,
      driver: { recordingMode, openBrowser: crashingAtExtraEdges },
    })
    await attempt.enter()
    const { events, meeting } = attempt
    await until(() => reported(attempt).length >= 1, 'the first turn is told')
    // The next speaker need not wait for the scenario's time.
    meeting.stopSpeaking('ann')
    await until(() => events.some((event) => event.type === 'speaking' && !event.isSpeaking), 'the first turn is over')
    const askedAt = Date.now()
    meeting.startSpeaking((meeting.people[1] ?? meeting.people[0])!.id)
    await until(() => reported(attempt).length >= 2, 'two turns are told')
    // So late are reports on this machine now.
    const lateMs = Math.max(0, reported(attempt).at(-1)!.at - askedAt)
    // Each report is of a turn that has begun, and no earlier one than the report before.
    const { turns } = meeting.truth
    let place = 0
    for (const { name, at } of reported(attempt)) {
      const from = place
      place = turns.findIndex(
        (turn, index) =>
          index >= from &&
          turn.name === name &&
          at >= turn.startedAt - 200 &&
          at <= (turn.endedAt ?? Number.POSITIVE_INFINITY) + 1500 + lateMs,
      )
      expect(place, `${name} at ${at}, of ${JSON.stringify(turns)}`).toBeGreaterThanOrEqual(0)
    }
    if (recordingMode === 'audio_only') return
    await attempt.driver.prepareRecording(attempt.signal)
    await untilItMoves(attempt)
  },
)
