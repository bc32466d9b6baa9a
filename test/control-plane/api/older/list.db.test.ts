import type { NewBotRow } from '@standin/control-plane/store/rows/index.ts'
import { describe, expect, test } from 'vitest'
import { listSchema } from '../../../../control-plane/api/older/bots/answers.ts'
import { readFilter, readOrder } from '../../../../control-plane/api/older/bots/list-query.ts'
import { olderGeneration } from '../../../../control-plane/api/older/index.ts'
import { type ApiWorld, openWorld } from '../../world.ts'
import { olderBotRow } from './rows.ts'

type World = ApiWorld
type Team = Awaited<ReturnType<World['team']>>

const world = await openWorld({ api: { generations: [olderGeneration] } })

const PATH = '/bots/bots_with_metadata'

async function list(team: Team, query: Record<string, string> = {}) {
  const answer = await team.get(`${PATH}?${new URLSearchParams(query)}`)
  expect(answer.text).toContain('"bots"')
  expect(answer.status).toBe(200)
  return listSchema.strict().parse(answer.body)
}
const namesOf = async (team: Team, query: Record<string, string> = {}) =>
  (await list(team, query)).bots.map(({ bot_name }) => bot_name)

/** Names on all pages until the end. */
async function walk(team: Team, query: Record<string, string>, between: () => Promise<unknown> = async () => {}) {
  const seen: string[] = []
  let cursor: string | null = null
  do {
    const page: Awaited<ReturnType<typeof list>> = await list(team, { ...query, ...(cursor && { cursor }) })
    seen.push(...page.bots.map(({ bot_name }) => bot_name))
    cursor = page.next_cursor
    await between()
  } while (cursor !== null)
  return seen
}

/** A team with these bots, the first of them the newest. */
async function teamWith(...bots: Partial<NewBotRow>[]): Promise<Team> {
  const team = await world.team()
  const now = Date.now()
  for (const [index, bot] of bots.entries())
    await olderBotRow(world, team.teamId, { created_at: new Date(now - index * 1000), ...bot })
  return team
}

async function problemOf(query: string): Promise<string> {
  const team = await world.team()
  const { status, body } = await team.get(`${PATH}?${query}`)
  expect([status, body.code]).toEqual([422, 'InvalidRequest'])
  return body.error
}

describe('items', () => {
  test('have every key, of bots of this generation and this team only', async () => {
    const created = new Date('2026-11-20T09:00:00.123Z')
    const ended = new Date('2026-11-20T09:32:00Z')
    const team = await teamWith({
      bot_name: 'Notes',
      created_at: created,
      ended_at: ended,
      duration_seconds: 1803.6,
      extra: { order: 17 },
      speakers: [
        { name: 'Ada Byron', id: 1 },
        { name: 'Niko', id: null },
      ],
    })
    await olderBotRow(world, team.teamId, { generation: 'v2' })
    await teamWith({ bot_name: 'Of another team' })
    const { bots, next_cursor, last_updated } = await list(team)
    expect(bots).toEqual([
      {
        id: expect.any(Number),
        uuid: expect.any(String),
        bot_name: 'Notes',
        meeting_url: 'https://meet.google.com/abc-defg-hij',
        created_at: '2026-11-20T09:00:00.123Z',
        ended_at: '2026-11-20T09:32:00.000Z',
        duration: 1804,
        speakers: ['Ada Byron', 'Niko'],
        extra: { order: 17 },
        access_count: 0,
        last_accessed_at: null,
        session_id: null,
      },
    ])
    expect(next_cursor).toBeNull()
    expect(Math.abs(Date.parse(last_updated) - Date.now())).toBeLessThan(60_000)
  })

  test('an empty list has its keys too', async () => {
    expect(await list(await world.team())).toEqual({ bots: [], last_updated: expect.any(String), next_cursor: null })
  })

  test('what is not known is null, and extra an object', async () => {
    const [item] = (await list(await teamWith({ phase: 'due', status: 'queued' }))).bots
    expect(item).toMatchObject({ duration: null, ended_at: null, extra: {}, speakers: [] })
  })
})

describe('filters', () => {
  test.each<[query: Record<string, string>, names: string[]]>([
    [{ bot_name: 'NOTES' }, ['Notes of A', 'notes_of B']],
    [{ bot_name: 's_o' }, ['notes_of B']],
    [{ bot_name: '100%' }, ['100% C']],
    [{ bot_name: '%' }, ['100% C']],
    [{ bot_name: '' }, ['Notes of A', 'notes_of B', '100% C']],
    [{ meeting_url: 'ZOOM.us/J' }, ['notes_of B']],
    [{ speaker_name: 'byron' }, ['100% C']],
    [{ bot_name: 'of', meeting_url: 'meet' }, ['Notes of A']],
  ])('%j', async (query, names) => {
    const team = await teamWith(
      { bot_name: 'Notes of A' },
      { bot_name: 'notes_of B', meeting_url: 'https://zoom.us/j/1' },
      { bot_name: '100% C', speakers: [{ name: 'Ada Byron', id: 1 }] },
    )
    expect(await namesOf(team, query)).toEqual(names)
  })

  test('bounds of time are inclusive, in UTC, with and without a zone', async () => {
    const hours = ['12', '11', '10']
    const team = await teamWith(
      ...hours.map((hour) => ({
        bot_name: hour,
        created_at: new Date(`2026-11-20T${hour}:00:00Z`),
        ended_at: new Date(`2026-11-20T${hour}:30:00Z`),
      })),
    )
    expect(await namesOf(team, { created_after: '2026-11-20T11:00:00' })).toEqual(['12', '11'])
    expect(await namesOf(team, { created_before: '2026-11-20T11:00:00' })).toEqual(['11', '10'])
    expect(await namesOf(team, { created_after: '2026-11-20T12:00:00+01:00' })).toEqual(['12', '11'])
    expect(await namesOf(team, { created_after: '2026-11-20T11:00:00.001Z' })).toEqual(['12'])
    expect(await namesOf(team, { ended_after: '2026-11-20T11:30:00' })).toEqual(['12', '11'])
  })

  test.each<[filter: string, names: string[]]>([
    ['env:prod', ['A', 'B']],
    ['env:prod,team:red', ['A']],
    ['env:Prod', []],
    ['env:pro', []],
    ['n:17', ['B']],
    ['ok:true', ['A']],
    ['url:https://x.test/a:b', ['C']],
    ['missing:1', []],
    [' env : prod ', ['A', 'B']],
    ['', ['A', 'B', 'C', 'D', 'E']],
  ])('filter_by_extra=%s', async (filter, names) => {
    const team = await teamWith(
      { bot_name: 'A', extra: { env: 'prod', team: 'red', ok: true } },
      { bot_name: 'B', extra: { env: 'prod', team: 'blue', n: 17 } },
      { bot_name: 'C', extra: { env: null, url: 'https://x.test/a:b' } },
      { bot_name: 'D', extra: ['env', 'prod'] },
      { bot_name: 'E', extra: 'env' },
    )
    expect(await namesOf(team, { filter_by_extra: filter })).toEqual(names)
  })

  test.each([
    ['filter_by_extra=env', 'querystring/filter_by_extra'],
    ['filter_by_extra=:prod', 'querystring/filter_by_extra'],
    ['filter_by_extra=a:1,b', 'querystring/filter_by_extra'],
    [`filter_by_extra=${Array(21).fill('a:1').join(',')}`, 'querystring/filter_by_extra'],
    ['sort_by_extra=a:up', 'querystring/sort_by_extra'],
    ['sort_by_extra=:asc', 'querystring/sort_by_extra'],
    ['sort_by_extra=a:asc:x', 'querystring/sort_by_extra'],
    ['created_after=yesterday', 'querystring/created_after'],
    ['created_before=2026-11-20', 'querystring/created_before'],
    ['ended_after=2026-13-20T10:00:00', 'querystring/ended_after'],
    ['limit=ten', 'querystring/limit'],
    ['limit=1.5', 'querystring/limit'],
    ['bot_name=%00', 'querystring/bot_name'],
    ['filter_by_extra=a:%00', 'querystring/filter_by_extra'],
    [`bot_name=${'x'.repeat(501)}`, 'querystring/bot_name'],
    ['cursor=nonsense', 'querystring/cursor'],
    ['cursor=WzEsIiJd', 'querystring/cursor'],
    ['unknown=1', 'querystring/unknown unknown field'],
    ['bot_name=a&bot_name=b', 'querystring/bot_name'],
  ])('%s is refused', async (query, place) => {
    expect(await problemOf(query)).toContain(place)
  })
})

describe('pages', () => {
  test('ten without a limit; limits out of bounds are moved', async () => {
    const team = await teamWith(...Array.from({ length: 52 }, (_, index) => ({ bot_name: String(index) })))
    expect(await namesOf(team)).toHaveLength(10)
    expect(await namesOf(team, { limit: '0' })).toHaveLength(1)
    expect(await namesOf(team, { limit: '-5' })).toHaveLength(1)
    expect(await namesOf(team, { limit: '1000' })).toHaveLength(50)
  })

  test('a cursor of another order or another team is refused', async () => {
    const team = await teamWith({ extra: { a: 1 } }, { extra: { a: 2 } })
    const other = await teamWith({ extra: { a: 1 } })
    const { next_cursor: cursor } = await list(team, { limit: '1', sort_by_extra: 'a' })
    const refused = await Promise.all([
      team.get(`${PATH}?cursor=${cursor}`),
      team.get(`${PATH}?sort_by_extra=a:desc&cursor=${cursor}`),
      other.get(`${PATH}?sort_by_extra=a&cursor=${cursor}`),
    ])
    expect(refused.map(({ status }) => status)).toEqual([422, 422, 422])
    expect((await team.get(`${PATH}?sort_by_extra=a:asc&cursor=${cursor}`)).status).toBe(200)
  })

  test('bots of one microsecond and a new bot between two pages are neither lost nor doubled', async () => {
    const at = new Date('2026-11-20T09:00:00Z')
    const team = await teamWith(
      ...Array.from({ length: 9 }, (_, index) => ({ bot_name: String(index), created_at: at })),
    )
    const seen = await walk(team, { limit: '2' }, () => olderBotRow(world, team.teamId, { bot_name: 'new' }))
    expect(seen).toEqual(['8', '7', '6', '5', '4', '3', '2', '1', '0'])
  })

  test.each(['key', 'key:asc', 'key:desc'])(
    'sort_by_extra=%s walks all bots in the order of a model',
    async (order) => {
      const texts = ['b', 'a', 'B', 'ä', 'a', 'a', '', 'é']
      const values: unknown[] = [...texts, 10, 9, true, null, undefined, { x: 1 }, undefined]
      const bots = values.flatMap((value, index) => [
        { bot_name: `x${index}`, extra: value === undefined ? { other: 1 } : { key: value } },
        { bot_name: `y${index}`, extra: index % 3 === 0 ? 'no object' : { key: value ?? 'z' } },
      ])
      const team = await teamWith(...bots)
      const textOf = (extra: unknown): string | null => {
        const value = (extra as { key?: unknown }).key
        if (value === undefined || value === null) return null
        return typeof value === 'object' ? '{"x": 1}' : String(value)
      }
      const sign = order.endsWith('desc') ? -1 : 1
      // Newest first among equals, which is the order of the rows: sorting is stable.
      const model = bots.toSorted((a, b) => {
        const [left, right] = [textOf(a.extra), textOf(b.extra)]
        if (left === null || right === null) return Number(left === null) - Number(right === null)
        return sign * Buffer.compare(Buffer.from(left), Buffer.from(right))
      })
      const seen = await walk(team, { limit: '4', sort_by_extra: order })
      expect(seen).toEqual(model.map(({ bot_name }) => bot_name))
    },
  )

  test('sorting comes after filtering', async () => {
    const team = await teamWith(
      { bot_name: 'A', extra: { env: 'prod', n: 'b' } },
      { bot_name: 'B', extra: { env: 'test', n: 'a' } },
      { bot_name: 'C', extra: { env: 'prod', n: 'a' } },
    )
    expect(await namesOf(team, { filter_by_extra: 'env:prod', sort_by_extra: 'n' })).toEqual(['C', 'A'])
  })
})

describe('the texts of filter and order', () => {
  test('are parsed', () => {
    expect(readFilter('a:1,b:x:y')).toEqual([
      { field: 'a', value: '1' },
      { field: 'b', value: 'x:y' },
    ])
    expect(readFilter('a:')).toEqual([{ field: 'a', value: '' }])
    expect(readFilter('a:1,')).toBeNull()
    expect(readOrder('a')).toEqual({ field: 'a', direction: 'asc' })
    expect(readOrder('a:desc')).toEqual({ field: 'a', direction: 'desc' })
    expect(readOrder('a:DESC')).toBeNull()
  })
})
