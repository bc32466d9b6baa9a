/**
 * Calendars through HTTP, with both providers' stand-ins, and a real bot that asks to join the meeting of an event when
 * it begins: never before, and not noticeably later.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type MockGoogleCalendar,
  type MockMicrosoftCalendar,
  type StandInAccount,
  startMockGoogleCalendar,
  startMockMicrosoftCalendar,
} from '../../packages/mock/calendars/index.ts'
import { startMock } from '../../packages/mock/index.ts'
import type { MockMeeting } from '../../packages/mock/types.ts'
import { speak, WITHOUT_CAMERAS } from '../end-to-end/meeting-script.ts'
import { ServiceProcess } from './service-process.ts'
import { type Receiver, startReceiver } from './webhooks/receiver.ts'

const LONG = { timeout: 120_000, interval: 200 }
/** Long enough for a bot to start and to fill in its page on a busy machine; the other tests run meanwhile. */
const AHEAD_MS = 40_000
/** Ten times what a machine needs that has a processor to spare. */
const LATE_MS = 20_000
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

let google: MockGoogleCalendar
let microsoft: MockMicrosoftCalendar
let mock: Awaited<ReturnType<typeof startMock>>
let service: ServiceProcess
let receiver: Receiver

beforeAll(async () => {
  google = await startMockGoogleCalendar()
  microsoft = await startMockMicrosoftCalendar()
  mock = await startMock('meet')
  receiver = await startReceiver()
  service = await ServiceProcess.prepare({
    STANDIN_GOOGLE_URL: google.url,
    STANDIN_GOOGLE_TOKEN_URL: google.tokenUrl,
    STANDIN_GRAPH_URL: microsoft.url,
    STANDIN_MICROSOFT_LOGIN_URL: microsoft.loginUrl,
    STANDIN_MAP_HOSTS: mock.hosts.map((host) => `${host}=${mock.address}`).join(','),
    STANDIN_WEBHOOK_DELAYS: '0.2,0.5,1',
  })
  await service.start()
  await service.command('endpoints', 'create', receiver.url)
})

afterAll(async () => {
  await service?.dispose()
  await receiver?.close()
  await mock?.close()
  await google?.close()
  await microsoft?.close()
})

const providerOf = (platform: string) => (platform === 'google' ? google : microsoft)
const inMs = (ms: number) => new Date(Math.ceil((Date.now() + ms) / 1000) * 1000)

function oauthOf(platform: string, account: StandInAccount) {
  const { tokens } = providerOf(platform)
  return {
    oauth_client_id: tokens.clientId,
    oauth_client_secret: tokens.clientSecret,
    oauth_refresh_token: tokens.consent(account),
  }
}

/** Connects the primary calendar; resolves with its id once the message about its first sync has arrived. */
async function connect(platform: string, account: StandInAccount): Promise<string> {
  const connection = { calendar_platform: platform, ...oauthOf(platform, account) }
  const raw = await service.call('POST', '/v2/calendars/list-raw', connection)
  expect(raw).toMatchObject({ status: 200, body: { data: [{ email: account.email, is_primary: true }] } })
  const created = await service.call('POST', '/v2/calendars', { ...connection, raw_calendar_id: raw.body.data[0].id })
  expect(created).toMatchObject({
    status: 201,
    body: { data: { calendar_platform: platform, account_email: account.email, status: 'active' } },
  })
  const id = created.body.data.calendar_id as string
  await expect.poll(() => eventsOf(id), LONG).toContain('calendar.events_synced')
  expect(eventsOf(id)).toContain('calendar.connection_created')
  return id
}

const messagesOf = (calendarId: string) => receiver.received.filter(({ body }) => body.data.calendar_id === calendarId)
const eventsOf = (calendarId: string): string[] => messagesOf(calendarId).map(({ body }) => body.event)

interface Event {
  event_id: string
  series_id: string
  start_time: string
  status: string
  bot_scheduled: boolean
}
async function listEvents(calendarId: string): Promise<Event[]> {
  const { status, body } = await service.call('GET', `/v2/calendars/${calendarId}/events`)
  expect(status).toBe(200)
  return body.data
}

/** Join times of the bots that wait, earliest first. */
async function plannedOf(order: string): Promise<string[]> {
  const { body } = await service.call('GET', `/v2/bots/scheduled?status=scheduled&extra=order:${order}`)
  return body.data.map(({ join_at }: { join_at: string }) => join_at)
}

let soon: { meeting: MockMeeting; start: Date; eventId: string }

test('a bot is scheduled for an event that begins soon', async () => {
  const meeting = mock.open('waiting-room', { people: WITHOUT_CAMERAS })
  const account = google.addAccount()
  const start = inMs(AHEAD_MS)
  account.primary.create({ title: 'Now', start, description: `<a href="${meeting.url}">Join</a>` })
  const id = await connect('google', account)
  const [event] = await listEvents(id)
  const bot = {
    event_id: event!.event_id,
    bot_name: 'Notes for Ann',
    recording_mode: 'audio_only',
    extra: { order: 'now' },
  }
  expect((await service.call('POST', `/v2/calendars/${id}/bots`, bot)).body.data).toHaveLength(1)
  soon = { meeting, start, eventId: event!.event_id }
})

test.each(['google', 'microsoft'])('%s: bots follow the events of a connected calendar', async (platform) => {
  const account = providerOf(platform).addAccount()
  const calendar = account.primary
  const link = 'https://meet.google.com/abc-defg-hij'
  const start = inMs(2 * HOUR)
  const single = calendar.create({ title: 'Review', start, location: link })
  const weekly = calendar.create({ title: 'Weekly', start: inMs(DAY), link, repeats: { every: 'week', count: 3 } })
  const id = await connect(platform, account)
  const bots = `/v2/calendars/${id}/bots`

  const [review, ...occurrences] = await listEvents(id)
  expect(review).toMatchObject({ title: 'Review', event_type: 'one_off', meeting_platform: 'meet', meeting_url: link })
  expect(occurrences).toHaveLength(3)
  expect(new Set(occurrences.map(({ series_id }) => series_id)).size).toBe(1)

  const order = `${platform}-1`
  const bot = { bot_name: 'Notes for Ann', extra: { order } }
  const names = { series_id: review!.series_id, event_id: review!.event_id }
  expect(await service.call('POST', bots, { ...names, ...bot })).toMatchObject({
    status: 201,
    body: { data: [{ event_id: review!.event_id }], errors: [] },
  })
  expect(await service.call('POST', bots, { ...names, ...bot })).toMatchObject({
    status: 201,
    body: { data: [], errors: [{ code: 'BOT_ALREADY_SCHEDULED' }] },
  })
  expect(await plannedOf(order)).toEqual([start.toISOString()])

  // Moved by its organizer: the push makes the bot follow.
  const later = inMs(3 * HOUR)
  calendar.move(single, later)
  await expect.poll(() => plannedOf(order), LONG).toEqual([later.toISOString()])
  await expect.poll(() => eventsOf(id), LONG).toContain('calendar.event_updated')

  // A bot for every occurrence but one.
  const all = `${platform}-2`
  const series = { series_id: occurrences[0]!.series_id, all_occurrences: true }
  const scheduled = await service.call('POST', bots, { ...series, bot_name: 'Notes', extra: { order: all } })
  expect(scheduled.body.data).toHaveLength(3)
  const excluded = { series_id: occurrences[1]!.series_id, event_id: occurrences[1]!.event_id }
  expect((await service.call('DELETE', bots, excluded)).status).toBe(200)
  expect(await plannedOf(all)).toEqual([occurrences[0]!.start_time, occurrences[2]!.start_time])
  const details = await service.call('GET', `/v2/calendars/${id}/events/${occurrences[1]!.event_id}`)
  expect(details.body.data).toMatchObject({ bot_scheduled: false, calendar_platform: platform })

  // Changed by the caller, then called off in the calendar.
  expect(await service.call('PATCH', bots, { ...series, bot_name: 'Other' })).toMatchObject({ status: 200 })
  calendar.cancel(weekly)
  await expect.poll(() => plannedOf(all), LONG).toEqual([])
  await expect.poll(() => eventsOf(id), LONG).toContain('calendar.event_cancelled')
  calendar.cancel(single)
  await expect.poll(() => plannedOf(order), LONG).toEqual([])
  expect((await listEvents(id)).every(({ status }) => status === 'cancelled')).toBe(true)

  expect((await service.call('POST', `/v2/calendars/${id}/sync`)).status).toBe(200)
  expect(await service.call('GET', `/v2/calendars/${id}`)).toMatchObject({
    status: 200,
    body: { data: { status: 'active', sync_status: 'success', subscription_id: expect.any(String), sync_error: null } },
  })
  expect((await service.call('DELETE', `/v2/calendars/${id}`)).status).toBe(200)
  expect((await service.call('GET', `/v2/calendars/${id}`)).status).toBe(404)
  await expect.poll(() => eventsOf(id), LONG).toContain('calendar.connection_deleted')
})

test('a revoked permission is reported, keeps the bots, and is fixed by new credentials', async () => {
  const account = google.addAccount()
  const start = inMs(2 * HOUR)
  account.primary.create({ start, link: 'https://meet.google.com/abc-defg-hij' })
  const id = await connect('google', account)
  const [event] = await listEvents(id)
  const bot = { event_id: event!.event_id, bot_name: 'Notes', extra: { order: 'kept' } }
  expect((await service.call('POST', `/v2/calendars/${id}/bots`, bot)).status).toBe(201)
  google.tokens.revoke(account)
  expect(await service.call('POST', `/v2/calendars/${id}/sync`)).toMatchObject({
    status: 401,
    body: { code: 'FST_ERR_OAUTH_TOKEN_REFRESH_FAILED' },
  })
  expect((await service.call('GET', `/v2/calendars/${id}`)).body.data).toMatchObject({
    status: 'revoked',
    status_message: expect.any(String),
  })
  await expect.poll(() => eventsOf(id), LONG).toContain('calendar.connection_error')
  expect(await plannedOf('kept')).toEqual([start.toISOString()])

  const oauth = oauthOf('google', account)
  expect(await service.call('PATCH', `/v2/calendars/${id}`, { ...oauth, oauth_client_secret: 'wrong' })).toMatchObject({
    status: 401,
  })
  expect(await service.call('PATCH', `/v2/calendars/${id}`, oauth)).toMatchObject({
    status: 200,
    body: { data: { status: 'active' } },
  })
  expect(await plannedOf('kept')).toEqual([start.toISOString()])
})

test('the older generation: one calendar, its events and a bot for one of them', async () => {
  const url = `${receiver.url}older`
  expect((await service.call('POST', '/accounts/webhook_url', { webhook_url: url })).status).toBe(200)
  const account = microsoft.addAccount()
  const start = inMs(2 * HOUR)
  account.primary.create({ title: 'Review', start, location: 'https://meet.google.com/abc-defg-hij' })
  const created = await service.call('POST', '/calendars/', { ...oauthOf('microsoft', account), platform: 'Microsoft' })
  expect(created).toMatchObject({ status: 200, body: { calendar: { email: account.email } } })
  const { uuid } = created.body.calendar as { uuid: string }
  await expect.poll(() => eventsOf(uuid), LONG).toContain('calendar.sync_events')
  const list = await service.call('GET', `/calendar_events/?calendar_id=${uuid}`)
  expect(list.body.data).toMatchObject([{ name: 'Review', calendar_uuid: uuid, bot_param: null }])
  const path = `/calendar_events/${list.body.data[0].uuid}/bot`
  expect(await service.call('POST', path, { bot_name: 'Notes', enter_message: 'Hello' })).toMatchObject({
    status: 200,
    body: [{ bot_param: { bot_name: 'Notes', enter_message: 'Hello' } }],
  })
  expect(await service.call('PATCH', path, { bot_name: 'Other' })).toMatchObject({
    status: 200,
    body: [{ bot_param: { bot_name: 'Other', enter_message: 'Hello' } }],
  })
  for (let time = 0; time < 2; time++)
    expect(await service.call('DELETE', path)).toMatchObject({ status: 200, body: [{ bot_param: null }] })
  expect((await service.call('POST', '/calendars/resync_all')).body).toEqual({ synced_calendars: [uuid], errors: [] })
})

test('a real bot asks to join the meeting of that event when it begins', async () => {
  const { meeting, start, eventId } = soon
  const newsOf = () => receiver.received.filter(({ body }) => body.data.event_id === eventId)
  const codesOf = () => newsOf().flatMap(({ body }) => body.data.status?.code ?? [])
  await expect.poll(codesOf, LONG).toContain('in_waiting_room')
  const asked = meeting.log.find(({ event, target }) => event === 'state' && target === 'joining')!
  expect(asked.at).toBeGreaterThanOrEqual(start.getTime())
  expect(asked.at - start.getTime()).toBeLessThan(LATE_MS)
  // The driver typed its name into the page before.
  const filled = meeting.log.findLast(({ event }) => event === 'fill' || event === 'key')
  expect(filled!.at).toBeLessThan(start.getTime())
  meeting.admit()
  await expect.poll(codesOf, LONG).toContain('in_call_recording')
  await speak(meeting, 'ann', 3)
  meeting.endForAll()
  const ends = () => newsOf().filter(({ body }) => body.event === 'bot.completed')
  await expect.poll(ends, LONG).toHaveLength(1)
  expect(ends()[0]!.body).toMatchObject({ extra: { order: 'now' }, data: { event_id: eventId } })
})

test('neither the log nor a webhook held a secret of the calendars', () => {
  const texts = [service.log, service.output, ...receiver.received.map(({ text }) => text)]
  expect(receiver.received.length).toBeGreaterThan(10)
  for (const text of texts) expect(text).not.toMatch(/(?:refresh|access)\.[0-9a-f]{8}-|standin-secret/)
})
