import { expect, test } from 'vitest'
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
import { openTestDatabase } from '../postgres.ts'

const opened = await openTestDatabase()
const teamId = await createTeam(opened.database, 'Keys')

const makeKey = (permission: 'full' | 'sending' = 'full') =>
  createKey(opened.database, { teamId, name: 'a key', permission, seal: null })

test('a key finds its team and permission', async () => {
  const { key, keyId } = await makeKey('sending')
  expect(await findKeyHolder(opened.database, key)).toEqual({
    keyId,
    teamId,
    permission: 'sending',
    requestsPerSecond: null,
    byokTranscription: true,
  })
})

test('the table does not hold the key', async () => {
  const { key, keyId } = await makeKey()
  const row = await opened.database.selectFrom('api_keys').selectAll().where('id', '=', keyId).executeTakeFirstOrThrow()
  expect(row.hash).toEqual(hashOfKey(key))
  expect(JSON.stringify(row)).not.toContain(key.slice(row.prefix.length))
})

test('an unknown, a changed, an empty and an endless key find nothing', async () => {
  const { key } = await makeKey()
  for (const wrong of [newKey(), key.slice(0, -1), `${key}x`, '', 'x'.repeat(1_000_000), `${key}\u0000`])
    expect(await findKeyHolder(opened.database, wrong), wrong.slice(0, 60)).toBe('unknown')
})

test('a revoked key finds nothing, and loses its sealed copy', async () => {
  const seal = (text: string) => Buffer.from(`sealed ${text.length}`)
  const { key, keyId } = await createKey(opened.database, { teamId, name: 'sealed', permission: 'full', seal })
  expect(await revokeKey(opened.database, keyId)).toBe(true)
  expect(await findKeyHolder(opened.database, key)).toBe('revoked')
  const row = await opened.database.selectFrom('api_keys').selectAll().where('id', '=', keyId).executeTakeFirstOrThrow()
  expect(row.sealed).toBeNull()
  expect(await revokeKey(opened.database, crypto.randomUUID())).toBe(false)
})

test('revoking again keeps the first time', async () => {
  const { keyId } = await makeKey()
  const revokedAt = async () =>
    (await listKeys(opened.database, teamId)).find(({ key_id }) => key_id === keyId)?.revoked_at
  await revokeKey(opened.database, keyId)
  const first = await revokedAt()
  await revokeKey(opened.database, keyId)
  expect(first).toBeInstanceOf(Date)
  expect(await revokedAt()).toEqual(first)
})

test('the last use is noted at most once a minute', async () => {
  const { keyId } = await makeKey()
  const lastUse = async () =>
    (await listKeys(opened.database, teamId)).find(({ key_id }) => key_id === keyId)?.last_used_at
  expect(await lastUse()).toBeNull()
  await noteKeyUse(opened.database, keyId)
  const first = await lastUse()
  expect(first).toBeInstanceOf(Date)
  await noteKeyUse(opened.database, keyId)
  expect(await lastUse()).toEqual(first)
})

test('the list is of one team, oldest first, without hashes', async () => {
  const other = await createTeam(opened.database, 'Other')
  const { keyId } = await createKey(opened.database, { teamId: other, name: 'theirs', permission: 'full', seal: null })
  const { key, keyId: second } = await createKey(opened.database, {
    teamId: other,
    name: 'second',
    permission: 'sending',
    seal: null,
  })
  expect(await listKeys(opened.database, other)).toEqual([
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
  const all = await listKeys(opened.database)
  expect(all.length).toBeGreaterThan(2)
})
