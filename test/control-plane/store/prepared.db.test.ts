import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { actAs } from '../../../control-plane/store/audit-log.ts'
import { openDatabase, type Tx } from '../../../control-plane/store/database.ts'
import { frequentStatements, PREPARED } from '../../../control-plane/store/prepared.ts'
import { prepareCallerRole } from '../../../control-plane/store/row-security.ts'
import { openTestDatabase } from '../postgres.ts'

const sum = async (tx: Tx, mark: typeof PREPARED, number: number) =>
  (await sql<{ sum: number }>`${mark} select ${number}::int + 1 as sum`.execute(tx)).rows[0]!.sum

const preparedBy = async (tx: Tx) =>
  (
    await sql<{ name: string; runs: number }>`
    select name, generic_plans + custom_plans as runs from pg_prepared_statements`.execute(tx)
  ).rows

test('a marked statement is prepared once for each connection, with other values each time', async () => {
  const { database } = await openTestDatabase()
  await database.transaction().execute(async (tx) => {
    expect([await sum(tx, PREPARED, 1), await sum(tx, PREPARED, 2), await sum(tx, PREPARED, 3)]).toEqual([2, 3, 4])
    expect(await preparedBy(tx)).toMatchObject([{ runs: 3 }])
  })
})

test('a marked statement that begins with a line break is prepared too', async () => {
  const { database } = await openTestDatabase()
  await database.transaction().execute(async (tx) => {
    await sql`
      ${PREPARED} select ${1}::int as one`.execute(tx)
    expect(await preparedBy(tx)).toMatchObject([{ runs: 1 }])
  })
})

test('a statement without the mark is not', async () => {
  const { database } = await openTestDatabase()
  await database.transaction().execute(async (tx) => {
    expect(await sum(tx, sql.raw(''), 1)).toBe(2)
    expect(await preparedBy(tx)).toEqual([])
  })
})

test('connections of callers prepare what is sent often and names its columns, unless each team needs its own plan', async () => {
  const { database, url } = await openTestDatabase()
  const { role } = await prepareCallerRole(database)
  for (const readsByIndex of [false, true]) {
    const callers = openDatabase({ url, role: 'test', connections: 1, callerRole: role, readsByIndex })
    await actAs({ kind: 'key', id: null, address: null, teamId: randomUUID(), entries: 0 }, async () => {
      const often = async (work: () => Promise<unknown>) => {
        for (let count = 0; count < 20; count++) await work()
      }
      await often(() => callers.selectFrom('bots').select('id').where('bot_name', '=', `b ${Math.random()}`).execute())
      await often(() => callers.selectFrom('bots').selectAll().where('bot_name', '=', 'b').execute())
      await often(() => callers.transaction().execute((tx) => tx.selectFrom('bots').select('phase').execute()))
      const { rows } = await sql<{ statement: string }>`
        select statement from pg_prepared_statements where name <> 'enter_team'`.execute(callers)
      expect(rows.map(({ statement }) => statement)).toEqual(
        readsByIndex ? [] : ['select "id" from "bots" where "bot_name" = $1'],
      )
    })
    await callers.destroy()
  }
})

test('many rare statements keep no frequent one from being prepared, and at most 150 are prepared', () => {
  const isFrequent = frequentStatements()
  const often = (text: string) => Array.from({ length: 11 }, () => isFrequent(text)).at(-1)
  for (let number = 0; number < 1000; number += 1)
    expect(isFrequent(`select rare_${number} from bots where id = $1`)).toBe(false)
  const texts = Array.from({ length: 200 }, (_, number) => `select often_${number} from bots where id = $1`)
  expect(texts.filter((text) => often(text)).length).toBe(150)
  expect(texts.slice(0, 150).every((text) => isFrequent(text))).toBe(true)
})
