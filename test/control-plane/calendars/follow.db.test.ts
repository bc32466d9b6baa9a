/** The rules of docs/calendars.md#how-bots-follow-events, one by one, against the real store. */
import { describe, expect, test } from 'vitest'
import { askToLeave } from '../../../control-plane/bots/actions/stop-bot.ts'
import { readEvent } from '../../../control-plane/store/calendars/reads.ts'
import type { StandInCalendar } from '../../../packages/mock/calendars/calendar.ts'
import { MEET, openWorld } from '../world.ts'
import { PLATFORMS } from './stand-ins.ts'
import { botOf, daily, days, grow, inMinutes, later, meeting } from './world.ts'

const world = await openWorld({ calendars: true })

const HOUR = 60
const OTHER_LINK = 'https://zoom.us/j/123456789?pwd=a'

/** What happens to the event `e`; `start`: its first one. */
type Edit = (calendar: StandInCalendar, start: Date) => unknown
const respond =
  (answer: 'accepted' | 'declined'): Edit =>
  (calendar) =>
    calendar.respond('e', answer)
const link =
  (link: string | null): Edit =>
  (calendar) =>
    calendar.change('e', { link })
/** To a start so many minutes from the first one. */
const move =
  (minutes: number, length = HOUR): Edit =>
  (calendar, start) =>
    calendar.move('e', later(start, minutes), later(start, minutes + length))

/** A calendar with one event, which has a bot. */
async function withBot(inMinutes: number, generation: 'v2' | 'older' = 'v2') {
  const event = meeting('e', inMinutes)
  const set = await world.calendar({ generation, events: [event] })
  const eventId = await set.eventId('e')
  const scheduled = await set.engine.operations.scheduleBots(set.target({ eventId }), botOf(), null)
  expect(scheduled).toEqual({ eventIds: [eventId], refused: [] })
  const [bot] = await set.bots()
  const after = async (edit: Edit) => {
    edit(set.calendar, event.start)
    await set.poll()
    return set.bots()
  }
  return { ...set, start: event.start, eventId, bot: bot!, after }
}

test('a bot is a scheduled bot with the event in it, in the older generation under its own name', async () => {
  const { bot, start, eventId } = await withBot(HOUR)
  expect(bot).toMatchObject({
    ...{ is_scheduled: true, schedule_status: 'scheduled', phase: 'scheduled', join_at: start, due_at: start },
    ...{ meeting_url: MEET, meeting_platform: 'meet', event_id: eventId, event_uuid: null },
  })
  const older = await withBot(HOUR, 'older')
  expect(older.bot).toMatchObject({ generation: 'older', event_id: null, event_uuid: older.eventId })
})

const OPEN = { phase: 'scheduled' }
const CLOSED = { phase: 'closed', schedule_status: 'cancelled' }
const details = { title: 'Another', attendees: [{ email: 'ada@example.com' }] }

test.each<[what: string, inMinutes: number, edits: Edit[], bots: (start: Date) => object[]]>([
  [
    'a start that moves moves the bot',
    HOUR,
    [move(30)],
    (at) => [{ ...OPEN, join_at: later(at, 30), due_at: later(at, 30) }],
  ],
  [
    'another link is taken over',
    HOUR,
    [link(OTHER_LINK)],
    () => [{ meeting_url: OTHER_LINK, meeting_platform: 'zoom' }],
  ],
  ['a link that is removed stays in use', HOUR, [link(null)], () => [{ ...OPEN, meeting_url: MEET }]],
  ['and so after a move', HOUR, [link(null), move(1)], (at) => [{ meeting_url: MEET, join_at: later(at, 1) }]],
  [
    'another title or attendee changes nothing',
    HOUR,
    [(calendar) => calendar.change('e', details)],
    () => [{ ...OPEN, version: 0 }],
  ],
  [
    'an event that is deleted cancels the schedule',
    HOUR,
    [(calendar) => calendar.delete('e')],
    () => [{ ...CLOSED, error_code: 'EXITING_MEETING_BEFORE_RECORD' }],
  ],
  ['so does one that is declined', HOUR, [respond('declined')], () => [CLOSED]],
  ['an event that comes back gets a bot again', HOUR, [respond('declined'), respond('accepted')], () => [CLOSED, OPEN]],
  ['an event that moves behind the window loses its bot', HOUR, [move(40 * 24 * HOUR)], () => [CLOSED]],
  ['and gets one again in the window', HOUR, [move(40 * 24 * HOUR), move(0)], () => [CLOSED, OPEN]],
  ['an event that moves to a time that is over loses its bot', HOUR, [move(-5 * HOUR, 1)], () => [CLOSED]],
  [
    'an event that has begun after its move is joined late',
    HOUR,
    [move(-61)],
    (at) => [{ ...OPEN, due_at: later(at, -61) }],
  ],
  [
    'inside the four minutes a move leaves the bot and makes a second one, once',
    2,
    [move(2 * HOUR), () => {}],
    (at) => [
      { ...OPEN, join_at: at },
      { ...OPEN, join_at: later(at, 2 * HOUR) },
    ],
  ],
  [
    'so does another link',
    2,
    [link(OTHER_LINK)],
    () => [
      { ...OPEN, meeting_url: MEET },
      { ...OPEN, meeting_url: OTHER_LINK },
    ],
  ],
])('%s', async (_what, inMinutes, edits, expected) => {
  const { after, bot, start } = await withBot(inMinutes)
  let found: { id: string }[] = []
  for (const edit of edits) found = await after(edit)
  const bots = expected(start)
  expect(found).toHaveLength(bots.length)
  expect(found).toMatchObject([{ id: bot.id, ...bots[0] }, ...bots.slice(1)])
})

test('a running bot continues when its event is moved, and is stopped when it is cancelled', async () => {
  const { start, bot, spawn, after } = await withBot(2)
  await spawn(bot.id)
  const join_at = later(start, 2 * HOUR)
  expect(await after(move(2 * HOUR))).toMatchObject([{ phase: 'running' }, { ...OPEN, join_at }])
  expect(await after((calendar) => calendar.cancel('e'))).toMatchObject([
    { phase: 'ending', stop_requested_at: expect.any(Date) },
    CLOSED,
  ])
  expect(await world.rows('bot_commands', { bot_id: bot.id })).toMatchObject([{ command: { type: 'leave' } }])
})

test('a bot that was tried is not made again for the same details, however often the event is synced', async () => {
  const { bots, bot, due, engine, after } = await withBot(2)
  const failed = { phase: 'closed', status: 'failed', schedule_status: 'failed', error_code: 'INSUFFICIENT_TOKENS' }
  await world.set(bot.id, failed)
  await after((calendar) => calendar.change('e', { title: 'Another' }))
  await due({ full: true })
  await engine.settle()
  expect(await bots()).toHaveLength(1)
})

test('an event without a link gets no bot, and says so', async () => {
  const set = await world.calendar({ events: [meeting('e', HOUR, { link: null })] })
  const eventId = await set.eventId('e')
  const answer = await set.engine.operations.scheduleBots(set.target({ eventId }), botOf(), null)
  expect(answer).toMatchObject({ eventIds: [], refused: [{ eventId, code: 'NO_MEETING_URL' }] })
  set.calendar.change('e', { link: OTHER_LINK })
  await set.poll()
  expect(await set.bots()).toEqual([])
})

test('a bot that its caller cancelled does not come back with the next change of the event', async () => {
  const { database, bot, after } = await withBot(HOUR)
  await askToLeave(database, bot.id)
  expect(await after(move(1))).toMatchObject([{ phase: 'closed' }])
})

test.each([
  ['v2', [OPEN], { eventIds: [], refused: [{ code: 'BOT_STATUS' }] }],
  ['older', [], { eventIds: [expect.any(String)], refused: [] }],
] as const)(
  '%s: a request whose bot has ended is cancelled as its generation says',
  async (generation, more, answer) => {
    const { bot, eventId, engine, target, after } = await withBot(HOUR, generation)
    await world.set(bot.id, { phase: 'closed', status: 'completed', schedule_status: 'completed' })
    expect(await engine.operations.cancelBots(target({ eventId }))).toMatchObject(answer)
    expect(await after(move(30))).toMatchObject([{ phase: 'closed' }, ...more])
  },
)

/** A calendar with a daily series `s` of four whose every occurrence has a bot. */
async function withSeries(platform: 'google' | 'microsoft' = 'google') {
  const title = 'Series s'
  // Microsoft's ids of occurrences hold their day: a series that moves over midnight (UTC) is not followed rightly yet.
  const series = daily('s', inMinutes(HOUR).getUTCHours() >= 22 ? 3 * HOUR : HOUR, 4, { title })
  const set = await world.calendar({ platform, events: [series] })
  const { calendar, bots, engine } = set
  const { operations } = engine
  const target = set.target({ seriesId: await set.seriesId('s'), allOccurrences: true })
  await operations.scheduleBots(target, botOf({ bot_name: 'Of the series' }), null)
  /** Where the rule puts an occurrence. */
  const day = (count: number) => days(series.start, count)
  const one = async (count: number) => set.target({ eventId: await set.eventId('s', day(count)) })
  const waiting = async () =>
    (await bots()).filter(({ phase }) => phase === 'scheduled').sort((a, b) => +a.join_at! - +b.join_at!)
  return {
    ...set,
    operations,
    target,
    day,
    waiting,
    /** Starts of bots that wait. */
    open: async () => (await waiting()).map(({ join_at }) => join_at),
    four: [0, 1, 2, 3].map(day),
    /** Another series of the same people; returns the starts. */
    make(id: string, inMinutes: number, count: number) {
      const { start } = daily(id, inMinutes, count)
      calendar.create(daily(id, inMinutes, count, { title }))
      return Array.from({ length: count }, (_, index) => days(start, index))
    },
    exclude: async (count: number) => operations.cancelBots(await one(count)),
    nameOwn: async (count: number) =>
      operations.changeBots(await one(count), (before) => ({ ...before, bot_name: 'Of its own' })),
  }
}

describe('series', () => {
  test('every occurrence has a bot, and one that enters the window gets its own', async () => {
    const { calendar, database, name, four, poll, open, bots, eventId, day } = await withSeries()
    expect(await open()).toEqual(four)
    grow(calendar, 's', 5)
    await poll()
    expect(await open()).toEqual([...four, day(4)])
    expect((await bots()).every(({ bot_name }) => bot_name === 'Of the series')).toBe(true)
    const event = await readEvent(database, name, name.calendarId, await eventId('s', day(4)))
    expect(event).toMatchObject({ bot_scheduled: true, bot: { bot_name: 'Of the series' } })
  })

  test('an occurrence that is excluded stays excluded, also after a full sync', async () => {
    const { calendar, standIn, open, eventId, engine, exclude, due, day } = await withSeries()
    expect(await exclude(1)).toEqual({ eventIds: [await eventId('s', day(1))], refused: [] })
    calendar.change('s', { title: 'Another' }, day(1))
    calendar.move('s', later(day(1), 1), undefined, day(1))
    standIn.forgetCursors()
    await due({ full: true })
    await engine.settle()
    expect(await open()).toEqual([day(0), day(2), day(3)])
  })

  test('a second request finds its bots, and no second bot is made', async () => {
    const { open, operations, target } = await withSeries()
    const answer = await operations.scheduleBots(target, botOf(), null)
    expect(answer.eventIds).toEqual([])
    expect(answer.refused.map(({ code }) => code)).toEqual(Array(4).fill('BOT_ALREADY_SCHEDULED'))
    expect(await open()).toHaveLength(4)
  })

  test('all of them are changed and cancelled together', async () => {
    const { calendar, poll, bots, operations, target } = await withSeries()
    const callback = { url: 'https://example.com/c', method: 'POST' as const, secret: 'of the callback' }
    const changed = await operations.changeBots(target, (before) => ({ ...before, bot_name: 'Changed', callback }))
    expect(changed.eventIds).toHaveLength(4)
    expect((await bots()).map(({ bot_name }) => bot_name)).toEqual(Array(4).fill('Changed'))
    grow(calendar, 's', 5)
    await poll()
    expect((await bots()).map(({ bot_name }) => bot_name)).toEqual(Array(5).fill('Changed'))
    const cancelled = await operations.cancelBots(target)
    expect(cancelled.eventIds).toHaveLength(5)
    expect((await bots()).map(({ phase }) => phase)).toEqual(Array(5).fill('closed'))
    grow(calendar, 's', 6)
    await poll()
    expect(await bots()).toHaveLength(5)
  })

  test.each([
    ['of today', 0],
    ['of days ago', -3 * 1440],
  ])(
    'one %s whose bot has ended gets no other when it moves after all of them were cancelled',
    async (_when, minutes) => {
      const { database, calendar, poll, bots, eventId, operations, target, waiting, day } = await withSeries()
      const [first] = await waiting()
      await world.set(first!.id, { phase: 'closed', status: 'completed', schedule_status: 'completed' })
      const began = { starts_at: later(day(0), minutes), ends_at: later(day(0), minutes + HOUR) }
      const id = await eventId('s', day(0))
      await database.updateTable('calendar_events').set(began).where('id', '=', id).execute()
      expect((await operations.cancelBots(target)).eventIds).toHaveLength(3)
      calendar.move('s', later(day(0), 30), undefined, day(0))
      await poll()
      expect((await bots()).map(({ phase }) => phase)).toEqual(Array(4).fill('closed'))
    },
  )

  const EDITS: [what: string, edits: Edit[], minutes: readonly number[]][] = [
    [
      'is split: this and following',
      [(calendar, start) => calendar.split('s', days(start, 2), { start: later(days(start, 2), 30) })],
      [0, 0, 30, 30],
    ],
    ['is made again', [(calendar) => calendar.recreate('s')], [0, 0, 0, 0]],
    [
      'is made again twice within minutes',
      [
        (calendar) => calendar.recreate('s'),
        (calendar) =>
          calendar.recreate([...calendar.events.values()].find(({ existence }) => existence === 'live')!.id),
      ],
      [0, 0, 0, 0],
    ],
    ['moves', [(calendar, start) => calendar.move('s', later(start, 30))], [30, 30, 30, 30]],
  ]
  test.each(PLATFORMS.flatMap((platform) => EDITS.map((edit) => [platform, ...edit] as const)))(
    '%s: a series that %s keeps its bots, one of its own, one in its meeting, and one that is excluded',
    async (platform, _what, edits, minutes) => {
      const { calendar, poll, open, bots, day, nameOwn, exclude, spawn, waiting, operations, target } =
        await withSeries(platform)
      await nameOwn(1)
      await exclude(3)
      const [first, ...before] = await waiting()
      await spawn(first!.id)
      for (const edit of edits) {
        edit(calendar, day(0))
        await poll()
      }
      // One that is in its meeting continues; for another time its event gets a second bot.
      const moved = minutes[0] === 0 ? [] : [later(day(0), minutes[0]!)]
      expect(await open()).toEqual([...moved, later(day(1), minutes[1]!), later(day(2), minutes[2]!)])
      const after = (await waiting()).slice(moved.length)
      expect(after.map(({ id, bot_name }) => [id, bot_name])).toEqual(before.map(({ id, bot_name }) => [id, bot_name]))
      const running = (await bots()).find(({ id }) => id === first!.id)
      expect(running).toMatchObject({ phase: 'running', stop_requested_at: null })
      // The rule is that of the series which has the events now: it is changed there.
      const { series_id: seriesId } = await world.database
        .selectFrom('calendar_events')
        .select('series_id')
        .where('id', '=', after.at(-1)!.event_id)
        .executeTakeFirstOrThrow()
      await operations.changeBots({ ...target, seriesId }, (bot) => ({ ...bot, recording_mode: 'audio_only' }))
      expect((await waiting()).at(-1)).toMatchObject({ recording_mode: 'audio_only' })
    },
  )

  test('a part that the provider names after another series does not get the bot of the series that ends', async () => {
    const { calendar, database, poll, open, make } = await withSeries()
    make('t', 2 * HOUR, 2)
    await poll()
    const longAgo = { created_at: new Date(Date.now() - 24 * 3_600_000) }
    await database.updateTable('calendar_series').set(longAgo).where('provider_id', '=', 't').execute()
    calendar.delete('s')
    make('t_R20261126', 3 * HOUR, 2)
    await poll()
    expect(await open()).toEqual([])
  })

  test('a series that moves while one of its occurrences is cancelled keeps the bots of the others, and that one when it is restored', async () => {
    const { calendar, poll, open, nameOwn, waiting, day } = await withSeries('microsoft')
    await nameOwn(2)
    const before = (await waiting()).map(({ id }) => id)
    const moved = [0, 1, 2, 3].map((count) => later(day(count), 30))
    calendar.move('s', moved[0]!)
    calendar.cancel('s', moved[2])
    await poll()
    expect(await open()).toEqual([moved[0], moved[1], moved[3]])
    expect((await waiting()).map(({ id }) => id)).toEqual([before[0], before[1], before[3]])
    calendar.restore('s', moved[2])
    await poll()
    expect(await open()).toEqual(moved)
    expect((await waiting())[2]?.bot_name).toBe('Of its own')
  })

  test('the first part of a series that is made again minutes after a split does not continue in the other part', async () => {
    const { calendar, poll, open, bots, eventId, target, operations, make } = await withSeries()
    await operations.cancelBots(target)
    const [first, second] = make('t', 2 * HOUR, 3)
    await poll()
    const one = { ...target, seriesId: null, allOccurrences: false, eventId: await eventId('t', first) }
    await operations.scheduleBots(one, botOf(), null)
    calendar.split('t', second!, { start: later(second!, 3 * HOUR) })
    await poll()
    const [bot] = (await bots()).filter(({ phase }) => phase !== 'closed')
    const again = calendar.recreate('t')
    await poll()
    expect(await open()).toEqual([first])
    expect((await bots()).find(({ id }) => id === bot!.id)?.event_id).toBe(await eventId(again, first))
  })

  test('what was wanted for an event follows if the new series comes one sync after the end of the old one', async () => {
    const { calendar, poll, make, exclude, nameOwn, open, waiting, day } = await withSeries()
    await nameOwn(3)
    await exclude(2)
    for (const count of [1, 2, 3]) calendar.delete('s', day(count))
    await poll()
    const next = make('later', HOUR + 1440 + 30, 3)
    await poll()
    expect(await open()).toEqual([day(0), next[0], next[2]])
    expect((await waiting()).map(({ bot_name }) => bot_name)).toEqual(['Of the series', 'Of the series', 'Of its own'])
  })

  test('a part of a series without bots gets none from a later part that has some, also with the next sync', async () => {
    const { calendar, four, poll, open, seriesId, operations, target, make } = await withSeries()
    const t = make('t', 6 * HOUR, 4)
    await poll()
    const split = (count: number) => calendar.split('t', t[count]!, { start: later(t[count]!, 30) })
    const part = split(3)
    await poll()
    await operations.scheduleBots({ ...target, seriesId: await seriesId(part) }, botOf(), null)
    split(2)
    await poll()
    calendar.create(meeting('e', 5 * HOUR))
    await poll()
    expect(await open()).toEqual([...four, later(t[3]!, 30)])
  })

  test('of two series that look the same and are made again at once, the one without bots gets none', async () => {
    const { calendar, poll, open, make } = await withSeries()
    make('t', 6 * HOUR, 4)
    await poll()
    for (const series of ['s', 't']) calendar.delete(series)
    const again = make('again', HOUR + 10, 4)
    make('other', 6 * HOUR + 10, 4)
    await poll()
    expect(await open()).toEqual(again)
  })

  test('the rule of a series that is cancelled continues in the one that is made instead', async () => {
    const { calendar, poll, open, make } = await withSeries('microsoft')
    calendar.cancel('s')
    const instead = make('instead', 5 * HOUR, 2)
    await poll()
    expect(await open()).toEqual(instead)
  })

  test('another series of the same people does not get the bot', async () => {
    const { poll, open, make } = await withSeries()
    make('t', 2 * HOUR, 3)
    await poll()
    expect(await open()).toHaveLength(4)
  })

  test('a separate bot beside the series keeps its own configuration', async () => {
    const { waiting, operations, target, nameOwn } = await withSeries()
    await nameOwn(2)
    await operations.changeBots(target, (before) => ({ ...before, recording_mode: 'audio_only' }))
    const [theirs, own] = ['Of the series', 'Of its own']
    expect((await waiting()).map(({ bot_name }) => bot_name)).toEqual([theirs, theirs, own, theirs])
    expect((await waiting()).map(({ recording_mode }) => recording_mode)).toEqual(Array(4).fill('audio_only'))
  })
})

describe('the connection', () => {
  test('a calendar that is disconnected cancels its schedules and leaves what runs', async () => {
    const { name, bots, operations, spawn, row, events, watches } = await withSeries()
    const [first] = await bots()
    await spawn(first!.id)
    await operations.disconnect(name)
    const found = await bots()
    expect(found.find(({ id }) => id === first!.id)).toMatchObject({ phase: 'running', stop_requested_at: null })
    expect(found.filter(({ phase }) => phase === 'closed')).toHaveLength(3)
    expect(await events()).toEqual([])
    expect(await row()).toMatchObject({ credentials: null, access_token: null, cursor: null })
    expect(watches()).toEqual([])
  })

  test('a dead token deletes no bot', async () => {
    const { alter, standIn, account, poll, open, row, messages } = await withSeries()
    standIn.tokens.revoke(account)
    await alter({ access_token: null })
    await poll()
    expect(await row()).toMatchObject({ status: 'revoked', sync_status: 'failed' })
    expect(await open()).toHaveLength(4)
    expect((await messages()).filter(({ event }) => event === 'calendar.connection_error')).toHaveLength(1)
  })

  test('the older update removes every schedule first', async () => {
    const { engine, credentials, name, bots, events } = await withBot(HOUR, 'older')
    await engine.operations.update(name, credentials(), { cancelsSchedules: true, platform: 'google' })
    await engine.settle()
    expect(await bots()).toMatchObject([{ phase: 'closed', schedule_status: 'cancelled' }])
    expect(await events()).toHaveLength(1)
  })
})
