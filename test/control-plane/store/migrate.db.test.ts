import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { migrate, missingMigrations, NewerDatabase, OlderDatabase } from '../../../control-plane/store/migrate.ts'
import { openTestDatabase } from '../postgres.ts'

const world = await openTestDatabase()

const anyDatabase = () => world.database as never

test('a second migration changes nothing', async () => {
  expect(await migrate(anyDatabase())).toEqual([])
  expect(await missingMigrations(anyDatabase())).toEqual([])
})

test.each([
  ['0187-saved-views', OlderDatabase, 'belongs to an older version of Standin that this version cannot upgrade'],
  [
    '9999-future',
    NewerDatabase,
    'belongs to a newer version of Standin: this version does not know its migration 9999-future',
  ],
])('a database with the migration %s is refused and stays as it is', async (name, kind, message) => {
  await sql`insert into kysely_migration (name, timestamp) values (${name}, now()::text)`.execute(world.database)
  const refused = migrate(anyDatabase())
  await expect(refused).rejects.toThrow(kind)
  await expect(refused).rejects.toThrow(message)
  await sql`delete from kysely_migration where name = ${name}`.execute(world.database)
  expect(await migrate(anyDatabase())).toEqual([])
})
