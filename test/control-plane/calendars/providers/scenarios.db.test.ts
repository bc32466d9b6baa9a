/** Changes in a calendar, and the events that each adapter reports for them. */
import { describe, expect, test } from 'vitest'
import { at, DAY, NOW, openStandIns, PLATFORMS, WINDOW } from '../stand-ins.ts'

const world = await openStandIns(NOW)

const LINK = 'https://zoom.us/j/12345678901?pwd=abc'

describe.each(PLATFORMS)('%s', (platform) => {
  const start = () => world.connect(platform)

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
    const { calendar, all } = await start()
    const repeats = { every: 'week' as const, count: 3 }
    const id = calendar.create({ title: 'Weekly', start: at('2026-11-25T14:00:00Z'), repeats })
    calendar.change(id, { title: 'Special' }, at('2026-12-02T14:00:00Z'))
    const marked = (await all()).events.map(({ title, isException }) => `${title} ${isException}`).sort()
    expect(marked).toEqual(['Special true', 'Weekly false', 'Weekly false'])
  })

  test('without changes, no event comes', async () => {
    const { calendar, all, since } = await start()
    calendar.create({ title: 'One', start: at('2026-11-25T10:00:00Z') })
    const changes = await since((await all()).cursor)
    expect(changes).toMatchObject({ isFull: false, events: [], removedIds: [], wholeSeries: [] })
  })

  test('a link that is only in the HTML of the description, and changes', async () => {
    const { calendar, all } = await start()
    const linkOf = async () => (await all()).events[0]!.meetingUrl
    const wrapped = `https://www.google.com/url?q=${encodeURIComponent(LINK)}&amp;sa=D`
    const id = calendar.create({
      title: 'Link',
      description: `<p>Dial in: <a href="https://zoom.us/u/abc">numbers</a>, <a href="${wrapped}">join</a></p>`,
      start: at('2026-11-25T10:00:00Z'),
    })
    expect(await linkOf()).toBe(LINK)
    calendar.change(id, { description: 'Now at https://meet.google.com/abc-defg-hij.' })
    expect(await linkOf()).toBe('https://meet.google.com/abc-defg-hij')
    calendar.change(id, { description: 'nowhere' })
    expect(await linkOf()).toBeNull()
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
})
