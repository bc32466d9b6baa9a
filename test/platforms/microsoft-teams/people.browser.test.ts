import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import type { MeetingEvent } from '../../../core/meeting/meeting.ts'
import { shownShare } from '../../media/meeting-recording.ts'
import { isComposite, pictureOf } from '../conformance/pictures.ts'
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

test('no-call-object, captions-submenu: people by signalling alone, and who speaks by captions from the menu', {
  timeout: 600_000,
}, async () => {
  const attempt = await inside('no-call-object', { speed: 4 })
  await until(() => joined(attempt.events).length === 3, 'every participant is reported, and the bot is not')
  expect(joined(attempt.events)).toEqual(attempt.meeting.people.map(({ name }) => name).sort())
  await attempt.event('heartbeat', ({ others }) => others === 3)
  // The scenario's own turns end one that is begun here.
  const { turns } = attempt.meeting.truth
  await until(
    () => turns.length >= 3 && turns.every(({ endedAt }) => endedAt !== null),
    "the scenario's turns are over",
    400_000,
  )
  attempt.meeting.startSpeaking('ann')
  const turn = await attempt.event('speaking', ({ isSpeaking }) => isSpeaking, 60_000)
  expect(turn.source).toBe('captions')
  expect(nameOf(attempt.events, turn.participantId)).toBe('Ann Host')
  attempt.meeting.removePerson('bob')
  await attempt.event('participant_left', ({ participantId }) => nameOf(attempt.events, participantId) === 'Bob Berg')
})

test('rtc-roster-and-dsh: a participant comes, speaks, shares and leaves', async () => {
  const attempt = await inside('open')
  const { meeting } = attempt
  await attempt.event('heartbeat', ({ others }) => others === 2)
  meeting.addPerson({ id: 'eve', name: 'Eve Ek' })
  const { participant } = await attempt.event('participant_joined', (event) => event.participant.name === 'Eve Ek')
  expect(await turnOf(attempt, 'eve')).toBe('Eve Ek')
  meeting.startSharing('eve')
  await attempt.event('screen_share', (event) => event.isSharing && event.participantId === participant.id)
  meeting.stopSharing('eve')
  await attempt.event('screen_share', (event) => !event.isSharing && event.participantId === participant.id)
  meeting.removePerson('eve')
  await attempt.event('participant_left', (event) => event.participantId === participant.id)
})

test('a channel that the driver can no longer read is reported once and counted in the evidence', async () => {
  const attempt = await inside('open')
  const { meeting, events, driver } = attempt
  await attempt.event('heartbeat', ({ others }) => others === 2)
  expect(await turnOf(attempt, 'ann')).toBe('Ann Host')
  expect((await driver.evidence()).signs).toMatchObject({ last: { unread: {} } })
  const bytes = Uint8Array.from([255, 255, 255])
  await until(() => {
    meeting.sendUnknown(bytes)
    return events.some(({ type }) => type === 'unread_messages')
  }, 'it is told')
  meeting.addPerson({ id: 'eve', name: 'Eve Ek' })
  await attempt.event('participant_joined', (event) => event.participant.name === 'Eve Ek')
  const reported = events.filter(({ type }) => type === 'unread_messages')
  expect(reported).toMatchObject([{ channels: ['main-channel'] }])
  const { signs } = await driver.evidence()
  expect(signs).toMatchObject({ last: { unread: { 'main-channel': expect.any(Number) } } })
})

describe('who speaks', () => {
  test('speaking-signal-csrc, overlapping-speakers: the sources of the sound, near the true times', async () => {
    const attempt = await inside('speaking-signal-csrc', { speed: 1000 })
    const { meeting, events } = attempt
    await attempt.event('heartbeat', ({ others }) => others === 3)
    await quiet(attempt)
    events.length = 0
    meeting.startSpeaking('ann')
    const ann = await attempt.event('speaking', ({ isSpeaking }) => isSpeaking)
    meeting.startSpeaking('bob')
    const bob = await attempt.event(
      'speaking',
      (event) => event.isSpeaking && event.participantId !== ann.participantId,
    )
    meeting.stopSpeaking('ann')
    meeting.stopSpeaking('bob')
    await attempt.event('speaking', (event) => !event.isSpeaking && event.participantId === bob.participantId)
    expect(ann).toMatchObject({ source: 'csrc', confidence: expect.any(Number) })
    const truth = meeting.truth.turns.findLast(({ personId }) => personId === 'ann')
    expect(Math.abs(ann.at - (truth?.startedAt ?? 0))).toBeLessThan(1500)
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

test('screenshare-with-speaker: the recorded picture is the screen, with who speaks beside it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'standin-teams-'))
  const attempt = await inside('open', { driver: { recordingMode: 'speaker_view' } })
  await attempt.driver.prepareRecording(attempt.signal)
  attempt.meeting.startSharing('bob')
  attempt.meeting.startSpeaking('ann')
  await expect
    .poll(
      async () => {
        const shown = await pictureOf(await attempt.driver.screenshot(), folder)
        const ann = shownShare(shown, 0)
        // Large she would fill more than half of it.
        return { isComposite: isComposite(shown), annIsSmall: ann > 0.01 && ann < 0.2 }
      },
      { timeout: 45_000, interval: 500 },
    )
    .toEqual({ isComposite: true, annIsSmall: true })
  rmSync(folder, { recursive: true })
})
