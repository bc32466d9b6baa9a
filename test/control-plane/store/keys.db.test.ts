import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  createKey,
  findKeyHolder,
  hashOfKey,
  listKeys,
  newKey,
  noteKeyUse,
  revokeKey,
} from '../../../control-plane/store/teams/keys.ts'
import { createTeam } from '../../../control-plane/store/teams/teams.ts'
import { openTestDatabase, type TestDatabase } from '../postgres.ts'

let test1: TestDatabase
let teamId: string
beforeAll(async () => {
  test1 = await openTestDatabase()
  teamId = await createTeam(test1.database, 'Keys')
})
afterAll(() => test1.close())

const makeKey = (permission: 'full' | 'sending' = 'full') =>
  createKey(test1.database, { teamId, name: 'a key', permission, seal: null })

test('a key finds its team and permission', async () => {
  const { key, keyId } = await makeKey('sending')
  expect(await findKeyHolder(test1.database, key)).toEqual({
    keyId,
    teamId,
    permission: 'sending',
    requestsPerSecond: null,
    byokTranscription: true,
  })
})

test('the table does not hold the key', async () => {
  const { key, keyId } = await makeKey()
  const row = await test1.database.selectFrom('api_keys').selectAll().where('id', '=', keyId).executeTakeFirstOrThrow()
  expect(row.hash).toEqual(hashOfKey(key))
  expect(JSON.stringify(row)).not.toContain(key.slice(row.prefix.length))
})

test('an unknown, a changed, an empty and an endless key find nothing', async () => {
  const { key } = await makeKey()
  for (const wrong of [newKey(), key.slice(0, -1), `${key}x`, '', 'x'.repeat(1_000_000), `${key}\u0000`])
    expect(await findKeyHolder(test1.database, wrong), wrong.slice(0, 60)).toBe('unknown')
})

test('a revoked key finds nothing, and loses its sealed copy', async () => {
  const seal = (text: string) => Buffer.from(`sealed ${text.length}`)
  const { key, keyId } = await createKey(test1.database, { teamId, name: 'sealed', permission: 'full', seal })
  expect(await revokeKey(test1.database, keyId)).toBe(true)
  expect(await findKeyHolder(test1.database, key)).toBe('revoked')
  const row = await test1.database.selectFrom('api_keys').selectAll().where('id', '=', keyId).executeTakeFirstOrThrow()
  expect(row.sealed).toBeNull()
  expect(await revokeKey(test1.database, crypto.randomUUID())).toBe(false)
})

test('revoking again keeps the first time', async () => {
  const { keyId } = await makeKey()
  const revokedAt = async () =>
    (await listKeys(test1.database, teamId)).find(({ key_id }) => key_id === keyId)?.revoked_at
  await revokeKey(test1.database, keyId)
  const first = await revokedAt()
  await revokeKey(test1.database, keyId)
  expect(first).toBeInstanceOf(Date)
  expect(await revokedAt()).toEqual(first)
})

test('an expired key finds nothing', async () => {
  const { key, keyId } = await makeKey()
  await test1.database
    .updateTable('api_keys')
    .set({ expires_at: sql`now() - interval '1 second'` })
    .where('id', '=', keyId)
    .execute()
  expect(await findKeyHolder(test1.database, key)).toBe('expired')
})

test('the last use is noted at most once a minute', async () => {
  const { keyId } = await makeKey()
  const lastUse = async () =>
    (await listKeys(test1.database, teamId)).find(({ key_id }) => key_id === keyId)?.last_used_at
  expect(await lastUse()).toBeNull()
  await noteKeyUse(test1.database, keyId)
  const first = await lastUse()
  expect(first).toBeInstanceOf(Date)
  await noteKeyUse(test1.database, keyId)
  expect(await lastUse()).toEqual(first)
})

test('the list is of one team, oldest first, without hashes', async () => {
  const other = await createTeam(test1.database, 'Other')
  const { keyId } = await createKey(test1.database, { teamId: other, name: 'theirs', permission: 'full', seal: null })
  const { key, keyId: second } = await createKey(test1.database, {
    teamId: other,
    name: 'second',
    permission: 'sending',
    seal: null,
  })
  expect(await listKeys(test1.database, other)).toEqual([
    expect.objectContaining({ key_id: keyId, name: 'theirs' }),
    {
      key_id: second,
      name: 'second',
      prefix: key.slice(0, 14),
      permission: 'sending',
      expires_at: null,
      last_used_at: null,
      revoked_at: null,
    },
  ])
  const all = await listKeys(test1.database)
  expect(all.length).toBeGreaterThan(2)
})
