import { sql } from 'kysely'
import { expect, test } from 'vitest'
import type { Tx } from '../../../control-plane/store/database.ts'
import { PREPARED } from '../../../control-plane/store/prepared.ts'
import { openTestDatabase } from '../postgres.ts'

const sum = async (tx: Tx, mark: typeof PREPARED, number: number) =>
  (await sql<{ sum: number }>`${mark} select ${number}::int + 1 as sum`.execute(tx)).rows[0]!.sum

const preparedBy = async (tx: Tx) =>
  (
    await sql<{ name: string; runs: number }>`
    select name, generic_plans + custom_plans as runs from pg_prepared_statements`.execute(tx)
  ).rows

test('a marked statement is prepared once for each connection, with other values each time', async () => {
  const { database, close } = await openTestDatabase()
  await database.transaction().execute(async (tx) => {
    expect([await sum(tx, PREPARED, 1), await sum(tx, PREPARED, 2), await sum(tx, PREPARED, 3)]).toEqual([2, 3, 4])
    expect(await preparedBy(tx)).toMatchObject([{ runs: 3 }])
  })
  await close()
})

test('a statement without the mark is not', async () => {
  const { database, close } = await openTestDatabase()
  await database.transaction().execute(async (tx) => {
    expect(await sum(tx, sql.raw(''), 1)).toBe(2)
    expect(await preparedBy(tx)).toEqual([])
  })
  await close()
})
