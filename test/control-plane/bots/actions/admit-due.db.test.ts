import { admitDue } from '@standin/control-plane/bots/actions/admit-due.ts'
import { RESERVATION } from '@standin/control-plane/bots/outcomes.ts'
import { lockBot } from '@standin/control-plane/store/bots/bots.ts'
import { writeLedger } from '@standin/control-plane/store/teams/ledger.ts'
import { describe, expect, test } from 'vitest'
import type { LaunchingSetting } from '../../launching/world.ts'
import { waitingForLocks } from '../../postgres.ts'
import { openWorld } from '../../world.ts'

const world = await openWorld({ launching: true })

test('the admission of a bot and a change of it that moves tokens do not wait for each other', async () => {
  const { database, bot, row, teamId } = await world.launchingSetting()
  const id = await bot({}, { joinAt: new Date(Date.now() + 1000) })
  let admission: Promise<number> | undefined
  await database.transaction().execute(async (tx) => {
    await lockBot(tx, id)
    admission = admitDue(database, 60)
    admission.catch(() => {})
    await expect.poll(() => waitingForLocks(database)).toBeGreaterThan(0)
    const source = `test:${id}`
    await writeLedger(tx, [{ teamId, botId: id, kind: 'charge', meter: null, amount: 1, source }])
  })
  expect(await admission).toBe(1)
  expect((await row(id)).phase).toBe('due')
})

describe('bots of one team that are due together', () => {
  const soon = (place: number) => new Date(Date.now() + 1000 + place)
  const outcomes = async (row: LaunchingSetting['row'], ids: string[]) =>
    Promise.all(ids.map(async (id) => (({ phase, error_code }) => error_code ?? phase)(await row(id))))
  const scheduled = async (bot: LaunchingSetting['bot'], values: Parameters<LaunchingSetting['bot']>[1][]) => {
    const ids: string[] = []
    for (const [place, value] of values.entries()) ids.push(await bot({}, { joinAt: soon(place), ...value }))
    return ids
  }

  test('fill the daily cap and the balance to the last place, those that are due first', async () => {
    const { database, bot, row, teamId, ledger } = await world.launchingSetting()
    const set = (values: object) => database.updateTable('teams').set(values).where('id', '=', teamId).execute()
    await bot()
    const capped = await scheduled(bot, [{}, {}, {}])
    await set({ daily_cap: 3 })
    expect(await admitDue(database, 60)).toBe(3)
    expect(await outcomes(row, capped)).toEqual(['due', 'due', 'DAILY_BOT_CAP_REACHED'])
    const { reserved } = await database
      .selectFrom('teams')
      .select('reserved')
      .where('id', '=', teamId)
      .executeTakeFirstOrThrow()
    await set({ daily_cap: null, balance: reserved + 2 * RESERVATION })
    const poor = await scheduled(bot, [{}, {}, {}])
    expect(await admitDue(database, 60)).toBe(3)
    expect(await outcomes(row, poor)).toEqual(['due', 'due', 'INSUFFICIENT_TOKENS'])
    expect(await ledger(poor[2]!)).toEqual([])
  })

  test('are no duplicates of each other, by meeting and by key', async () => {
    const { database, bot, row } = await world.launchingSetting()
    const asked = (fields: object) => ({
      request: { bot_name: 'Bot', recording_mode: 'speaker_view', extra: null, ...fields },
    })
    const meeting = (key: string) => ({ link: 'https://meet.google.com/abc-defg-hij', platform: 'meet' as const, key })
    const ids = await scheduled(bot, [
      { meeting: meeting('meet:a'), ...asked({ allow_multiple_bots: false }) },
      { meeting: meeting('meet:a'), ...asked({ allow_multiple_bots: false }) },
      { meeting: meeting('meet:a') },
      { meeting: meeting('meet:b'), ...asked({ allow_multiple_bots: false }) },
      { meeting: meeting('meet:c'), generation: 'older', ...asked({ deduplication_key: 'k' }) },
      { meeting: meeting('meet:c'), generation: 'older', ...asked({ deduplication_key: 'k' }) },
      {
        meeting: meeting('meet:c'),
        generation: 'older',
        ...asked({ deduplication_key: 'other', allow_multiple_bots: false }),
      },
      { meeting: meeting('meet:c'), generation: 'older', ...asked({ allow_multiple_bots: false }) },
      { meeting: meeting('meet:c'), generation: 'older', ...asked({ allow_multiple_bots: false }) },
    ])
    expect(await admitDue(database, 60)).toBe(ids.length)
    const refused = 'BOT_ALREADY_EXISTS'
    expect(await outcomes(row, ids)).toEqual(['due', refused, 'due', 'due', 'due', refused, 'due', 'due', refused])
    // Those that are queued now count for what is due later.
    const later = await scheduled(bot, [{ meeting: meeting('meet:b'), ...asked({ allow_multiple_bots: false }) }])
    await admitDue(database, 60)
    expect(await outcomes(row, later)).toEqual([refused])
  })
})
