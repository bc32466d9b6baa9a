import { expect, test } from 'vitest'
import type { MeetingEvent } from '../../../core/meeting/meeting.ts'
import { type Attempt, meetHarness, until } from './harness.ts'

const meet = meetHarness()

type Joined = Extract<MeetingEvent, { type: 'participant_joined' }>
const joined = (attempt: Attempt) =>
  attempt.events
    .filter((event): event is Joined => event.type === 'participant_joined')
    .map((event) => event.participant)

async function inside(scenario: string, options: Parameters<typeof meet.attempt>[1] = {}) {
  const attempt = await meet.attempt(scenario, options)
  await attempt.enter()
  return attempt
}

test.each(['no-data-self-name', 'people-badge-ui', 'class-rotation', 'known-classes'])(
  '%s: the other participants are reported, the bot is not among them',
  async (scenario) => {
    const attempt = await inside(scenario)
    const people = attempt.meeting.people
    await until(() => joined(attempt).length >= people.length, 'everybody is told')
    await attempt.event('heartbeat', ({ others }) => others === people.length)
    expect(
      joined(attempt)
        .map(({ name }) => name)
        .sort(),
    ).toEqual(people.map(({ name }) => name).sort())
    expect(joined(attempt).find(({ name }) => name === 'Ann Host')?.isHost).toBe(true)
  },
)

test('a participant joins, is renamed and leaves', async () => {
  const attempt = await inside('open-meeting-join-now')
  attempt.meeting.addPerson({ id: 'dee', name: 'Dee <b>Dee</b>', camera: true })
  const { participant } = await attempt.event('participant_joined', (event) => event.participant.name.startsWith('Dee'))
  expect(participant.name).toBe('Dee <b>Dee</b>')
  attempt.meeting.renamePerson('dee', 'Dee Two')
  await attempt.event('participant_changed', (event) => event.participant.name === 'Dee Two')
  attempt.meeting.removePerson('dee')
  const left = await attempt.event('participant_left', (event) => event.participantId === participant.id)
  expect(left.at).toBeLessThanOrEqual(Date.now())
})

test('duplicate-names: two people of one name are two', async () => {
  const attempt = await inside('duplicate-names')
  await until(() => joined(attempt).filter(({ name }) => name === 'Alex').length === 2, 'both are told')
  const ids = joined(attempt)
    .filter(({ name }) => name === 'Alex')
    .map(({ id }) => id)
  expect(new Set(ids).size).toBe(2)
})

test('people-virtualised: sixty participants, and none leaves because a row is out of sight', async () => {
  const attempt = await inside('people-virtualised')
  await attempt.event('heartbeat', ({ others }) => others === 60)
  await until(() => joined(attempt).length === 60, 'everybody is told')
  const beats = attempt.events.filter(({ type }) => type === 'heartbeat').length
  await until(() => attempt.events.filter(({ type }) => type === 'heartbeat').length > beats + 8, 'time goes by')
  expect(attempt.events.some(({ type }) => type === 'participant_left')).toBe(false)
})

test('screen-share-tile: a shared screen is an event and no participant', async () => {
  // At the real pace, so that a busy machine does not miss the twelve seconds of sharing.
  const attempt = await inside('screen-share-tile', { speed: 1 })
  const began = await attempt.event('screen_share', ({ isSharing }) => isSharing)
  const sharer = joined(attempt).find(({ id }) => id === began.participantId)
  expect(sharer?.name).toBe('Cléo Ñandú')
  await attempt.event('screen_share', ({ isSharing }) => !isSharing)
  expect(joined(attempt).length).toBe(attempt.meeting.people.length)
})

/** Turns that are over, as told, for one person. */
function turnsOf(attempt: Attempt, participantId: string): { from: number; to: number; source: string }[] {
  const turns: { from: number; to: number; source: string }[] = []
  for (const event of attempt.events) {
    if (event.type !== 'speaking' || event.participantId !== participantId) continue
    if (event.isSpeaking) turns.push({ from: event.at, to: Number.NaN, source: event.source })
    else if (turns.length > 0) turns.at(-1)!.to = event.at
  }
  return turns
}

type Turn = Attempt['meeting']['truth']['turns'][number]

test('speaker-csrc: every turn is reported near its true time', async () => {
  const attempt = await inside('speaker-csrc', { speed: 1, seed: 3 })
  const { truth } = attempt.meeting
  // A machine that starves the sound makes it late, and may cut a turn in two.
  const reportsOf = ({ name, startedAt, endedAt }: Turn) => {
    const person = joined(attempt).find((participant) => participant.name === name)
    return turnsOf(attempt, person?.id ?? '').filter(({ from, to }) => to > startedAt && from < (endedAt ?? 0) + 1000)
  }
  const isReported = (turn: Turn) => turn.endedAt !== null && reportsOf(turn).length > 0
  await until(() => truth.turns.length === 4 && truth.turns.every(isReported), 'every turn is reported', 60_000)
  const offBy = truth.turns.map((turn) => {
    const reports = reportsOf(turn)
    return {
      from: Math.abs(reports[0]!.from - turn.startedAt),
      to: Math.abs(reports.at(-1)!.to - turn.endedAt!),
    }
  })
  // A machine that stalls once makes one of them late.
  expect(offBy.filter(({ from, to }) => from < 1000 && to < 1500).length, JSON.stringify(offBy)).toBeGreaterThan(2)
  // Before a source was heard once, the page's marks may be first; Ann speaks twice.
  const ofAnn = truth.turns.findLast(({ name }) => name === 'Ann Host')!
  expect(reportsOf(ofAnn).at(-1)!.source).toBe('csrc')
})

test('no-audio-elements: without sources to read the marks of the page say who speaks', async () => {
  const attempt = await inside('no-audio-elements', { speed: 1 })
  const spoke = await attempt.event('speaking', ({ isSpeaking }) => isSpeaking)
  expect(spoke.source).toBe('page')
  expect(spoke.confidence).toBeLessThan(0.9)
  expect(joined(attempt).find(({ id }) => id === spoke.participantId)?.name).toBe('Ann Host')
})

test('merged-audio: one sound for three participants breaks nothing and names a participant of the room', async () => {
  const attempt = await inside('merged-audio', { speed: 1 })
  const { truth } = attempt.meeting
  await until(
    () => truth.turns.some(({ name, endedAt }) => name === 'Cléo Ñandú' && endedAt !== null),
    'Cléo spoke',
    60_000,
  )
  const spoke = await attempt.event('speaking', ({ isSpeaking }) => isSpeaking)
  expect(joined(attempt).find(({ id }) => id === spoke.participantId)?.name).not.toBe('Ann Host')
})

test('silence: people who say nothing are never told as speaking', async () => {
  const attempt = await inside('silence')
  const beats = () => attempt.events.filter(({ type }) => type === 'heartbeat').length
  await until(() => beats() > 12, 'time goes by')
  expect(attempt.events.filter(({ type }) => type === 'speaking')).toEqual([])
})

test('a channel that the driver can no longer read is reported once and counted in the evidence', async () => {
  const attempt = await inside('open-meeting-join-now')
  await until(() => joined(attempt).length === attempt.meeting.people.length, 'everybody is told')
  expect((await attempt.driver.evidence()).signs).toMatchObject({ last: { unread: {} } })
  const bytes = Uint8Array.from([255, 255, 255])
  await until(() => {
    attempt.meeting.sendUnknown(bytes)
    return attempt.events.some(({ type }) => type === 'unread_messages')
  }, 'it is told')
  attempt.meeting.addPerson({ id: 'dee', name: 'Dee', camera: false })
  await attempt.event('participant_joined', (event) => event.participant.name === 'Dee')
  const reported = attempt.events.filter(({ type }) => type === 'unread_messages')
  expect(reported).toMatchObject([{ channels: ['collections'] }])
  const { signs } = await attempt.driver.evidence()
  expect(signs).toMatchObject({ last: { unread: { collections: expect.any(Number) } } })
})
