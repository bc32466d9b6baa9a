import { expect, test } from 'vitest'
import type { MeetingEvent } from '../../../../packages/core/meeting/meeting.ts'
import { MeetingWatch, type Watching } from '../../../../platforms/shared/in-call/meeting-watch.ts'
import { DeviceToggles } from '../../../../platforms/shared/join/device-toggles.ts'
import { NoAnswer } from '../../../../platforms/shared/page-access/no-answer.ts'
import { HandClock } from '../../../fakes/clock.ts'
import { type Kind, looksOf, ScriptedPage, type ScriptedSigns, SENSE } from '../scripted-page.ts'

async function inMeeting(more: Partial<Watching<ScriptedSigns, Kind>> = {}) {
  const clock = new HandClock()
  const scripted = new ScriptedPage(clock)
  const page = scripted.asPage()
  let reloads = 0
  const watch = new MeetingWatch<ScriptedSigns, Kind>({
    page,
    classifier: SENSE,
    devices: new DeviceToggles(page, { microphone: 'off', camera: 'off' }),
    answerOpenDialog: async () => null,
    note: () => {},
    onNewDocument: () => {
      reloads += 1
    },
    ...more,
  })
  const events: MeetingEvent[] = []
  scripted.shows = 'call'
  await watch.begin()
  const shows = async (kind: Kind | null, ms: number) => {
    scripted.shows = kind
    await clock.advance(ms)
  }
  await shows('call', 500)
  watch.watch((event) => events.push(event))
  const reported = () => events.filter(({ type }) => type !== 'heartbeat')
  return { clock, scripted, watch, events, reported, shows, reloads: () => reloads }
}

test('events from before the first listener are delivered to it', async () => {
  const { events } = await inMeeting()
  expect(events[0]).toMatchObject({ type: 'heartbeat', others: 2 })
})

test('a voice waits for no poll', async () => {
  const { watch, reported } = await inMeeting()
  watch.reportVoice('ann', true, 7)
  expect(reported()).toEqual([{ type: 'voice', participantId: 'ann', isHeard: true, at: 7 }])
})

const ended = { type: 'ended', end: 'ended_for_all' }
const silent = async () => {
  throw new NoAnswer()
}
const failed = (code: string) => ({ type: 'failed', error: { code } })
/** The page as it looks for so many seconds → the number of events that were reported by then. */
test.each<[string, string, Partial<Watching<ScriptedSigns, Kind>>, object[]]>([
  [
    'an end needs two looks that agree, and nothing comes after it',
    'over 1 → 0, call 1 → 0, over 2 → 1, call 5 → 1',
    {},
    [ended],
  ],
  [
    'an end that needs more looks gets them, and carries the code of its platform',
    'over 3 → 0, over 1 → 1',
    { endLooks: { over: 4 }, codeBeforeRecording: 'MEETING_ENDED_PREMATURELY' },
    [{ ...ended, codeBeforeRecording: 'MEETING_ENDED_PREMATURELY' }],
  ],
  ['a failure that a page shows is one after two looks', 'broken 2 → 1', {}, [failed('CANNOT_JOIN_MEETING')]],
  [
    'a connection may come back; one that does not is a failure',
    'lost 30 → 1, call 1 → 2, lost 45 → 4',
    {},
    [
      ...[{ state: 'lost' }, { state: 'recovered' }, { state: 'lost' }],
      { type: 'failed', error: { code: 'INTERNAL_ERROR', step: 'connection' } },
    ],
  ],
  ['a page that shows neither is a failure after its limit', 'odd 115 → 0, odd 10 → 1', {}, [failed('INTERNAL_ERROR')]],
  [
    'a waiting room after admission means that the bot was not admitted: the end is the answer to its join request',
    'lobby 600 → 0, over 3 → 1',
    {},
    [failed('BOT_NOT_ACCEPTED')],
  ],
  [
    'where a host can put people back into the waiting room, the end is an end',
    'lobby 600 → 0, over 3 → 1',
    { canBePutBack: true },
    [ended],
  ],
  [
    'a dialog that the page does not answer is no failure',
    'call 9 → 0, over 2 → 1',
    { answerOpenDialog: silent },
    [ended],
  ],
  ['a task that the page does not answer is no failure', 'call 9 → 0, over 2 → 1', { afterPoll: silent }, [ended]],
  ['captions that the page does not answer', 'call 9 → 0, over 2 → 1', { captions: { turnOn: silent } }, [ended]],
])('%s', async (_what, story, more, expected) => {
  const { reported, shows } = await inMeeting(more)
  for (const { kind, seconds, count } of looksOf(story)) {
    await shows(kind, seconds * 1000)
    expect(reported()).toHaveLength(count!)
  }
  expect(reported()).toMatchObject(expected)
})

test('an end is as old as the first sign of it that the page noted', async () => {
  const { clock, scripted, reported, shows } = await inMeeting()
  await shows('call', 1000)
  const goneAt = clock.now() + 300
  scripted.callGoneAt = goneAt
  await shows('over', 3000)
  expect(reported()).toMatchObject([{ type: 'ended', at: goneAt }])
})

test('an end is not older than the last look at the meeting, nor younger than the first at its end', async () => {
  for (const goneIn of [-60_000, 60_000]) {
    const { clock, scripted, reported, events, shows } = await inMeeting()
    await shows('call', 1000)
    const seenAt = events.findLast((event) => event.type === 'heartbeat')!.at
    scripted.callGoneAt = clock.now() + goneIn
    await shows('over', 3000)
    expect(reported()).toMatchObject([{ type: 'ended', at: goneIn < 0 ? seenAt : seenAt + 1000 }])
  }
})

test('the end of a meeting that ended while the page stalled has the time of the first poll after the stall', async () => {
  const { clock, reported, shows } = await inMeeting()
  await shows('call', 1000)
  await shows(null, 7000)
  const thawedAt = clock.now()
  await shows('over', 3000)
  const [ended] = reported()
  if (ended?.type !== 'ended') throw new Error('The end was not told')
  expect(ended.at).toBeGreaterThanOrEqual(thawedAt)
  expect(ended.at - thawedAt).toBeLessThanOrEqual(1000)
})

test('while the page may not be the meeting, participants are not counted', async () => {
  const { events, shows } = await inMeeting()
  await shows('odd', 5000)
  expect(events.at(-1)).toMatchObject({ type: 'heartbeat', others: null })
})

test('a reloaded page receives the command to begin; its events come after that of the new document', async () => {
  const { scripted, reported, shows, reloads, events } = await inMeeting()
  const ann = { type: 'participant_joined', participant: { id: 'a', name: 'Ann', isHost: false }, at: 0 } as const
  scripted.events = [ann]
  await shows('call', 1000)
  const [asked, loaded] = [scripted.asked.length, reloads()]
  const lastAt = events.flatMap((event) => (event.type === 'heartbeat' ? [event.at] : [])).at(-1)
  scripted.reload()
  scripted.events = [ann]
  await shows('call', 2000)
  expect(scripted.asked.slice(asked)).toEqual(['begin'])
  expect(reloads()).toBe(loaded + 1)
  expect(reported()).toEqual([ann, { type: 'new_document', lastAt, at: expect.any(Number) }, ann])
})

test('events that the page dropped are reported once, and the end of the meeting is seen at the next polls', async () => {
  const { scripted, reported, shows } = await inMeeting()
  scripted.dropped = 40
  await shows('call', 3000)
  expect(reported()).toMatchObject([{ type: 'events_dropped', count: 40 }])
  scripted.dropped = 45
  await shows('over', 2000)
  expect(reported().slice(1)).toMatchObject([
    { type: 'events_dropped', count: 5 },
    { type: 'ended', end: 'ended_for_all' },
  ])
})

test('messages of the platform that cannot be read are reported once, and a single one is not', async () => {
  const { scripted, reported, shows } = await inMeeting()
  scripted.unread = { collections: 2 }
  await shows('call', 2000)
  expect(reported()).toEqual([])
  scripted.unread = { collections: 3, captions: 1 }
  await shows('call', 2000)
  scripted.unread = { collections: 300, captions: 100 }
  await shows('call', 2000)
  expect(reported()).toMatchObject([{ type: 'unread_messages', channels: ['collections'] }])
})

test('rejected answers of the page are reported first at once, and then each time that their number doubles', async () => {
  const { scripted, reported, shows } = await inMeeting()
  for (const refused of [0, 1, 1, 2, 3, 4, 7]) {
    scripted.refused = refused
    await shows('call', 1000)
  }
  expect(reported().map((event) => event.type === 'events_refused' && event.count)).toEqual([1, 2, 4])
})
