/** The rules of docs/interface.md#how-bots-follow-events, one by one, against the real store. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { askToLeave } from '../../../control-plane/actions/stop-bot.ts'
import { readEvent } from '../../../control-plane/store/calendars/reads.ts'
import { eventOf, seriesOf } from './memory-provider.ts'
import { botOf, type CalendarWorld, openCalendarWorld } from './world.ts'

let world: CalendarWorld
beforeAll(async () => {
  world = await openCalendarWorld()
})
afterAll(() => world.close())

const HOUR = 60
const OTHER_LINK = 'https://zoom.us/j/123456789?pwd=a'

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
  return { ...set, calendar, event, name, eventId, bot: bot! }
}

describe('more than four minutes ahead', () => {
  test('a bot is a scheduled bot with the event in it', async () => {
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
  })

  test('the older generation has the event under its own name', async () => {
    const { bot, eventId } = await withBot(HOUR, 'older')
    expect(bot).toMatchObject({ generation: 'older', event_id: null, event_uuid: eventId })
  })

  test('a start that is moved moves the schedule, and the bot stays the same', async () => {
    const { calendar, event, name, poll, bots, bot } = await withBot(HOUR)
    const start = new Date(event.start.getTime() + 30 * 60_000)
    calendar.change('e', { start, end: new Date(start.getTime() + 3_600_000) })
    await poll(name)
    expect(await bots(name)).toMatchObject([{ id: bot.id, join_at: start, due_at: start, phase: 'scheduled' }])
  })

  test('another link is taken over', async () => {
    const { calendar, name, poll, bots, bot } = await withBot(HOUR)
    calendar.change('e', { meetingUrl: OTHER_LINK })
    await poll(name)
    expect(await bots(name)).toMatchObject([{ id: bot.id, meeting_url: OTHER_LINK, meeting_platform: 'zoom' }])
  })

  test('a link that is removed stays in use', async () => {
    const { calendar, event, name, poll, bots, events } = await withBot(HOUR)
    calendar.change('e', { meetingUrl: null })
    await poll(name)
    expect(await events(name)).toMatchObject([{ meeting_url: null }])
    expect(await bots(name)).toMatchObject([{ phase: 'scheduled', meeting_url: event.meetingUrl }])
    const start = new Date(event.start.getTime() + 60_000)
    calendar.change('e', { start })
    await poll(name)
    expect(await bots(name)).toMatchObject([{ phase: 'scheduled', join_at: start, meeting_url: event.meetingUrl }])
  })

  test('another title or attendee changes nothing', async () => {
    const { calendar, name, poll, bots, bot } = await withBot(HOUR)
    const ada = { email: 'a@example.com', name: 'Ada', responseStatus: 'accepted' as const }
    const attendee = { ...ada, isOrganizer: false, isSelf: false, isResource: false }
    calendar.change('e', { title: 'Another', attendees: [attendee] })
    await poll(name)
    expect(await bots(name)).toMatchObject([{ id: bot.id, version: bot.version }])
  })

  test.each([
    ['deleted', (calendar: { delete(id: string): void }) => calendar.delete('e')],
    [
      'cancelled or declined',
      (calendar: { change(id: string, patch: object): void }) => calendar.change('e', { status: 'cancelled' }),
    ],
  ])('an event that is %s cancels the schedule', async (_what, edit) => {
    const { calendar, name, poll, bots } = await withBot(HOUR)
    edit(calendar as never)
    await poll(name)
    expect(await bots(name)).toMatchObject([
      { phase: 'closed', schedule_status: 'cancelled', error_code: 'EXITING_MEETING_BEFORE_RECORD' },
    ])
  })

  test('an event that comes back gets a bot again', async () => {
    const { calendar, name, poll, bots } = await withBot(HOUR)
    calendar.change('e', { status: 'cancelled' })
    await poll(name)
    calendar.change('e', { status: 'confirmed' })
    await poll(name)
    expect((await bots(name)).map(({ phase }) => phase)).toEqual(['closed', 'scheduled'])
  })

  test('an event that moves behind the window loses its bot, and gets it back with the window', async () => {
    const { calendar, event, name, poll, bots } = await withBot(HOUR)
    const far = new Date(event.start.getTime() + 40 * 86_400_000)
    calendar.change('e', { start: far, end: new Date(far.getTime() + 60_000) })
    await poll(name)
    expect(await bots(name)).toMatchObject([{ phase: 'closed' }])
    calendar.change('e', { start: event.start, end: event.end })
    await poll(name)
    expect((await bots(name)).map(({ phase }) => phase)).toEqual(['closed', 'scheduled'])
  })

  test('an event that is moved to a time that is over loses its bot', async () => {
    const { calendar, event, name, poll, bots } = await withBot(HOUR)
    const start = new Date(event.start.getTime() - 5 * 3_600_000)
    calendar.change('e', { start, end: new Date(start.getTime() + 60_000) })
    await poll(name)
    expect(await bots(name)).toMatchObject([{ phase: 'closed', schedule_status: 'cancelled' }])
  })

  test('an event that has begun after it was moved is joined late', async () => {
    const { calendar, name, poll, bots, bot } = await withBot(HOUR)
    const start = new Date(Date.now() - 60_000)
    calendar.change('e', { start, end: new Date(Date.now() + 3_600_000) })
    await poll(name)
    expect(await bots(name)).toMatchObject([{ id: bot.id, phase: 'scheduled', due_at: start }])
  })
})

describe('inside the four minutes, or spawned', () => {
  test('a start that is moved leaves the bot, and a second one is made', async () => {
    const { calendar, event, name, poll, bots } = await withBot(2)
    const start = new Date(event.start.getTime() + 2 * 3_600_000)
    calendar.change('e', { start, end: new Date(start.getTime() + 3_600_000) })
    await poll(name)
    expect(await bots(name)).toMatchObject([
      { join_at: event.start, phase: 'scheduled' },
      { join_at: start, phase: 'scheduled' },
    ])
    await poll(name)
    expect(await bots(name)).toHaveLength(2)
  })

  test('so does another link', async () => {
    const { calendar, event, name, poll, bots } = await withBot(2)
    calendar.change('e', { meetingUrl: OTHER_LINK })
    await poll(name)
    expect(await bots(name)).toMatchObject([{ meeting_url: event.meetingUrl }, { meeting_url: OTHER_LINK }])
  })

  test('a running bot continues when its event is moved, and is stopped when it is cancelled', async () => {
    const { calendar, event, name, poll, bots, bot, spawn, commands } = await withBot(2)
    await spawn(bot.id)
    const start = new Date(event.start.getTime() + 2 * 3_600_000)
    calendar.change('e', { start, end: new Date(start.getTime() + 3_600_000) })
    await poll(name)
    expect(await bots(name)).toMatchObject([{ phase: 'running' }, { phase: 'scheduled', join_at: start }])
    calendar.delete('e')
    await poll(name)
    expect(await bots(name)).toMatchObject([
      { phase: 'ending', stop_requested_at: expect.any(Date) },
      { phase: 'closed', schedule_status: 'cancelled' },
    ])
    expect(await commands(bot.id)).toEqual([{ command: { type: 'leave' } }])
  })

  test('a bot that was tried is not made again for the same details, however often the event is synced', async () => {
    const { database, calendar, name, poll, bots, bot, due, engine } = await withBot(2)
    await database
      .updateTable('bots')
      .set({ phase: 'closed', status: 'failed', schedule_status: 'failed', error_code: 'INSUFFICIENT_TOKENS' })
      .where('id', '=', bot.id)
      .execute()
    calendar.change('e', { title: 'Another' })
    await poll(name)
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
    const { database, calendar, event, name, poll, bots, bot } = await withBot(HOUR)
    await askToLeave(database, bot.id)
    calendar.change('e', { start: new Date(event.start.getTime() + 60_000) })
    await poll(name)
    expect(await bots(name)).toMatchObject([{ phase: 'closed' }])
  })
})

/** A calendar with a series of four whose every occurrence has a bot. */
async function withSeries(values: { isMicrosoft?: boolean } = {}) {
  const set = await world.setting({ platform: values.isMicrosoft ? 'microsoft' : 'google' })
  const calendar = set.provider.add(`c${set.newId()}`)
  const occurrences = seriesOf('s', HOUR, 4)
  for (const event of occurrences) calendar.put(event)
  const name = await set.connect(calendar)
  const seriesId = await set.seriesId(name, 's')
  const target = set.target(name, { seriesId, allOccurrences: true })
  await set.engine.operations.scheduleBots(target, botOf({ bot_name: 'Of the series' }), null)
  const open = async () =>
    (await set.bots(name)).filter(({ phase }) => phase !== 'closed').map(({ join_at }) => join_at!.toISOString())
  const starts = (events: readonly { start: Date }[]) => events.map(({ start }) => start.toISOString())
  return { ...set, calendar, occurrences, name, target, open, starts }
}

describe('series', () => {
  test('every occurrence has a bot, and one that enters the window gets its own', async () => {
    const { database, calendar, occurrences, name, poll, open, starts, bots, eventId } = await withSeries()
    expect((await open()).sort()).toEqual(starts(occurrences))
    const late = calendar.put({ ...seriesOf('s', HOUR, 6)[5]! })
    await poll(name)
    expect((await open()).sort()).toEqual(starts([...occurrences, late]))
    expect((await bots(name)).every(({ bot_name }) => bot_name === 'Of the series')).toBe(true)
    const event = await readEvent(database, name, name.calendarId, await eventId(name, 's_5'))
    expect(event).toMatchObject({ bot_scheduled: true, bot: { bot_name: 'Of the series' } })
  })

  test('an occurrence that is excluded stays excluded, also after a full sync', async () => {
    const { calendar, occurrences, name, engine, target, eventId, due, open, starts } = await withSeries()
    const excluded = await eventId(name, 's_1')
    const answer = await engine.operations.cancelBots({ ...target, allOccurrences: false, eventId: excluded })
    expect(answer).toEqual({ eventIds: [excluded], refused: [] })
    calendar.change('s_1', { title: 'Another', start: new Date(occurrences[1]!.start.getTime() + 60_000) })
    calendar.killCursors()
    await due(name.calendarId, { full: true })
    await engine.settle()
    expect((await open()).sort()).toEqual(starts([occurrences[0]!, occurrences[2]!, occurrences[3]!]))
  })

  test('a second request finds its bots, and no second bot is made', async () => {
    const { engine, target, open } = await withSeries()
    const answer = await engine.operations.scheduleBots(target, botOf(), null)
    expect(answer.eventIds).toEqual([])
    expect(answer.refused.map(({ code }) => code)).toEqual(Array(4).fill('BOT_ALREADY_SCHEDULED'))
    expect(await open()).toHaveLength(4)
  })

  test('all of them are changed and cancelled together', async () => {
    const { engine, target, bots, name, calendar, poll } = await withSeries()
    const changed = await engine.operations.changeBots(target, (before) => ({
      ...before,
      bot_name: 'Changed',
      callback: { url: 'https://example.com/c', method: 'POST', secret: 'of the callback' },
    }))
    expect(changed.eventIds).toHaveLength(4)
    expect((await bots(name)).map(({ bot_name }) => bot_name)).toEqual(Array(4).fill('Changed'))
    calendar.put(seriesOf('s', HOUR, 5)[4]!)
    await poll(name)
    expect((await bots(name)).map(({ bot_name }) => bot_name)).toEqual(Array(5).fill('Changed'))
    const cancelled = await engine.operations.cancelBots(target)
    expect(cancelled.eventIds).toHaveLength(5)
    expect((await bots(name)).map(({ phase }) => phase)).toEqual(Array(5).fill('closed'))
    calendar.put(seriesOf('s', HOUR, 6)[5]!)
    await poll(name)
    expect(await bots(name)).toHaveLength(5)
  })

  test.each([false, true])(
    'this and following: the series that takes its place gets the bot (Microsoft: %s)',
    async (isMicrosoft) => {
      const { calendar, occurrences, name, poll, open, starts } = await withSeries({ isMicrosoft })
      calendar.delete('s_2')
      calendar.delete('s_3')
      const newId = isMicrosoft ? 'another' : 's_R20261126'
      const moved = seriesOf(newId, HOUR + 2 * 1440 + 30, 2, { title: 'Series s' })
      for (const event of moved) calendar.put(event)
      await poll(name)
      expect((await open()).sort()).toEqual(starts([occurrences[0]!, occurrences[1]!, ...moved]))
    },
  )

  test('a part that the provider names after another series does not get the bot of the series that ends', async () => {
    const { calendar, name, database, poll, open } = await withSeries()
    for (const event of seriesOf('t', 2 * HOUR, 2, { title: 'Series s' })) calendar.put(event)
    await poll(name)
    const longAgo = { created_at: new Date(Date.now() - 24 * 3_600_000) }
    await database.updateTable('calendar_series').set(longAgo).where('provider_id', '=', 't').execute()
    for (const occurrence of ['s_0', 's_1', 's_2', 's_3']) calendar.delete(occurrence)
    for (const event of seriesOf('t_R20261126', 3 * HOUR, 2, { title: 'Series s' })) calendar.put(event)
    await poll(name)
    expect(await open()).toEqual([])
  })

  test.each([false, true])(
    'a rule is handed on with the ids of a series that is made again, and a separate bot too (Microsoft: %s)',
    async (isMicrosoft) => {
      const { calendar, occurrences, name, poll, bots, engine, target, eventId, seriesId, starts } = await withSeries({
        isMicrosoft,
      })
      const one = { ...target, allOccurrences: false, eventId: await eventId(name, 's_1') }
      await engine.operations.changeBots(one, (before) => ({ ...before, bot_name: 'Of its own' }))
      const before = await bots(name)
      for (const { providerId } of occurrences) calendar.delete(providerId)
      const again = seriesOf('again', HOUR + 30, 4, { title: 'Series s' })
      for (const event of again) calendar.put(event)
      await poll(name)
      const after = await bots(name)
      const shown = (found: typeof before) => found.map(({ id, bot_name }) => [id, bot_name]).sort()
      expect(shown(after)).toEqual(shown(before))
      expect(after.map(({ join_at }) => join_at!.toISOString()).sort()).toEqual(starts(again))
      expect(after.find(({ bot_name }) => bot_name === 'Of its own')?.event_id).toBe(await eventId(name, 'again_1'))
      // The rule is that of the new series: it is changed there.
      const changed = await engine.operations.changeBots(
        { ...target, seriesId: await seriesId(name, 'again') },
        (bot) => ({
          ...bot,
          recording_mode: 'audio_only',
        }),
      )
      expect(changed.eventIds).toHaveLength(4)
    },
  )

  test('a bot that is in its meeting stays there when the series moves, and an excluded occurrence stays excluded', async () => {
    const { calendar, name, poll, bots, engine, target, eventId, spawn, starts } = await withSeries()
    const [first] = await bots(name)
    await spawn(first!.id)
    await engine.operations.cancelBots({ ...target, allOccurrences: false, eventId: await eventId(name, 's_2') })
    for (let day = 0; day < 4; day++) calendar.delete(`s_${day}`)
    const moved = seriesOf('again', HOUR + 30, 4, { title: 'Series s' })
    for (const event of moved) calendar.put(event)
    await poll(name)
    const open = (await bots(name)).filter(({ phase }) => phase !== 'closed')
    expect(open.find(({ id }) => id === first!.id)).toMatchObject({ phase: 'running', stop_requested_at: null })
    const waiting = open.filter(({ phase }) => phase === 'scheduled').map(({ join_at }) => join_at!.toISOString())
    expect(waiting.sort()).toEqual(starts([moved[0]!, moved[1]!, moved[3]!]))
  })

  test('a series that moves while one of its occurrences is cancelled keeps the bots of the others, and that one when it is restored', async () => {
    const { calendar, name, poll, bots, engine, target, eventId, open, starts } = await withSeries()
    const one = { ...target, allOccurrences: false, eventId: await eventId(name, 's_2') }
    await engine.operations.changeBots(one, (before) => ({ ...before, bot_name: 'Of its own' }))
    const waiting = async () =>
      (await bots(name)).filter(({ phase }) => phase === 'scheduled').sort((a, b) => +a.join_at! - +b.join_at!)
    const before = (await waiting()).map(({ id }) => id)
    for (let day = 0; day < 4; day++) calendar.delete(`s_${day}`)
    const moved = seriesOf('m', 12 * HOUR, 4, { title: 'Series s', seriesProviderId: 's' })
    for (const event of moved) calendar.put(event)
    calendar.change('m_2', { status: 'cancelled' })
    await poll(name)
    expect((await open()).sort()).toEqual(starts([moved[0]!, moved[1]!, moved[3]!]))
    expect((await waiting()).map(({ id }) => id)).toEqual([before[0], before[1], before[3]])
    calendar.change('m_2', { status: 'confirmed' })
    await poll(name)
    expect((await open()).sort()).toEqual(starts(moved))
    expect((await waiting())[2]?.bot_name).toBe('Of its own')
  })

  test('a series that is made again twice within minutes keeps its bots', async () => {
    const { calendar, name, poll, bots } = await withSeries()
    const before = (await bots(name)).map(({ id }) => id).sort()
    for (const [old, by] of ['s', 'again', 'third'].map((id, index, ids) => [id, ids[index + 1]] as const)) {
      if (by === undefined) break
      for (let day = 0; day < 4; day++) calendar.delete(`${old}_${day}`)
      for (const event of seriesOf(by, HOUR, 4, { title: 'Series s' })) calendar.put(event)
      await poll(name)
    }
    const after = (await bots(name)).map(({ id, phase }) => [id, phase]).sort()
    expect(after).toEqual(before.map((id) => [id, 'scheduled']))
  })

  test('the first part of a series that is made again minutes after a split does not continue in the other part', async () => {
    const { calendar, name, poll, engine, target, eventId, open, starts, bots } = await withSeries()
    await engine.operations.cancelBots(target)
    const [first, ...others] = seriesOf('t', 2 * HOUR, 3)
    for (const event of [first!, ...others]) calendar.put(event)
    await poll(name)
    const one = { ...target, seriesId: null, allOccurrences: false, eventId: await eventId(name, 't_0') }
    await engine.operations.scheduleBots(one, botOf(), null)
    for (const { providerId } of others) calendar.delete(providerId)
    for (const event of seriesOf('t_R20261128', 5 * HOUR + 1440, 2, { title: 'Series t' })) calendar.put(event)
    await poll(name)
    const [bot] = (await bots(name)).filter(({ phase }) => phase !== 'closed')
    calendar.delete('t_0')
    const { start, end, originalStart } = first!
    calendar.put(seriesOf('again', 2 * HOUR, 1, { title: 'Series t', start, end, originalStart })[0]!)
    await poll(name)
    expect(await open()).toEqual(starts([first!]))
    expect((await bots(name)).find(({ id }) => id === bot!.id)?.event_id).toBe(await eventId(name, 'again_0'))
  })

  test('what was wanted for an event follows if the new series comes one sync after the end of the old one', async () => {
    const { calendar, name, poll, bots, engine, target, eventId } = await withSeries()
    const one = async (id: string) => ({ ...target, allOccurrences: false, eventId: await eventId(name, id) })
    await engine.operations.changeBots(await one('s_3'), (before) => ({ ...before, bot_name: 'Of its own' }))
    await engine.operations.cancelBots(await one('s_2'))
    for (let day = 1; day < 4; day++) calendar.delete(`s_${day}`)
    await poll(name)
    for (const event of seriesOf('later', HOUR + 1440 + 30, 3, { title: 'Series s' })) calendar.put(event)
    await poll(name)
    const waiting = (await bots(name)).filter(({ phase }) => phase === 'scheduled')
    const names = new Map(waiting.map((bot) => [bot.event_id, bot.bot_name]))
    const shown = await Promise.all(['s_0', 'later_0', 'later_1', 'later_2'].map((id) => eventId(name, id)))
    expect(shown.map((id) => names.get(id))).toEqual(['Of the series', 'Of the series', undefined, 'Of its own'])
    expect(waiting).toHaveLength(3)
  })

  test('a part of a series without bots gets none from a later part that has some, also with the next sync', async () => {
    const { calendar, occurrences, name, poll, open, engine, target, starts, seriesId } = await withSeries()
    for (const event of seriesOf('t', 6 * HOUR, 4)) calendar.put(event)
    await poll(name)
    const split = (at: number) => {
      calendar.delete(`t_${at}`)
      return calendar.put(seriesOf(`t_R2026112${at}`, (6 + at * 24) * HOUR + 30, 1)[0]!)
    }
    const later = split(3)
    await poll(name)
    await engine.operations.scheduleBots({ ...target, seriesId: await seriesId(name, 't_R20261123') }, botOf(), null)
    split(2)
    await poll(name)
    calendar.put(eventOf('e', 5 * HOUR))
    await poll(name)
    expect((await open()).sort()).toEqual(starts([...occurrences, later]))
  })

  test('of two series that look the same and are made again at once, the one without bots gets none', async () => {
    const { calendar, name, poll, open, starts } = await withSeries()
    for (const event of seriesOf('t', 6 * HOUR, 4, { title: 'Series s' })) calendar.put(event)
    await poll(name)
    for (let day = 0; day < 4; day++) for (const series of ['s', 't']) calendar.delete(`${series}_${day}`)
    const again = seriesOf('again', HOUR + 10, 4, { title: 'Series s' })
    for (const event of [...again, ...seriesOf('other', 6 * HOUR + 10, 4, { title: 'Series s' })]) calendar.put(event)
    await poll(name)
    expect((await open()).sort()).toEqual(starts(again))
  })

  test('the rule of a series that is cancelled continues in the one that is made instead', async () => {
    const { calendar, name, poll, open, starts } = await withSeries({ isMicrosoft: true })
    for (let day = 0; day < 4; day++) calendar.change(`s_${day}`, { status: 'cancelled' })
    const instead = seriesOf('instead', 5 * HOUR, 2, { title: 'Series s' })
    for (const event of instead) calendar.put(event)
    await poll(name)
    expect((await open()).sort()).toEqual(starts(instead))
  })

  test('another series of the same people does not get the bot', async () => {
    const { calendar, name, poll, open } = await withSeries()
    for (const event of seriesOf('t', 2 * HOUR, 3, { title: 'Series s' })) calendar.put(event)
    await poll(name)
    expect(await open()).toHaveLength(4)
  })

  test('a separate bot beside the series keeps its own configuration', async () => {
    const { engine, target, eventId, name, bots } = await withSeries()
    const one = { ...target, allOccurrences: false, eventId: await eventId(name, 's_2') }
    await engine.operations.changeBots(one, (before) => ({ ...before, bot_name: 'Of its own' }))
    await engine.operations.changeBots(target, (before) => ({ ...before, recording_mode: 'audio_only' }))
    const found = await bots(name)
    expect(found.map(({ bot_name }) => bot_name).sort()).toEqual(
      [...Array(3).fill('Of the series'), 'Of its own'].sort(),
    )
    expect(found.map(({ recording_mode }) => recording_mode)).toEqual(Array(4).fill('audio_only'))
  })
})

describe('the connection', () => {
  test('a calendar that is disconnected cancels its schedules and leaves what runs', async () => {
    const { engine, name, bots, spawn, calendar, row, events } = await withSeries()
    const [first] = await bots(name)
    await spawn(first!.id)
    await engine.operations.disconnect(name)
    const found = await bots(name)
    expect(found.find(({ id }) => id === first!.id)).toMatchObject({ phase: 'running', stop_requested_at: null })
    expect(found.filter(({ phase }) => phase === 'closed')).toHaveLength(3)
    expect(await events(name)).toEqual([])
    expect(await row(name.calendarId)).toMatchObject({ credentials: null, access_token: null, cursor: null })
    expect(calendar.subscriptions.size).toBe(0)
  })

  test('a dead token deletes no bot', async () => {
    const { calendar, name, database, poll, open, row, messages } = await withSeries()
    calendar.isRevoked = true
    calendar.accessTokens.clear()
    await database.updateTable('calendars').set({ access_token: null }).where('id', '=', name.calendarId).execute()
    await poll(name)
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
