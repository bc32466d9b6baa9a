import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { MEET, openWorld } from '../../world.ts'

const DAY = 86_400_000

/** Seven bots, the first one the oldest. */
const world = await openWorld({ api: {} })
const team = await world.team()
const ids: string[] = []
const now = Date.now()
const fields = [
  { bot_name: 'Alpha', extra: { customer: 'ACME', number: 5, isPaid: true } },
  { bot_name: 'alphabet', meeting_url: 'https://us02web.zoom.us/j/1234567890' },
  { bot_name: 'Beta 100%', extra: { customer: 'acme' } },
  { bot_name: 'Gamma_x', extra: { customer: 'ACME', note: 'a:b' } },
  { bot_name: 'Delta', meeting_url: 'https://teams.live.com/meet/9312345678901' },
  { bot_name: 'Epsilon' },
  { bot_name: 'Zeta' },
]
for (const [index, given] of fields.entries()) {
  const id = await world.bot(team, given)
  ids.push(id)
  await world.set(id, { created_at: new Date(now - (fields.length - index) * DAY) })
}
await world.set(ids[0]!, {
  status: 'completed',
  ended_at: new Date(now),
  duration_seconds: 61.6,
  participants: [{ name: 'Ada Lovelace', id: 1 }],
  charged: { recording: 495_678, transcription: 4_300, byok_transcription: 0, streaming_input: 0, streaming_output: 0 },
})
await world.set(ids[1]!, { status: 'failed', error_code: 'BOT_NOT_ACCEPTED', error_message: 'Nobody let it in.' })

/** A page of the list: ids of its bots, and its cursors. */
async function page(query: string, cursor: string | null = null, of = team) {
  const { status, body, text } = await of.get(
    `/v2/bots?${query}${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ''}`,
  )
  if (status !== 200) throw new Error(text)
  const found: string[] = body.data.map(({ bot_id }: { bot_id: string }) => bot_id)
  return { ids: found, places: found.map((id) => ids.indexOf(id)), next: body.cursor, previous: body.prev_cursor }
}
/** Places in `ids` of the bots that the query answers, in order. */
const places = async (query: string) => (await page(query)).places
/** All pages until the end. */
async function pages(limit: number, of = team) {
  const read = [await page(`limit=${limit}`, null, of)]
  while (read.at(-1)!.next !== null) read.push(await page(`limit=${limit}`, read.at(-1)!.next, of))
  return read
}

test('bots come newest first, with what became of them', async () => {
  const { body } = await team.get('/v2/bots')
  expect(body).toMatchObject({ success: true, cursor: null, prev_cursor: null })
  expect(await places('')).toEqual([6, 5, 4, 3, 2, 1, 0])
  expect(body.data.at(-1)).toEqual({
    bot_id: ids[0],
    bot_name: 'Alpha',
    meeting_url: MEET,
    meeting_platform: 'meet',
    extra: { customer: 'ACME', number: 5, isPaid: true },
    duration: 62,
    created_at: expect.any(String),
    ended_at: expect.any(String),
    joined_at: null,
    exited_at: null,
    status: 'completed',
    error_code: null,
    error_message: null,
    tokens: {
      recording: 0.4957,
      transcription: 0.0043,
      byok_transcription: 0,
      streaming_input: 0,
      streaming_output: 0,
      total: 0.5,
    },
  })
})

test('a list holds neither bots of other teams nor those older than 90 days', async () => {
  expect((await (await world.team()).get('/v2/bots')).body.data).toEqual([])
  const other = await world.team()
  await world.set(await world.bot(other), { created_at: new Date(Date.now() - 91 * DAY) })
  expect((await other.get('/v2/bots')).body.data).toEqual([])
})

describe('filters', () => {
  const since = (days: number) => encodeURIComponent(new Date(Date.now() - days * DAY).toISOString())
  test.each<[query: () => string, expected: number[]]>([
    [() => 'bot_name=ALPHA', [1, 0]],
    [() => 'bot_name=100%25', [2]],
    [() => 'bot_name=a_x', [3]],
    [() => 'meeting_url=ZOOM.us', [1]],
    [() => `bot_id=${ids[3]!.slice(0, 13).toUpperCase()}`, [3]],
    [() => 'participant_name=lovelace', [0]],
    [() => 'extra=customer:ACME', [3, 0]],
    [() => 'extra=customer:ACME,number:5', [0]],
    [() => 'extra=isPaid:true', [0]],
    [() => 'extra=note:a:b', [3]],
    [() => 'extra=customer:acm', []],
    [() => 'meeting_platform=zoom,teams', [4, 1]],
    [() => 'meeting_platform=zoom&meeting_platform=teams', [4, 1]],
    [() => 'meeting_platform=zoom,teams,zoom,teams,zoom', [4, 1]],
    [() => 'status=completed&status=Failed,call_ended', [1, 0]],
    [() => 'status=failed', [1]],
    [() => 'status=queued,failed&limit=2', [6, 5]],
    [() => 'status=call_ended', []],
    [() => `created_after=${since(3.5)}`, [6, 5, 4]],
    [() => `created_before=${since(5.5)}`, [1, 0]],
    [() => `ended_after=${since(1)}`, [0]],
    [() => 'bot_name=alpha&status=completed', [0]],
  ])('%s', async (query, expected) => {
    expect(await places(query())).toEqual(expected)
  })

  test.each([
    'limit=0',
    'limit=251',
    'limit=5.5',
    'limit=x',
    'cursor=nonsense',
    `cursor=${Buffer.from('2026-01-01T00:00:00Z::1').toString('base64')}`,
    'status=nobody',
    'meeting_platform=skype',
    'extra=customer',
    'created_after=yesterday',
    'created_after=2026-13-01T00:00:00Z',
    `created_after=${encodeURIComponent(new Date(Date.now() - 91 * DAY).toISOString())}`,
    `created_before=${encodeURIComponent(new Date(Date.now() + DAY).toISOString())}`,
    'nonsense=1',
    'bot_name=a%00b',
    'bot_name=a&bot_name=b',
  ])('%s is answered with 400', async (query) => {
    const { status, body } = await team.get(`/v2/bots?${query}`)
    expect({ status, code: body.code, problems: body.problems }).toEqual({
      status: 400,
      code: 'FST_ERR_VALIDATION',
      problems: expect.arrayContaining([{ path: expect.stringMatching(/^querystring/), message: expect.any(String) }]),
    })
  })

  test('times with another offset are converted', async () => {
    const time = new Date(Date.now() - 3.5 * DAY + 2 * 3_600_000).toISOString().replace('Z', '+02:00')
    expect(await places(`created_after=${encodeURIComponent(time)}`)).toEqual([6, 5, 4])
  })
})

describe('pages', () => {
  test.each(['0000-01-01T00:00:00Z', '2026-02-30T00:00:00Z', '2026-01-01T24:00:00Z'])(
    'a cursor with the time %s is answered with 400',
    async (at) => {
      const cursor = Buffer.from(`${at}::${randomUUID()}`).toString('base64')
      expect((await team.get(`/v2/bots?cursor=${encodeURIComponent(cursor)}`)).status).toBe(400)
    },
  )

  test('lead forwards to the end and back to the start', async () => {
    const read = await pages(3)
    expect(read.map((one) => one.places)).toEqual([[6, 5, 4], [3, 2, 1], [0]])
    const middle = await page('limit=3', read.at(-1)!.previous)
    expect(middle).toMatchObject({ places: [3, 2, 1], next: expect.any(String) })
    expect(await page('limit=3', middle.previous)).toMatchObject({ places: [6, 5, 4], previous: null })
  })

  test('a cursor is base64 of time and id, and the sign may be encoded with it', async () => {
    const { next } = await page('limit=3')
    expect(Buffer.from(next, 'base64').toString()).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z::[0-9a-f-]{36}$/)
    expect((await page('limit=3', Buffer.from(`-${next}`).toString('base64'))).places).toEqual([6, 5])
  })

  test.each(['0 seconds', '1 microsecond'])(
    'bots that are %s apart are neither skipped nor repeated',
    async (apart) => {
      const other = await world.team()
      const created = new Date()
      const all = new Set<string>()
      for (let index = 0; index < 7; index++) all.add(await world.bot(other))
      await sql`
      update bots set created_at = ${created}::timestamptz + place.number * ${apart}::interval
      from (select id, row_number() over () as number from bots where team_id = ${other.teamId}) place
      where bots.id = place.id`.execute(world.database)
      const seen = (await pages(2, other)).flatMap((one) => one.ids)
      expect(seen).toHaveLength(7)
      expect(new Set(seen)).toEqual(all)
    },
  )
})

test.each(['ärzte', 'ÄRZTE', 'протокол', 'Протокол', 'σίσυφο', 'ΣΊΣ', 'STRASSE'])(
  '%s is found in any case of letters',
  async (part) => {
    const other = await world.team()
    const id = await world.bot(other, { bot_name: 'Ärzte ПРОТОКОЛ ΣΊΣΥΦΟΣ Straße' })
    await world.set(id, { participants: [{ name: 'Ärzte ПРОТОКОЛ ΣΊΣΥΦΟΣ Straße', id: 1 }] })
    for (const query of ['/v2/bots?bot_name', '/v2/bots?participant_name']) {
      const { body } = await other.get(`${query}=${encodeURIComponent(part)}`)
      expect(body.data.map((bot: { bot_id: string }) => bot.bot_id)).toEqual([id])
    }
  },
)
