/** Changes in a calendar, and the events that each adapter reports for them. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { at, connect, DAY, Follower, openWorld, WINDOW } from './world.ts'

let world: Awaited<ReturnType<typeof openWorld>>
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())

const LINK = 'https://zoom.us/j/12345678901?pwd=abc'

describe.each(['google', 'microsoft'] as const)('%s', (platform) => {
  async function start() {
    const connected = await connect(world.providers[platform], world[platform])
    return { ...connected, follower: new Follower((cursor) => connected.since(cursor)) }
  }

  test('an event has its fields, in the terms of the service', async () => {
    const { calendar, all } = await start()
    calendar.create({
      title: 'Plan',
      description: '<p>Agenda</p>',
      location: 'Room 1',
      link: LINK,
      start: at('2026-11-25T10:00:00Z'),
      end: at('2026-11-25T10:30:00Z'),
      timezone: 'Europe/Berlin',
      organizer: { email: 'bo@example.com', name: 'Bo' },
      answer: 'tentative',
      attendees: [
        { email: 'bo@example.com', name: 'Bo', answer: 'accepted' },
        { email: 'room@example.com', isResource: true, answer: 'accepted' },
        { email: 'cy@example.com' },
      ],
    })
    const { events, cursor, isFull, unreadable, removedIds } = await all()
    expect({ isFull, unreadable, removedIds, hasCursor: cursor !== null }).toEqual({
      isFull: true,
      unreadable: [],
      removedIds: [],
      hasCursor: true,
    })
    expect(events).toHaveLength(1)
    const [event] = events
    expect(event).toMatchObject({
      isRecurring: false,
      isException: false,
      originalStart: null,
      title: 'Plan',
      location: 'Room 1',
      start: at('2026-11-25T10:00:00Z'),
      end: at('2026-11-25T10:30:00Z'),
      timezone: 'Europe/Berlin',
      isAllDay: false,
      organizerEmail: 'bo@example.com',
      organizerName: 'Bo',
      isOrganizer: false,
      meetingUrl: LINK,
    })
    expect(event!.seriesProviderId).toBe(event!.providerId)
    expect(event!.description).toContain('Agenda')
    expect(event!.raw.id).toBe(event!.providerId)
    expect(event!.status).toBe(platform === 'google' ? 'confirmed' : 'tentative')
    const people = Object.fromEntries(
      event!.attendees.map(({ email, responseStatus, isOrganizer, isResource }) => [
        email,
        [responseStatus, isOrganizer, isResource],
      ]),
    )
    expect(people).toEqual({
      'ann@example.com': ['tentative', false, false],
      'bo@example.com': ['accepted', true, false],
      'room@example.com': ['accepted', false, true],
      'cy@example.com': ['needsAction', false, false],
    })
  })

  test('the owner organizes what she made herself', async () => {
    const { calendar, all } = await start()
    calendar.create({ title: 'Own', start: at('2026-11-25T10:00:00Z') })
    const { events } = await all()
    expect(events[0]).toMatchObject({ isOrganizer: true, organizerEmail: 'ann@example.com', status: 'confirmed' })
  })

  test('an all-day event', async () => {
    const { calendar, all } = await start()
    calendar.create({ title: 'Day', start: at('2026-11-25T00:00:00Z'), isAllDay: true })
    const { events } = await all()
    expect(events[0]).toMatchObject({
      isAllDay: true,
      start: at('2026-11-25T00:00:00Z'),
      end: at('2026-11-26T00:00:00Z'),
      meetingUrl: null,
    })
  })

  test('a weekly series with one moved and one cancelled instance', async () => {
    const { calendar, all } = await start()
    const id = calendar.create({ title: 'Weekly', start: at('2026-11-10T14:00:00Z'), repeats: { every: 'week' } })
    calendar.move(id, at('2026-12-02T08:00:00Z'), undefined, at('2026-12-01T14:00:00Z'))
    calendar.delete(id, at('2026-12-08T14:00:00Z'))
    const { events } = await all()
    const shown = events
      .map(({ start, originalStart, isException }) => [start.toISOString(), originalStart?.toISOString(), isException])
      .sort()
    expect(shown).toEqual([
      ['2026-11-24T14:00:00.000Z', '2026-11-24T14:00:00.000Z', false],
      ['2026-12-02T08:00:00.000Z', '2026-12-01T14:00:00.000Z', true],
      ['2026-12-15T14:00:00.000Z', '2026-12-15T14:00:00.000Z', false],
      ['2026-12-22T14:00:00.000Z', '2026-12-22T14:00:00.000Z', false],
    ])
    expect(new Set(events.map(({ seriesProviderId }) => seriesProviderId))).toEqual(new Set([id]))
    expect(events.every(({ isRecurring, title }) => isRecurring && title === 'Weekly')).toBe(true)
  })

  test('an instance with its own title is an exception', async () => {
    const { calendar, follower } = await start()
    const id = calendar.create({
      title: 'Weekly',
      start: at('2026-11-25T14:00:00Z'),
      repeats: { every: 'week', count: 3 },
    })
    await follower.follow()
    calendar.change(id, { title: 'Special' }, at('2026-12-02T14:00:00Z'))
    await follower.follow()
    const marked = [...follower.events.values()].map(({ title, isException }) => `${title} ${isException}`).sort()
    expect(marked).toEqual(['Special true', 'Weekly false', 'Weekly false'])
  })

  test('what changed since: created, moved, cancelled, deleted, declined and accepted again', async () => {
    const { calendar, follower } = await start()
    const make = (title: string, hour: number) =>
      calendar.create({
        title,
        start: new Date(Date.UTC(2026, 10, 25, hour)),
        organizer: { email: 'bo@example.com' },
        answer: 'accepted',
      })
    const [moved, cancelled, deleted, declined] = [
      make('moved', 8),
      make('cancelled', 9),
      make('deleted', 10),
      make('declined', 11),
    ]
    make('stays', 12)
    expect((await follower.follow()).agenda).toEqual([
      '11-25T08:00 moved',
      '11-25T09:00 cancelled',
      '11-25T10:00 deleted',
      '11-25T11:00 declined',
      '11-25T12:00 stays',
    ])
    calendar.move(moved!, at('2026-11-26T08:00:00Z'))
    calendar.cancel(cancelled!)
    calendar.delete(deleted!)
    calendar.respond(declined!, 'declined')
    make('new', 13)
    expect((await follower.follow()).agenda).toEqual(['11-25T12:00 stays', '11-25T13:00 new', '11-26T08:00 moved'])
    expect(follower.events.get(declined!)?.status).toBe('cancelled')
    calendar.respond(declined!, 'accepted')
    expect((await follower.follow()).agenda).toContain('11-25T11:00 declined')
  })

  test('without changes, no event comes', async () => {
    const { calendar, follower, since } = await start()
    calendar.create({ title: 'One', start: at('2026-11-25T10:00:00Z') })
    await follower.follow()
    const changes = await since(follower.cursor)
    expect(changes).toMatchObject({ isFull: false, events: [], removedIds: [], wholeSeries: [] })
  })

  test('"this and the following" ends the old series and starts another', async () => {
    const { calendar, follower } = await start()
    const id = calendar.create({
      title: 'Daily',
      start: at('2026-11-25T10:00:00Z'),
      repeats: { every: 'day', count: 6 },
    })
    await follower.follow()
    const later = calendar.split(id, at('2026-11-28T10:00:00Z'), { title: 'Later', start: at('2026-11-28T15:00:00Z') })
    expect((await follower.follow()).agenda).toEqual([
      '11-25T10:00 Daily',
      '11-26T10:00 Daily',
      '11-27T10:00 Daily',
      '11-28T15:00 Later',
      '11-29T15:00 Later',
      '11-30T15:00 Later',
    ])
    const series = new Set(
      [...follower.events.values()]
        .filter(({ status }) => status !== 'cancelled')
        .map(({ seriesProviderId }) => seriesProviderId),
    )
    expect(series).toEqual(new Set([id, later]))
  })

  test('one instance is excluded, one declined, one moved; then the series is moved, and deleted', async () => {
    const { calendar, follower } = await start()
    const id = calendar.create({
      title: 'Daily',
      start: at('2026-11-25T10:00:00Z'),
      repeats: { every: 'day', count: 4 },
      organizer: { email: 'bo@example.com' },
      answer: 'accepted',
    })
    await follower.follow()
    calendar.delete(id, at('2026-11-25T10:00:00Z'))
    calendar.respond(id, 'declined', at('2026-11-26T10:00:00Z'))
    calendar.move(id, at('2026-11-27T18:00:00Z'), undefined, at('2026-11-27T10:00:00Z'))
    expect((await follower.follow()).agenda).toEqual(['11-27T18:00 Daily', '11-28T10:00 Daily'])
    calendar.move(id, at('2026-11-25T11:30:00Z'))
    expect((await follower.follow()).agenda).toEqual([
      '11-25T11:30 Daily',
      '11-26T11:30 Daily',
      '11-27T11:30 Daily',
      '11-28T11:30 Daily',
    ])
    calendar.delete(id)
    expect((await follower.follow()).agenda).toEqual([])
  })

  test('a link that is only in the HTML of the description, and changes', async () => {
    const { calendar, follower } = await start()
    const wrapped = `https://www.google.com/url?q=${encodeURIComponent(LINK)}&amp;sa=D`
    const id = calendar.create({
      title: 'Link',
      description: `<p>Dial in: <a href="https://zoom.us/u/abc">numbers</a>, <a href="${wrapped}">join</a></p>`,
      start: at('2026-11-25T10:00:00Z'),
    })
    await follower.follow()
    expect(follower.events.get(id)?.meetingUrl).toBe(LINK)
    calendar.change(id, { description: 'Now at https://meet.google.com/abc-defg-hij.' })
    await follower.follow()
    expect(follower.events.get(id)?.meetingUrl).toBe('https://meet.google.com/abc-defg-hij')
    calendar.change(id, { description: 'nowhere' })
    await follower.follow()
    expect(follower.events.get(id)?.meetingUrl).toBeNull()
  })

  test('an event that moves out of the window comes with its new times', async () => {
    const { calendar, follower } = await start()
    const id = calendar.create({ title: 'Far', start: at('2026-11-25T10:00:00Z') })
    await follower.follow()
    calendar.move(id, at('2027-03-01T10:00:00Z'))
    await follower.follow()
    expect(follower.events.get(id)?.start).toEqual(at('2027-03-01T10:00:00Z'))
  })

  test('the window moves over midnight: the next full reading has the day that came in', async () => {
    const { calendar, all } = await start()
    calendar.create({ title: 'Daily', start: at('2026-11-01T12:00:00Z'), repeats: { every: 'day' } })
    calendar.create({ title: 'Last', start: at('2026-12-24T23:30:00Z') })
    const first = await all()
    expect(first.events).toHaveLength(30)
    const later = { start: new Date(WINDOW.start.getTime() + DAY), end: new Date(WINDOW.end.getTime() + DAY) }
    const next = await all(later)
    expect(next.events).toHaveLength(31)
    const days = next.events
      .filter(({ title }) => title === 'Daily')
      .map(({ start }) => start.toISOString().slice(0, 10))
    expect([days.sort()[0], days.sort().at(-1)]).toEqual(['2026-11-25', '2026-12-24'])
  })

  test('many events come in pages', async () => {
    const { calendar, follower } = await start()
    world[platform].limitPages(3)
    try {
      for (let hour = 0; hour < 10; hour++)
        calendar.create({ title: `E${hour}`, start: new Date(Date.UTC(2026, 10, 26, hour)) })
      expect((await follower.follow()).agenda).toHaveLength(10)
      for (const id of [...calendar.events.keys()].slice(0, 7)) calendar.change(id, { title: 'changed' })
      expect((await follower.follow()).agenda.filter((line) => line.endsWith('changed'))).toHaveLength(7)
    } finally {
      world[platform].limitPages(1000)
    }
  })
})
