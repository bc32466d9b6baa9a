/** Pages of other looks; the conformance suite proves names, changes, shared screens and speech. */
import { expect, test } from 'vitest'
import type { MeetingEvent } from '../../../packages/core/meeting/meeting.ts'
import { type Attempt, meetHarness, until } from './harness.ts'

const meet = meetHarness()

type Joined = Extract<MeetingEvent, { type: 'participant_joined' }>
const joined = (attempt: Attempt) =>
  attempt.events
    .filter((event): event is Joined => event.type === 'participant_joined')
    .map((event) => event.participant)

test.each(['no-data-self-name', 'people-badge-ui'])(
  '%s: the other participants are reported and the bot is not among them; a channel that cannot be read is reported once',
  async (scenario) => {
    const attempt = await meet.inside(scenario)
    const { meeting, events, driver } = attempt
    const { people } = meeting
    await until(() => joined(attempt).length >= people.length, 'every participant is reported')
    await attempt.event('heartbeat', ({ others }) => others === people.length)
    expect(
      joined(attempt)
        .map(({ name }) => name)
        .sort(),
    ).toEqual(people.map(({ name }) => name).sort())
    expect(joined(attempt).find(({ name }) => name === 'Ann Host')?.isHost).toBe(true)

    expect((await driver.evidence()).signs).toMatchObject({ last: { unread: {} } })
    const bytes = Uint8Array.from([255, 255, 255])
    await until(() => {
      meeting.sendUnknown(bytes)
      return events.some(({ type }) => type === 'unread_messages')
    }, 'it is reported')
    meeting.addPerson({ id: 'dee', name: 'Dee', camera: false })
    await attempt.event('participant_joined', (event) => event.participant.name === 'Dee')
    const reported = events.filter(({ type }) => type === 'unread_messages')
    expect(reported).toMatchObject([{ channels: ['collections'] }])
    const { signs } = await driver.evidence()
    expect(signs).toMatchObject({ last: { unread: { collections: expect.any(Number) } } })
    // All of them are silent.
    expect(events.filter(({ type }) => type === 'speaking')).toEqual([])
  },
)

test('no-audio-elements: without sources to read the marks of the page say who speaks', async () => {
  const attempt = await meet.inside('no-audio-elements', { speed: 1 })
  const spoke = await attempt.event('speaking', ({ isSpeaking }) => isSpeaking)
  expect(spoke.source).toBe('page')
  expect(spoke.confidence).toBeLessThan(0.9)
  expect(joined(attempt).find(({ id }) => id === spoke.participantId)?.name).toBe('Ann Host')
})

test('merged-audio: one sound for three participants breaks nothing and names a participant of the room', async () => {
  const attempt = await meet.inside('merged-audio', { speed: 1 })
  const { truth } = attempt.meeting
  await until(() => truth.turns.some(({ name, endedAt }) => name === 'Cléo Ñandú' && endedAt !== null), 'Cléo spoke')
  const spoke = await attempt.event('speaking', ({ isSpeaking }) => isSpeaking)
  expect(joined(attempt).find(({ id }) => id === spoke.participantId)?.name).not.toBe('Ann Host')
})
