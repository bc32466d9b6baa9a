import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { migrate, missingMigrations, NewerDatabase, OlderDatabase } from '../../../control-plane/store/migrate.ts'
import { openTestDatabase, type TestDatabase } from '../postgres.ts'

let world: TestDatabase
beforeAll(async () => {
  world = await openTestDatabase()
})
afterAll(() => world.close())

const anyDatabase = () => world.database as never

test('a second migration changes nothing', async () => {
  expect(await migrate(anyDatabase())).toEqual([])
  expect(await missingMigrations(anyDatabase())).toEqual([])
})

test('a database of a newer version is refused with the names of its unknown migrations', async () => {
  await sql`insert into kysely_migration (name, timestamp) values ('9999-future', now()::text)`.execute(world.database)
  const refused = migrate(anyDatabase())
  await expect(refused).rejects.toThrow(NewerDatabase)
  await expect(refused).rejects.toThrow(
    'belongs to a newer version of Standin: this version does not know its migration 9999-future',
  )
  await sql`delete from kysely_migration where name = '9999-future'`.execute(world.database)
  expect(await migrate(anyDatabase())).toEqual([])
})

const EARLIER = [
  '0001-first-tables',
  '0002-calendars',
  '0003-connections',
  '0010-performance',
  '0020-provider-deletions',
  '0030-job-offers',
  '0040-people',
  '0050-alerts',
  '0060-identities',
  '0070-resumed-bots',
  '0080-traces',
  '0090-live-pictures',
]
const names = async () => {
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(world.database)
  return rows.map(({ name }) => name)
}
const setNames = async (wanted: readonly string[]) => {
  await sql`delete from kysely_migration`.execute(world.database)
  await sql`insert into kysely_migration (name, timestamp) select name, now()::text
    from unnest(${wanted}::text[]) name`.execute(world.database)
}

test('a database with all earlier migrations has the same tables, and is kept', async () => {
  const now = await names()
  await world.database.insertInto('settings').values({ name: 'kept', value: '1' }).execute()
  await sql`drop index bots_by_transcript, bot_commands_leave`.execute(world.database)
  await setNames(EARLIER)
  const made = await Promise.all([migrate(anyDatabase()), migrate(anyDatabase())])
  expect(made.flat()).toEqual(['0110-indexes'])
  expect(await names()).toEqual(now)
  expect(await missingMigrations(anyDatabase())).toEqual([])
  expect(await world.database.selectFrom('settings').where('name', '=', 'kept').selectAll().execute()).toHaveLength(1)
})

test('a database with some of the earlier migrations is refused with what to do, and stays as it is', async () => {
  const now = await names()
  await setNames(EARLIER.slice(0, -1))
  const refused = migrate(anyDatabase())
  await expect(refused).rejects.toThrow(OlderDatabase)
  await expect(refused).rejects.toThrow(
    'belongs to an older version of Standin and lacks its migration 0090-live-pictures. Start the last version that has it once',
  )
  expect(await names()).toEqual(EARLIER.slice(0, -1))
  await setNames(now)
})
