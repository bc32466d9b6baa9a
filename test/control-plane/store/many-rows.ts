/** Rows that PostgreSQL reads for every filter of every list, among the rows of ten teams. */
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { actAs } from '../../../control-plane/store/audit-log.ts'
import {
  type BotFilter,
  listBots,
  listScheduledBots,
  type ScheduledFilter,
} from '../../../control-plane/store/bots/list.ts'
import { listOlderBots, type OlderFilter } from '../../../control-plane/store/bots/older-list.ts'
import {
  type EventFilter,
  listCalendars,
  listEvents,
  listOlderEvents,
  listSeries,
  type OlderEventFilter,
} from '../../../control-plane/store/calendars/reads.ts'
import { readDeliveries } from '../../../control-plane/store/dashboard.ts'
import { type Database, openPool } from '../../../control-plane/store/database.ts'
import type { PageRequest, Places } from '../../../control-plane/store/pages.ts'
import { prepareCallerRole } from '../../../control-plane/store/row-security.ts'
import { readLedger, readUsage } from '../../../control-plane/store/teams/usage.ts'
import { openTestDatabase, type TestDatabase } from '../postgres.ts'
import { openExplained } from './explained.ts'

/** As `pages.ts` has it: rows that one statement reads for filters. */
const MAX_READ = 10_000
const DAY_MS = 86_400_000
const PAGE: PageRequest = { limit: 50, from: null }

/** Half of the rows are of the first team, every other row is of one of nine teams. */
async function addRows(database: Database, count: number): Promise<string[]> {
  const add = (text: string) => sql.raw(text.replaceAll('COUNT', String(count))).execute(database)
  await add('set statement_timeout = 0')
  await add(`insert into teams (name) select 'Team ' || n from generate_series(0, 9) n`)
  const ofTeam = `join teams on name = 'Team ' || case when n % 2 = 0 then 0 else n / 2 % 9 + 1 end`
  await add(`
    insert into bots (id, team_id, generation, phase, status, bot_name, meeting_url, meeting_key, meeting_platform,
      recording_mode, request, extra, created_at, queued_at, ended_at, is_scheduled, join_at)
    select gen_random_uuid(), teams.id, case when n % 4 < 2 then 'v2' else 'older' end, 'closed', 'completed',
      'Bot ' || n, 'https://meet.google.com/abc-defg-hij', 'meet', 'meet', 'speaker_view', '{}', jsonb_build_object('order', n),
      at, at, at, n % 3 = 0, case when n % 3 = 0 then at end
    from (select n, now() - n * interval '30 days' / COUNT as at from generate_series(1, COUNT) n) made ${ofTeam}`)
  await add(`
    insert into endpoints (team_id, kind, url)
    select id, 'team', 'https://example.com/' || n from teams, generate_series(1, 2) n`)
  await add(`
    with message as (
      insert into messages (id, team_id, event, body, ordering_key, generation)
      select 'message-' || n, teams.id, 'bot.completed', '{}', 'line-' || n, 'v2' from generate_series(1, COUNT) n ${ofTeam}
      returning id, team_id, ordering_key)
    insert into deliveries (message_id, endpoint_id, team_id, ordering_key, state)
    select message.id, endpoint.id, message.team_id, ordering_key, 'delivered'
    from message join lateral (select id from endpoints where team_id = message.team_id order by url limit 1) endpoint on true`)
  await add(`
    insert into ledger (team_id, kind, meter, amount, source, at)
    select teams.id, 'charge', 'recording', 1000, 'source ' || n, now() - n * interval '30 days' / COUNT
    from generate_series(1, COUNT) n ${ofTeam}`)
  await add(`
    with calendar as (
      insert into calendars (team_id, generation, platform, account_email, raw_calendar_id, name, is_primary)
      select id, 'v2', 'google', 'ann@example.com', 'main', 'Main', true from teams returning id),
    series as (
      insert into calendar_series (calendar_id, provider_id, event_type)
      select id, 'series-' || n, 'one_off' from calendar, generate_series(1, COUNT / 100) n returning id, calendar_id, provider_id)
    insert into calendar_events (calendar_id, series_id, provider_id, is_recurring, is_exception, title, starts_at, ends_at,
      is_all_day, status, is_organizer, provider_updated_at, raw, content_hash)
    select calendar_id, id, provider_id, false, false, 'Meeting', now(), now(), false, 'confirmed', false, now(), '{}', ''
    from series`)
  await add('analyze')
  const { rows } = await sql<{ id: string }>`select id from teams order by name`.execute(database)
  return rows.map(({ id }) => id)
}

interface Plan {
  'Node Type': string
  'Relation Name'?: string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  Plans?: Plan[]
}

const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]

export function describeLists(count: number): void {
  let opened: TestDatabase
  let database: Database
  let explained: ReturnType<typeof openExplained>['explained']
  let [many, few] = ['', '']
  /** The node that read most. */
  let worst = ''
  beforeAll(async () => {
    opened = await openTestDatabase(1)
    ;[many = '', few = ''] = await addRows(opened.database, count)
    const { role: callerRole } = await prepareCallerRole(opened.database)
    const pool = openPool({ url: opened.url, role: 'test', connections: 1, callerRole, readsByIndex: true })
    ;({ database, explained } = openExplained(opened.url, pool))
  }, 600_000)
  afterAll(async () => {
    await database?.destroy()
    await opened.close()
  })

  /** The largest number of rows of one table that one statement of `work` reads. No table is read from end to end. */
  async function rowsRead(work: () => Promise<unknown>): Promise<number> {
    let most = 0
    worst = ''
    for (const { text, plan } of await explained<[{ Plan: Plan }]>(work, 'analyze, format json'))
      for (const node of nodesOf(plan[0]![0].Plan)) {
        if (node['Relation Name'] === undefined) continue
        expect(node['Node Type'], `${JSON.stringify(node)} ${text}`).not.toMatch(/Seq Scan/)
        const read = (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops']
        if (read > most) worst = JSON.stringify(node)
        most = Math.max(most, read)
      }
    return most
  }

  const as = <T>(teamId: string, work: () => Promise<T>) =>
    actAs({ kind: 'key', id: null, address: null, teamId, entries: 0 }, work)

  /** For the team with many rows, and for one with few. */
  async function expectBounded(work: (teamId: string) => Promise<unknown>, bound: number): Promise<void> {
    for (const team of [many, few])
      expect(await as(team, () => rowsRead(() => work(team))), worst).toBeLessThanOrEqual(bound)
  }

  const common: [string, Omit<BotFilter, 'generation'>][] = [
    ['nothing', {}],
    ['a name', { botName: 'zzz' }],
    ['an address', { meetingUrl: 'zzz' }],
    ['a part of an id', { botId: 'zzz' }],
    ['a participant', { participantName: 'zzz' }],
    ['a platform', { platforms: ['zoom'] }],
    ['a field of extra', { extra: [{ field: 'order', value: 'zzz' }] }],
    ['the time of creation', { createdAfter: new Date(Date.now() - 10 * DAY_MS), createdBefore: new Date() }],
    ['the time of the end', { endedAfter: new Date() }],
    ['the generation', { statuses: ['zzz'] }],
  ]

  test.each(common)('bots by %s', async (_name, filter) => {
    await expectBounded((team) => listBots(database, team, { generation: 'v2', ...filter }, PAGE), MAX_READ)
    await expectBounded((team) => listScheduledBots(database, team, { generation: 'v2', ...filter }, PAGE), MAX_READ)
  })

  test('bots without a filter, or by a whole id, are read one by one', async () => {
    const any = { generation: 'any' } as const
    await expectBounded((team) => listBots(database, team, any, PAGE), 200)
    await expectBounded((team) => listScheduledBots(database, team, any, PAGE), 200)
    const { id } = await opened.database
      .selectFrom('bots')
      .select('id')
      .where('team_id', '=', many)
      .limit(1)
      .executeTakeFirstOrThrow()
    await expectBounded((team) => listBots(database, team, { ...any, botId: id.toUpperCase() }, PAGE), 1)
    const [bot] = (await as(many, () => listBots(database, many, any, { ...PAGE, limit: 1 }))).bots
    const found = await as(many, () => listBots(database, many, { ...any, botId: bot!.id.toUpperCase() }, PAGE))
    expect(found.bots.map((one) => one.id)).toEqual([bot!.id])
  })

  test.each<[string, ScheduledFilter]>([
    ['time', { generation: 'v2', scheduledAfter: new Date(0), scheduledBefore: new Date() }],
    ['status', { generation: 'v2', statuses: ['zzz'] }],
  ])('scheduled bots by %s', async (_name, filter) => {
    await expectBounded((team) => listScheduledBots(database, team, filter, PAGE), MAX_READ)
  })

  test.each<[string, OlderFilter]>([
    ['nothing', { extra: [] }],
    ['a name', { botName: 'zzz', extra: [] }],
    ['an address', { meetingUrl: 'zzz', extra: [] }],
    ['a speaker', { speakerName: 'zzz', extra: [] }],
    ['a field of extra', { extra: [{ field: 'order', value: 'zzz' }] }],
    ['the time of creation', { createdAfter: new Date(0), createdBefore: new Date(), extra: [] }],
    ['the time of the end', { endedAfter: new Date(), extra: [] }],
  ])('bots of the older generation by %s', async (_name, filter) => {
    await expectBounded(
      (team) => listOlderBots(database, team, { filter, order: null, after: null, limit: 50 }),
      MAX_READ,
    )
  })

  test('an order by a field of extra reads the bots of the team and generation', async () => {
    const order = { field: 'order', direction: 'asc' as const }
    await expectBounded(
      (team) => listOlderBots(database, team, { filter: { extra: [] }, order, after: null, limit: 50 }),
      count / 4 + 1,
    )
  })

  test('deliveries by each filter, entries of the ledger and the usage', async () => {
    const ofEndpoint = async (teamId: string) => {
      const endpoints = await opened.database
        .selectFrom('endpoints')
        .select('id')
        .where('team_id', '=', teamId)
        .execute()
      for (const { id: endpointId } of endpoints) await readDeliveries(database, teamId, { endpointId, limit: 50 })
    }
    const readEach = async (teamId: string) => {
      for (const state of ['delivered', 'failed', 'dropped', 'waiting', 'sending'])
        await readDeliveries(database, teamId, { state, limit: 50 })
      for (const before of [undefined, 1000]) {
        await readDeliveries(database, teamId, { before, limit: 50 })
        await readLedger(database, teamId, before ?? null, 50)
      }
    }
    await expectBounded(ofEndpoint, 200)
    await expectBounded(readEach, 1000)
    await expectBounded((teamId) => readUsage(database, teamId, { days: 7, per: 'day' }), count / 2)
  })

  test('calendars, their events and their series', async () => {
    const owner = (teamId: string) => ({ teamId, generation: 'v2' as const })
    const ofTeam = count / 100 + 50
    for (const filter of [{}, { accountEmail: 'zzz' }, { platforms: ['zzz'] }, { statuses: ['zzz'] }])
      await expectBounded((teamId) => listCalendars(database, owner(teamId), filter, PAGE), 10)
    const ofMany = opened.database.selectFrom('calendars').select('id').where('team_id', '=', many)
    const { id } = await ofMany.limit(1).executeTakeFirstOrThrow()
    const past = new Date(0)
    const events: EventFilter[] = [
      { showCancelled: true },
      { showCancelled: false, startsFrom: past, endsBy: past },
      { showCancelled: false, statuses: ['tentative'] },
    ]
    for (const filter of events) await expectBounded(() => listEvents(database, id, filter, PAGE), ofTeam)
    const older: OlderEventFilter[] = [
      { when: 'upcoming' },
      { when: 'past', attendeeEmail: 'zzz' },
      { when: 'all', organizerEmail: 'zzz', updatedFrom: new Date(), startsFrom: past, startsBy: new Date() },
    ]
    for (const filter of older) await expectBounded(() => listOlderEvents(database, id, filter, PAGE), ofTeam)
    for (const eventTypes of [undefined, ['recurring']])
      await expectBounded(() => listSeries(database, id, { eventTypes, showCancelled: true }, PAGE), ofTeam)
  })

  describe('a page whose filter finds nothing within its time', () => {
    /** Pages until the end: the time of a page is over after its first statement. */
    async function inPages(read: (page: PageRequest) => Promise<Places & { bots: { bot_name: string }[] }>) {
      let now = 0
      const clock = vi.spyOn(performance, 'now').mockImplementation(() => (now += 10_000))
      try {
        const pages: Awaited<ReturnType<typeof read>>[] = []
        let from: PageRequest['from'] = null
        do {
          const page = await as(many, () => read({ limit: 1, from }))
          pages.push(page)
          from = page.next && { place: page.next, direction: 'after' }
        } while (from !== null)
        return pages
      } finally {
        clock.mockRestore()
      }
    }

    test('has a cursor, by which the oldest bot is found, and one that leads back', async () => {
      const oldest = `Bot ${count}`
      const filter = { generation: 'any', botName: oldest } as const
      const pages = await inPages((page) => listBots(database, many, filter, page))
      const names = pages.map(({ bots }) => bots.map(({ bot_name }) => bot_name))
      expect(names[0]).toEqual([])
      expect(names.flat()).toEqual([oldest])
      expect(names.length).toBe(Math.floor(count / 2 / MAX_READ) + 1)
      const newest = { generation: 'any', extra: [{ field: 'order', value: '2' }] } as const
      const place = pages.at(-1)!.previous!
      const back = await as(many, () =>
        listBots(database, many, newest, { limit: 1, from: { place, direction: 'before' } }),
      )
      expect(back.bots.map(({ bot_name }) => bot_name)).toEqual(['Bot 2'])
    })

    test('is read on while there is time', async () => {
      const page = await as(many, () => listBots(database, many, { generation: 'any', botName: `Bot ${count}` }, PAGE))
      expect(page.bots).toHaveLength(1)
    })

    test('and in the older generation', async () => {
      const { rows } = await sql<{ bot_name: string }>`select bot_name from bots
        where team_id = ${many} and generation = 'older' order by created_at limit 1`.execute(opened.database)
      const filter = { botName: rows[0]!.bot_name, extra: [] }
      const found = await as(many, () => listOlderBots(database, many, { filter, order: null, after: null, limit: 50 }))
      expect(found.bots.map(({ bot_name }) => bot_name)).toEqual([rows[0]!.bot_name])
    })
  })
}
