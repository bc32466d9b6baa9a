import { describe, expect, test } from 'vitest'
import { type LedgerEntry, MICRO } from '../../../control-plane/bots/change.ts'
import { writeLedger } from '../../../control-plane/store/teams/ledger.ts'
import {
  createTeam,
  grantTokens,
  ledgerSum,
  listTeams,
  readTeam,
  setTeam,
} from '../../../control-plane/store/teams/teams.ts'
import { openTestDatabase, waitingForLocks } from '../postgres.ts'

const opened = await openTestDatabase()

const makeTeam = () => createTeam(opened.database, 'Team')
const read = async (teamId: string) => (await readTeam(opened.database, teamId))!
const entry = (teamId: string, kind: LedgerEntry['kind'], amount: number, source: string): LedgerEntry => ({
  teamId,
  botId: null,
  kind,
  meter: null,
  amount,
  source: `${teamId}:${source}`,
})
const write = (...entries: LedgerEntry[]) => opened.database.transaction().execute((tx) => writeLedger(tx, entries))

test('a new team has no limits and an unlimited balance', async () => {
  expect(await read(await makeTeam())).toMatchObject({
    plan: 'self_hosted',
    balance: null,
    reserved: 0,
    daily_cap: null,
    requests_per_second: null,
    retention_days: null,
    calendars: null,
    byok_transcription: true,
  })
})

test('a plan sets its limits, and a single limit overrides it', async () => {
  const team = await makeTeam()
  await setTeam(opened.database, team, { plan: 'pro', daily_cap: 0 })
  expect(await read(team)).toMatchObject({ plan: 'pro', requests_per_second: 10, daily_cap: 0, retention_days: 7 })
})

test('changing a team that does not exist changes nothing and says so', async () => {
  expect(await setTeam(opened.database, crypto.randomUUID(), { daily_cap: 1 })).toBe(false)
  expect(await grantTokens(opened.database, crypto.randomUUID(), 1)).toBeUndefined()
})

describe('the ledger', () => {
  test('locks teams in the order of their ids, in any order of the entries', async () => {
    const teams = (await Promise.all(Array.from({ length: 12 }, makeTeam))).sort()
    const [first, ...others] = teams
    const entries = teams.map((team) => entry(team, 'grant', MICRO, 'order')).reverse()
    const { database } = opened
    let writing: Promise<void> | undefined
    await database.transaction().execute(async (tx) => {
      await tx.selectFrom('teams').select('id').where('id', '=', first!).forNoKeyUpdate().execute()
      writing = write(...entries)
      await expect.poll(() => waitingForLocks(database)).toBe(1)
      // The transaction that waits for the first team holds none of the others.
      const free = await tx
        .selectFrom('teams')
        .select('id')
        .where('id', 'in', others)
        .forNoKeyUpdate()
        .skipLocked()
        .execute()
      expect(free).toHaveLength(others.length)
    })
    await writing
    for (const team of teams) expect(await ledgerSum(database, team)).toMatchObject({ sum: MICRO })
  })

  test('moves what is reserved, spent and left together with its entries', async () => {
    const team = await makeTeam()
    await setTeam(opened.database, team, { balance: 10 })
    await write(entry(team, 'reserve', 500_000, 'reserve'))
    expect(await read(team)).toMatchObject({ balance: 10 * MICRO, reserved: 500_000 })
    await write(entry(team, 'release', 500_000, 'release'), entry(team, 'charge', 1_250_000, 'charge'))
    expect(await read(team)).toMatchObject({ balance: 8_750_000, reserved: 0, spent: 1_250_000 })
  })

  test('an entry of a known source changes nothing', async () => {
    const team = await makeTeam()
    await setTeam(opened.database, team, { balance: 1 })
    await write(entry(team, 'charge', 300_000, 'once'))
    await write(entry(team, 'charge', 300_000, 'once'), entry(team, 'charge', 100_000, 'twice'))
    expect(await read(team)).toMatchObject({ balance: 600_000, spent: 400_000 })
  })

  test('the same source in one batch counts once', async () => {
    const team = await makeTeam()
    await write(entry(team, 'charge', 300_000, 'once'), entry(team, 'charge', 300_000, 'once'))
    expect(await read(team)).toMatchObject({ spent: 300_000, balance: null })
  })

  test('sums stay those of the entries, after any change by an operator', async () => {
    const team = await makeTeam()
    await write(entry(team, 'charge', 2_000_000, 'before'))
    await setTeam(opened.database, team, { balance: 5 })
    expect((await read(team)).balance).toBe(5 * MICRO)
    await grantTokens(opened.database, team, 2.5)
    await setTeam(opened.database, team, { balance: null })
    expect(await grantTokens(opened.database, team, 1)).toBeNull()
    await setTeam(opened.database, team, { balance: 3 })
    const { balance, spent } = await read(team)
    const sums = await ledgerSum(opened.database, team)
    expect({ balance, spent }).toEqual({ balance: sums.sum, spent: sums.spent })
    expect(balance).toBe(3 * MICRO)
  })

  test('many writers at once lose nothing', async () => {
    const team = await makeTeam()
    await setTeam(opened.database, team, { balance: 100 })
    await Promise.all(
      Array.from({ length: 40 }, (_, number) => write(entry(team, 'charge', 10_000, `charge ${number % 20}`))),
    )
    expect(await read(team)).toMatchObject({ balance: 100 * MICRO - 20 * 10_000, spent: 200_000 })
  })
})

test('the list shows tokens, oldest team first', async () => {
  const first = await createTeam(opened.database, 'First')
  const second = await createTeam(opened.database, 'Second')
  await setTeam(opened.database, second, { balance: 2.5 })
  await write(entry(second, 'reserve', 500_000, 'reserve'))
  expect((await listTeams(opened.database)).slice(-2)).toEqual([
    { team_id: first, name: 'First', balance: null, reserved: 0 },
    { team_id: second, name: 'Second', balance: 2.5, reserved: 0.5 },
  ])
})
