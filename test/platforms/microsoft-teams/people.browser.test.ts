import { beforeAll, describe, expect, test } from 'vitest'
import type { MeetingEvent } from '../../../packages/core/meeting/meeting.ts'
import { teamsHarness, until } from './harness.ts'

const teams = teamsHarness()

const { inside } = teams

type Inside = Awaited<ReturnType<typeof inside>>

function joined(events: readonly MeetingEvent[]): string[] {
  return events.flatMap((event) => (event.type === 'participant_joined' ? [event.participant.name] : [])).sort()
}

function nameOf(events: readonly MeetingEvent[], id: string): string {
  const person = events.findLast(
    (event) =>
      (event.type === 'participant_joined' || event.type === 'participant_changed') && event.participant.id === id,
  )
  return person && 'participant' in person ? person.participant.name : `nobody (${id})`
}

/** Waits until the scenario's own turns are over, both in the mock and in the reported events. */
async function quiet({ meeting, events }: Inside): Promise<void> {
  for (const { id } of meeting.people) meeting.stopSpeaking(id)
  await until(() => meeting.truth.turns.every(({ endedAt }) => endedAt !== null), 'no participant speaks')
  const beats = () => events.filter(({ type }) => type === 'heartbeat').length
  const before = beats()
  await until(() => beats() > before + 8, 'some looks later')
  await until(() => {
    const speaking = new Map(
      events.flatMap((event) => (event.type === 'speaking' ? [[event.participantId, event.isSpeaking]] : [])),
    )
    return ![...speaking.values()].includes(true)
  }, 'no participant is reported as speaking')
}

/** One turn of this participant. Resolves with the name that the driver reported as speaking. */
async function turnOf({ meeting, events }: Inside, personId: string): Promise<string> {
  const before = events.length
  meeting.startSpeaking(personId)
  const isTurn = (event: MeetingEvent) => event.type === 'speaking' && event.isSpeaking
  await until(() => events.slice(before).some(isTurn), `a turn of ${personId} is told`)
  meeting.stopSpeaking(personId)
  const isEnd = (event: MeetingEvent) => event.type === 'speaking' && !event.isSpeaking
  await until(() => events.slice(before).some(isEnd), `the turn of ${personId} ends`)
  const turns = events.slice(before).filter(isTurn)
  const names = turns.map((event) => nameOf(events, (event as { participantId: string }).participantId))
  return [...new Set(names)].join(', ')
}

describe('names', () => {
  test('roster-names-qualifiers: badges are removed, namesakes are two, stand-ins are Unknown, the bot is no participant', async () => {
    const attempt = await inside('roster-names-qualifiers')
    await until(() => joined(attempt.events).length === 8, 'every participant is reported')
    expect(joined(attempt.events)).toEqual(
      ['<b>Bold</b> & "Co"', 'Alex', 'Alex', 'Ann Host', 'Bob Berg', 'Dana Diaz', 'Eli Eck', 'Unknown'].sort(),
    )
    attempt.meeting.renamePerson('ann', 'Ann Hope')
    await attempt.event('participant_changed', ({ participant }) => participant.name === 'Ann Hope')
    const hosts = attempt.events.filter((event) => event.type === 'participant_joined' && event.participant.isHost)
    expect(hosts.length).toBe(1)
  })

  test('roster-large-meeting: every participant is reported although the badge says 12+ and few tiles are shown', async () => {
    const attempt = await inside('roster-large-meeting')
    await until(() => joined(attempt.events).length === 60, 'every participant is reported', 60_000)
    await attempt.event('heartbeat', ({ others }) => others === 60)
  })

  test("roster-unresolved-names: the page's placeholder is never reported as a name", async () => {
    const attempt = await inside('roster-unresolved-names')
    await until(() => joined(attempt.events).length === 3, 'every participant is reported')
    expect(joined(attempt.events)).toEqual(attempt.meeting.people.map(({ name }) => name).sort())
    expect(attempt.events.filter(({ type }) => type === 'participant_left')).toEqual([])
  })
})

test('no-call-object, captions-submenu: people by signalling alone, and who speaks by captions from the menu', async () => {
  const attempt = await inside('no-call-object', { speed: 1000 })
  await until(() => joined(attempt.events).length === 3, 'every participant is reported, and the bot is not')
  expect(joined(attempt.events)).toEqual(attempt.meeting.people.map(({ name }) => name).sort())
  await attempt.event('heartbeat', ({ others }) => others === 3)
  // The scenario's own turns end one that is begun here.
  await quiet(attempt)
  const { length } = attempt.events
  attempt.meeting.startSpeaking('ann')
  const isNew = (event: MeetingEvent) => attempt.events.indexOf(event) >= length
  const turn = await attempt.event('speaking', (event) => event.isSpeaking && isNew(event))
  expect(turn.source).toBe('captions')
  expect(nameOf(attempt.events, turn.participantId)).toBe('Ann Host')
  attempt.meeting.removePerson('bob')
  await attempt.event('participant_left', ({ participantId }) => nameOf(attempt.events, participantId) === 'Bob Berg')
})

describe('who speaks', () => {
  test('speaking-signal-csrc, rtc-roster-and-dsh: a participant comes, speaks, shares and leaves; a channel that cannot be read is reported once', async () => {
    const attempt = await inside('speaking-signal-csrc', { speed: 1000 })
    const { meeting, events, driver } = attempt
    await attempt.event('heartbeat', ({ others }) => others === 3)
    await quiet(attempt)
    meeting.addPerson({ id: 'eve', name: 'Eve Ek' })
    const { participant } = await attempt.event('participant_joined', (event) => event.participant.name === 'Eve Ek')
    events.length = 0
    // Two at once, by the sources of the sound, near the true times.
    meeting.startSpeaking('ann')
    const ann = await attempt.event('speaking', ({ isSpeaking }) => isSpeaking)
    meeting.startSpeaking('eve')
    await attempt.event('speaking', (event) => event.isSpeaking && event.participantId === participant.id)
    meeting.stopSpeaking('ann')
    meeting.stopSpeaking('eve')
    await attempt.event('speaking', (event) => !event.isSpeaking && event.participantId === participant.id)
    expect(ann).toMatchObject({ source: 'csrc', confidence: expect.any(Number) })
    const truth = meeting.truth.turns.findLast(({ personId }) => personId === 'ann')
    expect(Math.abs(ann.at - (truth?.startedAt ?? 0))).toBeLessThan(1500)

    meeting.startSharing('eve')
    await attempt.event('screen_share', (event) => event.isSharing && event.participantId === participant.id)
    meeting.stopSharing('eve')
    await attempt.event('screen_share', (event) => !event.isSharing && event.participantId === participant.id)

    expect((await driver.evidence()).signs).toMatchObject({ last: { unread: {} } })
    const bytes = Uint8Array.from([255, 255, 255])
    await until(() => {
      meeting.sendUnknown(bytes)
      return events.some(({ type }) => type === 'unread_messages')
    }, 'it is reported')
    meeting.removePerson('eve')
    await attempt.event('participant_left', (event) => event.participantId === participant.id)
    expect(events.filter(({ type }) => type === 'unread_messages')).toMatchObject([{ channels: ['main-channel'] }])
    const { signs } = await driver.evidence()
    expect(signs).toMatchObject({ last: { unread: { 'main-channel': expect.any(Number) } } })
  })

  describe('by one mark of the page', () => {
    const meeting = teams.insideTogether('speaking-signal-class', { speed: 1000 })
    beforeAll(async () => {
      await meeting().event('heartbeat', ({ others }) => others === 3)
      await quiet(meeting())
    })

    test.each(['class', 'attribute', 'before', 'after', 'motion', 'aria'])(
      'speaking-signal-%s: this mark alone is enough',
      async (mark) => {
        meeting().meeting.show(`mark-${mark}`)
        const before = meeting().events.length
        expect(await turnOf(meeting(), 'ann')).toBe('Ann Host')
        expect(await turnOf(meeting(), 'bob')).toBe('Bob Berg')
        // Without the mark the bot would ask for captions.
        const turns = meeting()
          .events.slice(before)
          .filter((event) => event.type === 'speaking')
        expect([...new Set(turns.map(({ source }) => source))]).not.toContain('captions')
      },
    )
  })

  test('speaking-signal-caption, captions-direct-item: where nothing else tells, the bot asks for captions', async () => {
    const attempt = await inside('speaking-signal-caption', { speed: 1000 })
    await attempt.event('heartbeat', ({ others }) => others === 3)
    attempt.meeting.startSpeaking('ann')
    const turn = await attempt.event('speaking', ({ isSpeaking }) => isSpeaking, 60_000)
    expect(turn.source).toBe('captions')
    expect(nameOf(attempt.events, turn.participantId)).toBe('Ann Host')
  })
})
