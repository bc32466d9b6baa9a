/** Creations that arrive together share statements, and nothing else. */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { createBot, type NewBot } from '../../../../control-plane/bots/actions/create-bot.ts'
import { RESERVATION } from '../../../../control-plane/bots/outcomes.ts'
import { shareStatements } from '../../../../control-plane/store/shared-statements.ts'
import { openWorld, seals } from '../../world.ts'

const db = await openWorld()

function newBot(teamId: string, values: Partial<NewBot> = {}): NewBot {
  return {
    id: randomUUID(),
    teamId,
    apiKeyId: null,
    generation: 'v2',
    isCompat: false,
    meeting: { link: 'https://meet.google.com/abc-defg-hij', platform: 'meet', key: 'meet:abc-defg-hij' },
    request: { bot_name: 'Bot', recording_mode: 'speaker_view', extra: null },
    joinAt: null,
    ...values,
  }
}
const create = (bot: NewBot) => createBot(db.database, seals, bot)
const counts = async (teamId: string) => {
  const { rows } = await sql<Record<string, number>>`
    select (select count(*) from bots where team_id = ${teamId}) as bots,
      (select count(*) from bot_steps s join bots b on b.id = s.bot_id where b.team_id = ${teamId}) as steps,
      (select count(*) from messages where team_id = ${teamId} and generation = 'webhooks') as messages,
      (select sum(amount) from ledger where team_id = ${teamId} and kind = 'reserve') as ledger,
      (select reserved from teams where id = ${teamId}) as reserved`.execute(db.database)
  return rows[0]
}

test('each of many bots has everything that a bot has which is created alone', async () => {
  const alone = await db.teamId()
  await create(newBot(alone))
  const one = (await counts(alone))!
  const [team, other] = [await db.teamId(), await db.teamId()]
  const bots = Array.from({ length: 50 }, (_, n) =>
    newBot(n % 5 === 0 ? other : team, { request: { ...newBot('').request, extra: { n } } }),
  )
  const made = await Promise.all(bots.map(create))
  expect(made).toEqual(bots.map(({ id }) => ({ botId: id })))
  const times = (count: number) => Object.fromEntries(Object.entries(one).map(([name, value]) => [name, value * count]))
  expect(await counts(team)).toEqual(times(40))
  expect(await counts(other)).toEqual(times(10))
  expect(one.reserved).toBe(RESERVATION)
  const rows = await db.rows('bots', { team_id: team }, ['id', 'extra'])
  for (const { id, extra } of rows) expect(extra).toEqual(bots.find((bot) => bot.id === id)!.request.extra)
})

test('one that cannot be stored fails alone', async () => {
  const team = await db.teamId()
  const stored = newBot(team)
  await create(stored)
  const bots = [newBot(team), newBot(team), newBot(team, { id: stored.id }), newBot(team), newBot(team)]
  const made = await Promise.allSettled(bots.map(create))
  expect(made.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled', 'fulfilled'])
  expect(await counts(team)).toMatchObject({ bots: 5, reserved: 5 * RESERVATION })
})

test('a limit that is set between two creations counts for the second one', async () => {
  const team = await db.teamId()
  await Promise.all([create(newBot(team)), create(newBot(team))])
  await db.setTeam(team, { daily_cap: 3 })
  const made = await Promise.all(Array.from({ length: 8 }, () => create(newBot(team))))
  expect(made.filter((one) => 'botId' in one)).toHaveLength(1)
  expect(await counts(team)).toMatchObject({ bots: 3 })
})

test('statements take what waits, in sizes that are few, and never items of two keys', async () => {
  const sent: number[][] = []
  let release = () => {}
  const shared = shareStatements(async (items: readonly number[]) => {
    sent.push([...items])
    await new Promise<void>((resolve) => {
      release = resolve
      setTimeout(resolve, 20)
    })
    if (items.includes(7)) throw new Error(`no ${items.join()}`)
    return items.map((item) => item * 2)
  }, 4)
  const results = await Promise.allSettled([
    ...[1, 2, 3, 4, 5, 6, 7].map((item) => shared.add('a', item)),
    shared.add('b', 10),
  ])
  release()
  expect(results.slice(0, 6).map((one) => (one.status === 'fulfilled' ? one.value : one.reason))).toEqual([
    2, 4, 6, 8, 10, 12,
  ])
  expect(results[6]).toMatchObject({ status: 'rejected', reason: new Error('no 7') })
  expect(results[7]).toEqual({ status: 'fulfilled', value: 20 })
  expect(sent).toContainEqual([1, 2, 3, 4])
  expect(sent.every((items) => [1, 2, 4].includes(items.length))).toBe(true)
  expect(sent.some((items) => items.includes(10) && items.length > 1)).toBe(false)
})
