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
import { openWorld } from '../world.ts'

const opened = await openWorld()
const teamId = await opened.teamId()

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
  const row = await opened.one('api_keys', { id: keyId })
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
  const row = await opened.one('api_keys', { id: keyId })
  expect(row.sealed).toBeNull()
  expect(await revokeKey(opened.database, crypto.randomUUID())).toBe(false)
})

test.each([
  ['the time of a revocation', 'revoked_at', revokeKey],
  ['the last use, within a minute,', 'last_used_at', noteKeyUse],
] as const)('%s is noted once', async (_what, column, note) => {
  const { keyId } = await makeKey()
  const noted = async () => (await listKeys(opened.database, teamId)).find(({ key_id }) => key_id === keyId)![column]
  expect(await noted()).toBeNull()
  await note(opened.database, keyId)
  const first = await noted()
  expect(first).toBeInstanceOf(Date)
  await note(opened.database, keyId)
  expect(await noted()).toEqual(first)
})

test('the list is of one team, oldest first, without hashes', async () => {
  const other = await createTeam(opened.database, 'Other')
  const { keyId } = await createKey(opened.database, { teamId: other, name: 'theirs', permission: 'full', seal: null })
  const second = { name: 'second', permission: 'sending' } as const
  const { key, keyId: key_id } = await createKey(opened.database, { ...second, teamId: other, seal: null })
  const times = { expires_at: null, last_used_at: null, revoked_at: null }
  expect(await listKeys(opened.database, other)).toEqual([
    expect.objectContaining({ key_id: keyId, name: 'theirs' }),
    { key_id, ...second, prefix: key.slice(0, 14), ...times },
  ])
  expect((await listKeys(opened.database)).length).toBeGreaterThan(2)
})
