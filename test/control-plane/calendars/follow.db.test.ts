/** The rules of docs/calendars.md#how-bots-follow-events, one by one, against the real store. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { askToLeave } from '../../../control-plane/bots/actions/stop-bot.ts'
import type { ProviderEvent } from '../../../control-plane/calendars/ports.ts'
import { readEvent } from '../../../control-plane/store/calendars/reads.ts'
import { eventOf, type MemoryCalendar, seriesOf } from './memory-provider.ts'
import { botOf, type CalendarWorld, openCalendarWorld } from './world.ts'

let world: CalendarWorld
beforeAll(async () => {
  world = await openCalendarWorld()
})
afterAll(() => world.close())

const HOUR = 60
const OTHER_LINK = 'https://zoom.us/j/123456789?pwd=a'

type Edit = (calendar: MemoryCalendar, event: ProviderEvent) => unknown
const cancel: Edit = (calendar) => calendar.change('e', { status: 'cancelled' })
const restore: Edit = (calendar) => calendar.change('e', { status: 'confirmed' })
const link =
  (meetingUrl: string | null): Edit =>
  (calendar) =>
    calendar.change('e', { meetingUrl })
/** To a start so many minutes from the first one. */
const move =
  (minutes: number, length = HOUR): Edit =>
  (calendar, event) =>
    calendar.change('e', { start: later(event, minutes), end: later(event, minutes + length) })
const later = ({ start }: ProviderEvent, minutes: number) => new Date(start.getTime() + minutes * 60_000)

/** A calendar with one event, which has a bot. */
async function withBot(inMinutes: number, generation: 'v2' | 'older' = 'v2') {
  const set = await world.setting({ generation })
  const calendar = set.provider.add(`c${set.newId()}`)
  const event = calendar.put(eventOf('e', inMinutes))
  const name = await set.connect(calendar)
  const eventId = await set.eventId(name, 'e')
  const scheduled = await set.engine.operations.scheduleBots(set.target(name, { eventId }), botOf(), null)
  expect(scheduled).toEqual({ eventIds: [eventId], refused: [] })
  const [bot] = await set.bots(name)
  const after = async (edit: Edit) => {
    edit(calendar, event)
    await set.poll(name)
    return set.bots(name)
  }
  return { ...set, calendar, event, name, eventId, bot: bot!, after }
}

test('a bot is a scheduled bot with the event in it, in the older generation under its own name', async () => {
  const { bot, event, eventId } = await withBot(HOUR)
  expect(bot).toMatchObject({
    is_scheduled: true,
    schedule_status: 'scheduled',
    phase: 'scheduled',
    join_at: event.start,
    due_at: event.start,
    meeting_url: event.meetingUrl,
    meeting_platform: 'meet',
    event_id: eventId,
    event_uuid: null,
  })
  const older = await withBot(HOUR, 'older')
  expect(older.bot).toMatchObject({ generation: 'older', event_id: null, event_uuid: older.eventId })
})

const OPEN = { phase: 'scheduled' }
const CLOSED = { phase: 'closed', schedule_status: 'cancelled' }
const ada = { email: 'a@example.com', name: 'Ada', responseStatus: 'accepted' as const }

test.each<[what: string, inMinutes: number, edits: Edit[], bots: (event: ProviderEvent) => object[]]>([
  [
    'a start that moves moves the bot',
    HOUR,
    [move(30)],
    (e) => [{ ...OPEN, join_at: later(e, 30), due_at: later(e, 30) }],
  ],
  [
    'another link is taken over',
    HOUR,
    [link(OTHER_LINK)],
    () => [{ meeting_url: OTHER_LINK, meeting_platform: 'zoom' }],
  ],
  ['a link that is removed stays in use', HOUR, [link(null)], (e) => [{ ...OPEN, meeting_url: e.meetingUrl }]],
  ['and so after a move', HOUR, [link(null), move(1)], (e) => [{ meeting_url: e.meetingUrl, join_at: later(e, 1) }]],
  [
    'another title or attendee changes nothing',
    HOUR,
    [
      (calendar) =>
        calendar.change('e', {
          title: 'Another',
          attendees: [{ ...ada, isOrganizer: false, isSelf: false, isResource: false }],
        }),
    ],
    () => [{ ...OPEN, version: 0 }],
  ],
  [
    'an event that is deleted cancels the schedule',
    HOUR,
    [(calendar) => calendar.delete('e')],
    () => [{ ...CLOSED, error_code: 'EXITING_MEETING_BEFORE_RECORD' }],
  ],
  ['so does one that is cancelled or declined', HOUR, [cancel], () => [CLOSED]],
  ['an event that comes back gets a bot again', HOUR, [cancel, restore], () => [CLOSED, OPEN]],
  ['an event that moves behind the window loses its bot', HOUR, [move(40 * 24 * HOUR)], () => [CLOSED]],
  ['and gets one again in the window', HOUR, [move(40 * 24 * HOUR), move(0)], () => [CLOSED, OPEN]],
  ['an event that moves to a time that is over loses its bot', HOUR, [move(-5 * HOUR, 1)], () => [CLOSED]],
  [
    'an event that has begun after its move is joined late',
    HOUR,
    [move(-61)],
    (e) => [{ ...OPEN, due_at: later(e, -61) }],
  ],
  [
    'inside the four minutes a move leaves the bot and makes a second one, once',
    2,
    [move(2 * HOUR), () => {}],
    (e) => [
      { ...OPEN, join_at: e.start },
      { ...OPEN, join_at: later(e, 2 * HOUR) },
    ],
  ],
  [
    'so does another link',
    2,
    [link(OTHER_LINK)],
    (e) => [
      { ...OPEN, meeting_url: e.meetingUrl },
      { ...OPEN, meeting_url: OTHER_LINK },
    ],
  ],
])('%s', async (_what, inMinutes, edits, expected) => {
  const { after, bot, event } = await withBot(inMinutes)
  let found: { id: string }[] = []
  for (const edit of edits) found = await after(edit)
  const bots = expected(event)
  expect(found).toHaveLength(bots.length)
  expect(found).toMatchObject([{ id: bot.id, ...bots[0] }, ...bots.slice(1)])
})

test('a running bot continues when its event is moved, and is stopped when it is cancelled', async () => {
  const { event, bot, spawn, commands, after } = await withBot(2)
  await spawn(bot.id)
  const join_at = later(event, 2 * HOUR)
  expect(await after(move(2 * HOUR))).toMatchObject([{ phase: 'running' }, { ...OPEN, join_at }])
  expect(await after((calendar) => calendar.delete('e'))).toMatchObject([
    { phase: 'ending', stop_requested_at: expect.any(Date) },
    CLOSED,
  ])
  expect(await commands(bot.id)).toEqual([{ command: { type: 'leave' } }])
})

test('a bot that was tried is not made again for the same details, however often the event is synced', async () => {
  const { database, name, bots, bot, due, engine, after } = await withBot(2)
  await database
    .updateTable('bots')
    .set({ phase: 'closed', status: 'failed', schedule_status: 'failed', error_code: 'INSUFFICIENT_TOKENS' })
    .where('id', '=', bot.id)
    .execute()
  await after((calendar) => calendar.change('e', { title: 'Another' }))
  await due(name.calendarId, { full: true })
  await engine.settle()
  expect(await bots(name)).toHaveLength(1)
})

test('an event without a link gets no bot, and says so', async () => {
  const set = await world.setting()
  const calendar = set.provider.add(`c${set.newId()}`)
  calendar.put(eventOf('e', HOUR, { meetingUrl: null }))
  const name = await set.connect(calendar)
  const eventId = await set.eventId(name, 'e')
  const answer = await set.engine.operations.scheduleBots(set.target(name, { eventId }), botOf(), null)
  expect(answer).toMatchObject({ eventIds: [], refused: [{ eventId, code: 'NO_MEETING_URL' }] })
  calendar.change('e', { meetingUrl: OTHER_LINK })
  await set.poll(name)
  expect(await set.bots(name)).toEqual([])
})

test('a bot that its caller cancelled does not come back with the next change of the event', async () => {
  const { database, bot, after } = await withBot(HOUR)
  await askToLeave(database, bot.id)
  expect(await after(move(1))).toMatchObject([{ phase: 'closed' }])
})

/** A calendar with a series of four whose every occurrence has a bot. */
async function withSeries(values: { isMicrosoft?: boolean } = {}) {
  const set = await world.setting({ platform: values.isMicrosoft ? 'microsoft' : 'google' })
  const calendar = set.provider.add(`c${set.newId()}`)
  const make = (...series: Parameters<typeof seriesOf>) => {
    const [id, inMinutes, count, fields] = series
    return seriesOf(id, inMinutes, count, { title: 'Series s', ...fields }).map((event) => calendar.put(event))
  }
  const occurrences = make('s', HOUR, 4)
  const name = await set.connect(calendar)
  const seriesId = await set.seriesId(name, 's')
  const target = set.target(name, { seriesId, allOccurrences: true })
  const { operations } = set.engine
  await operations.scheduleBots(target, botOf({ bot_name: 'Of the series' }), null)
  const bots = () => set.bots(name)
  const eventId = (id: string) => set.eventId(name, id)
  const one = async (id: string) => ({ ...target, allOccurrences: false, eventId: await eventId(id) })
  return {
    ...set,
    calendar,
    make,
    /** Occurrences of a series that are deleted, all four without a list. */
    remove: (series: string, days = [0, 1, 2, 3]) => days.map((day) => calendar.delete(`${series}_${day}`)),
    occurrences,
    name,
    target,
    operations,
    bots,
    eventId,
    seriesId: (id: string) => set.seriesId(name, id),
    poll: () => set.poll(name),
    one,
    exclude: async (id: string) => operations.cancelBots(await one(id)),
    nameOwn: async (id: string) =>
      operations.changeBots(await one(id), (before) => ({ ...before, bot_name: 'Of its own' })),
    open: async () =>
      (await bots())
        .filter(({ phase }) => phase !== 'closed')
        .map(({ join_at }) => join_at!.toISOString())
        .sort(),
    waiting: async () =>
      (await bots()).filter(({ phase }) => phase === 'scheduled').sort((a, b) => +a.join_at! - +b.join_at!),
    starts: (events: readonly { start: Date }[]) => events.map(({ start }) => start.toISOString()),
  }
}

describe('series', () => {
  test('every occurrence has a bot, and one that enters the window gets its own', async () => {
    const { database, calendar, occurrences, name, poll, open, starts, bots, eventId } = await withSeries()
    expect(await open()).toEqual(starts(occurrences))
    const late = calendar.put({ ...seriesOf('s', HOUR, 6)[5]! })
    await poll()
    expect(await open()).toEqual(starts([...occurrences, late]))
    expect((await bots()).every(({ bot_name }) => bot_name === 'Of the series')).toBe(true)
    const event = await readEvent(database, name, name.calendarId, await eventId('s_5'))
    expect(event).toMatchObject({ bot_scheduled: true, bot: { bot_name: 'Of the series' } })
  })

  test('an occurrence that is excluded stays excluded, also after a full sync', async () => {
    const { calendar, occurrences, name, open, starts, eventId, engine, exclude, due } = await withSeries()
    expect(await exclude('s_1')).toEqual({ eventIds: [await eventId('s_1')], refused: [] })
    calendar.change('s_1', { title: 'Another', start: new Date(occurrences[1]!.start.getTime() + 60_000) })
    calendar.killCursors()
    await due(name.calendarId, { full: true })
    await engine.settle()
    expect(await open()).toEqual(starts([occurrences[0]!, occurrences[2]!, occurrences[3]!]))
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
    const changed = await operations.changeBots(target, (before) => ({
      ...before,
      bot_name: 'Changed',
      callback: { url: 'https://example.com/c', method: 'POST', secret: 'of the callback' },
    }))
    expect(changed.eventIds).toHaveLength(4)
    expect((await bots()).map(({ bot_name }) => bot_name)).toEqual(Array(4).fill('Changed'))
    calendar.put(seriesOf('s', HOUR, 5)[4]!)
    await poll()
    expect((await bots()).map(({ bot_name }) => bot_name)).toEqual(Array(5).fill('Changed'))
    const cancelled = await operations.cancelBots(target)
    expect(cancelled.eventIds).toHaveLength(5)
    expect((await bots()).map(({ phase }) => phase)).toEqual(Array(5).fill('closed'))
    calendar.put(seriesOf('s', HOUR, 6)[5]!)
    await poll()
    expect(await bots()).toHaveLength(5)
  })

  test.each([false, true])(
    'this and following: the series that takes its place gets the bot (Microsoft: %s)',
    async (isMicrosoft) => {
      const { occurrences, poll, open, starts, make, remove } = await withSeries({ isMicrosoft })
      remove('s', [2, 3])
      const newId = isMicrosoft ? 'another' : 's_R20261126'
      const moved = make(newId, HOUR + 2 * 1440 + 30, 2)
      await poll()
      expect(await open()).toEqual(starts([occurrences[0]!, occurrences[1]!, ...moved]))
    },
  )

  test('a part that the provider names after another series does not get the bot of the series that ends', async () => {
    const { database, poll, open, make, remove } = await withSeries()
    make('t', 2 * HOUR, 2)
    await poll()
    const longAgo = { created_at: new Date(Date.now() - 24 * 3_600_000) }
    await database.updateTable('calendar_series').set(longAgo).where('provider_id', '=', 't').execute()
    remove('s')
    make('t_R20261126', 3 * HOUR, 2)
    await poll()
    expect(await open()).toEqual([])
  })

  test.each([false, true])(
    'a rule is handed on with the ids of a series that is made again, and a separate bot too (Microsoft: %s)',
    async (isMicrosoft) => {
      const { poll, starts, bots, eventId, seriesId, operations, target, make, remove, nameOwn } = await withSeries({
        isMicrosoft,
      })
      await nameOwn('s_1')
      const before = await bots()
      remove('s')
      const again = make('again', HOUR + 30, 4)
      await poll()
      const after = await bots()
      const shown = (found: typeof before) => found.map(({ id, bot_name }) => [id, bot_name]).sort()
      expect(shown(after)).toEqual(shown(before))
      expect(after.map(({ join_at }) => join_at!.toISOString()).sort()).toEqual(starts(again))
      expect(after.find(({ bot_name }) => bot_name === 'Of its own')?.event_id).toBe(await eventId('again_1'))
      // The rule is that of the new series: it is changed there.
      const changed = await operations.changeBots({ ...target, seriesId: await seriesId('again') }, (bot) => ({
        ...bot,
        recording_mode: 'audio_only',
      }))
      expect(changed.eventIds).toHaveLength(4)
    },
  )

  test('a bot that is in its meeting stays there when the series moves, and an excluded occurrence stays excluded', async () => {
    const { poll, starts, bots, make, remove, exclude, waiting, spawn } = await withSeries()
    const [first] = await bots()
    await spawn(first!.id)
    await exclude('s_2')
    remove('s')
    const moved = make('again', HOUR + 30, 4)
    await poll()
    const open = (await bots()).filter(({ phase }) => phase !== 'closed')
    expect(open.find(({ id }) => id === first!.id)).toMatchObject({ phase: 'running', stop_requested_at: null })
    expect(starts((await waiting()).map(({ join_at }) => ({ start: join_at! })))).toEqual(
      starts([moved[0]!, moved[1]!, moved[3]!]),
    )
  })

  test('a series that moves while one of its occurrences is cancelled keeps the bots of the others, and that one when it is restored', async () => {
    const { calendar, poll, open, starts, make, remove, nameOwn, waiting } = await withSeries()
    await nameOwn('s_2')
    const before = (await waiting()).map(({ id }) => id)
    remove('s')
    const moved = make('m', 12 * HOUR, 4, { seriesProviderId: 's' })
    calendar.change('m_2', { status: 'cancelled' })
    await poll()
    expect(await open()).toEqual(starts([moved[0]!, moved[1]!, moved[3]!]))
    expect((await waiting()).map(({ id }) => id)).toEqual([before[0], before[1], before[3]])
    calendar.change('m_2', { status: 'confirmed' })
    await poll()
    expect(await open()).toEqual(starts(moved))
    expect((await waiting())[2]?.bot_name).toBe('Of its own')
  })

  test('a series that is made again twice within minutes keeps its bots', async () => {
    const { poll, bots, make, remove } = await withSeries()
    const before = (await bots()).map(({ id }) => id).sort()
    for (const [old, by] of ['s', 'again', 'third'].map((id, index, ids) => [id, ids[index + 1]] as const)) {
      if (by === undefined) break
      remove(old!)
      make(by, HOUR, 4)
      await poll()
    }
    const after = (await bots()).map(({ id, phase }) => [id, phase]).sort()
    expect(after).toEqual(before.map((id) => [id, 'scheduled']))
  })

  test('the first part of a series that is made again minutes after a split does not continue in the other part', async () => {
    const { calendar, poll, open, starts, bots, eventId, operations, target, make } = await withSeries()
    await operations.cancelBots(target)
    const [first, ...others] = seriesOf('t', 2 * HOUR, 3)
    for (const event of [first!, ...others]) calendar.put(event)
    await poll()
    const one = { ...target, seriesId: null, allOccurrences: false, eventId: await eventId('t_0') }
    await operations.scheduleBots(one, botOf(), null)
    for (const { providerId } of others) calendar.delete(providerId)
    make('t_R20261128', 5 * HOUR + 1440, 2, { title: 'Series t' })
    await poll()
    const [bot] = (await bots()).filter(({ phase }) => phase !== 'closed')
    calendar.delete('t_0')
    const { start, end, originalStart } = first!
    calendar.put(seriesOf('again', 2 * HOUR, 1, { title: 'Series t', start, end, originalStart })[0]!)
    await poll()
    expect(await open()).toEqual(starts([first!]))
    expect((await bots()).find(({ id }) => id === bot!.id)?.event_id).toBe(await eventId('again_0'))
  })

  test('what was wanted for an event follows if the new series comes one sync after the end of the old one', async () => {
    const { poll, eventId, make, remove, exclude, nameOwn, waiting } = await withSeries()
    await nameOwn('s_3')
    await exclude('s_2')
    remove('s', [1, 2, 3])
    await poll()
    make('later', HOUR + 1440 + 30, 3)
    await poll()
    const found = await waiting()
    const names = new Map(found.map((bot) => [bot.event_id, bot.bot_name]))
    const shown = await Promise.all(['s_0', 'later_0', 'later_1', 'later_2'].map((id) => eventId(id)))
    expect(shown.map((id) => names.get(id))).toEqual(['Of the series', 'Of the series', undefined, 'Of its own'])
    expect(found).toHaveLength(3)
  })

  test('a part of a series without bots gets none from a later part that has some, also with the next sync', async () => {
    const { calendar, occurrences, poll, open, starts, seriesId, operations, target, make } = await withSeries()
    make('t', 6 * HOUR, 4)
    await poll()
    const split = (at: number) => {
      calendar.delete(`t_${at}`)
      return calendar.put(seriesOf(`t_R2026112${at}`, (6 + at * 24) * HOUR + 30, 1)[0]!)
    }
    const later = split(3)
    await poll()
    await operations.scheduleBots({ ...target, seriesId: await seriesId('t_R20261123') }, botOf(), null)
    split(2)
    await poll()
    calendar.put(eventOf('e', 5 * HOUR))
    await poll()
    expect(await open()).toEqual(starts([...occurrences, later]))
  })

  test('of two series that look the same and are made again at once, the one without bots gets none', async () => {
    const { calendar, poll, open, starts, make, remove } = await withSeries()
    make('t', 6 * HOUR, 4)
    await poll()
    for (const series of ['s', 't']) remove(series)
    const again = seriesOf('again', HOUR + 10, 4, { title: 'Series s' })
    for (const event of [...again, ...seriesOf('other', 6 * HOUR + 10, 4, { title: 'Series s' })]) calendar.put(event)
    await poll()
    expect(await open()).toEqual(starts(again))
  })

  test('the rule of a series that is cancelled continues in the one that is made instead', async () => {
    const { calendar, poll, open, starts, make } = await withSeries({ isMicrosoft: true })
    for (let day = 0; day < 4; day++) calendar.change(`s_${day}`, { status: 'cancelled' })
    const instead = make('instead', 5 * HOUR, 2)
    await poll()
    expect(await open()).toEqual(starts(instead))
  })

  test('another series of the same people does not get the bot', async () => {
    const { poll, open, make } = await withSeries()
    make('t', 2 * HOUR, 3)
    await poll()
    expect(await open()).toHaveLength(4)
  })

  test('a separate bot beside the series keeps its own configuration', async () => {
    const { bots, operations, target, nameOwn } = await withSeries()
    await nameOwn('s_2')
    await operations.changeBots(target, (before) => ({ ...before, recording_mode: 'audio_only' }))
    const found = await bots()
    expect(found.map(({ bot_name }) => bot_name).sort()).toEqual(
      [...Array(3).fill('Of the series'), 'Of its own'].sort(),
    )
    expect(found.map(({ recording_mode }) => recording_mode)).toEqual(Array(4).fill('audio_only'))
  })
})

describe('the connection', () => {
  test('a calendar that is disconnected cancels its schedules and leaves what runs', async () => {
    const { calendar, name, bots, engine, spawn, row, events } = await withSeries()
    const [first] = await bots()
    await spawn(first!.id)
    await engine.operations.disconnect(name)
    const found = await bots()
    expect(found.find(({ id }) => id === first!.id)).toMatchObject({ phase: 'running', stop_requested_at: null })
    expect(found.filter(({ phase }) => phase === 'closed')).toHaveLength(3)
    expect(await events(name)).toEqual([])
    expect(await row(name.calendarId)).toMatchObject({ credentials: null, access_token: null, cursor: null })
    expect(calendar.subscriptions.size).toBe(0)
  })

  test('a dead token deletes no bot', async () => {
    const { alter, calendar, name, poll, open, row, messages } = await withSeries()
    calendar.isRevoked = true
    calendar.accessTokens.clear()
    await alter(name.calendarId, { access_token: null })
    await poll()
    expect(await row(name.calendarId)).toMatchObject({ status: 'revoked', sync_status: 'failed' })
    expect(await open()).toHaveLength(4)
    expect((await messages()).filter(({ event }) => event === 'calendar.connection_error')).toHaveLength(1)
  })

  test('the older update removes every schedule first', async () => {
    const { engine, provider, calendar, name, bots, events } = await withBot(HOUR, 'older')
    await engine.operations.update(name, provider.credentialsOf(calendar), {
      cancelsSchedules: true,
      platform: 'google',
    })
    await engine.settle()
    expect(await bots(name)).toMatchObject([{ phase: 'closed', schedule_status: 'cancelled' }])
    expect(await events(name)).toHaveLength(1)
  })
})
