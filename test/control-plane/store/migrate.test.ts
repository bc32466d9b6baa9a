import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { migrate, missingMigrations, NewerDatabase } from '../../../control-plane/store/migrate.ts'
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
