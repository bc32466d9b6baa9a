/** No secret of a connection leaves its sealed column, for any request and after any error. */
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createJoinGrants } from '../../../control-plane/connections/join-grants.ts'
import { connectionTokens } from '../../../control-plane/connections/tokens.ts'
import { createZoom } from '../../../control-plane/connections/zoom.ts'
import { createGuardedClient } from '../../../control-plane/platform/outgoing/guarded-client.ts'
import { rotateSeals } from '../../../control-plane/platform/secrets/rotate.ts'
import { createSeals, newSealKey, parseSealKeys } from '../../../control-plane/platform/secrets/seals.ts'
import { connectionPlace, type SecretColumn } from '../../../control-plane/store/connections/connections.ts'
import type { Database } from '../../../control-plane/store/database.ts'
import { openConferencing } from '../api/conferencing.ts'
import { type ApiWorld, openWorld } from '../world.ts'

const COLUMNS: readonly SecretColumn[] = ['client_secret', 'refresh_token', 'access_token']
const oldKey = newSealKey('old')
const seals = createSeals(parseSealKeys(oldKey))

let conferencing: Awaited<ReturnType<typeof openConferencing>>
let world: ApiWorld
const client = createGuardedClient({ allowPrivate: true })

beforeAll(async () => {
  conferencing = await openConferencing()
  world = await openWorld({ api: { conferencing: conferencing.authority, seals } })
})
afterAll(async () => {
  await client.close()
  await world?.close()
  await conferencing?.close()
})

function grantsWith(given: typeof seals, log: (fields: object, message: string) => void) {
  const platform = createZoom({ client, address: conferencing.zoom.url })
  const settings = { database: world.database, seals: given, platform, log: { info: log, warn: log, error: log } }
  return createJoinGrants({ ...settings, tokens: connectionTokens(settings) })
}

async function made() {
  const { zoom, app } = conferencing
  const team = await world.team()
  const code = zoom.allow(app, zoom.addUser())
  const body = {
    name: 'Ann',
    client_id: app.clientId,
    client_secret: app.clientSecret,
    authorization_code: code,
    redirect_uri: app.redirectUris[0],
  }
  const answer = await team.post('/v2/conf-credentials', body, { 'idempotency-key': randomUUID() })
  const id: string = answer.body.data.credential_id
  const request = {
    teamId: team.teamId,
    credentialId: id,
    credentialUserId: null,
    wantsToken: true,
    meetingUrl: 'https://zoom.us/j/88240852079',
  }
  return { team, code, body, answer, id, request }
}

async function secretsOf(id: string, given = seals): Promise<string[]> {
  const row = await world.database.selectFrom('connections').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
  return COLUMNS.map((column) => given.open(row[column]!, connectionPlace(column, id)))
}

test('markers that go in are in no answer, no log line and no column', async () => {
  const { team, code, body, answer, id, request } = await made()
  const logged: unknown[] = []
  const grants = grantsWith(seals, (...line) => void logged.push(line))
  const before = await secretsOf(id)
  await world.database.updateTable('connections').set({ access_token_until: null }).where('id', '=', id).execute()
  const granted = await grants.fetch(request)
  const after = await secretsOf(id)
  conferencing.zoom.account.revoke(() => true)
  const refused = await grants.fetch(request).catch((error: Error) => error.message)
  const answers = [
    answer,
    await team.post('/v2/conf-credentials', body),
    await team.post('/conf_oauth_connections/', { ...body, name: undefined }),
    await team.patch(`/v2/conf-credentials/${id}`, body),
    await team.patch(`/v2/conf-credentials/${id}`, { client_id: 'a', client_secret: app().clientSecret }),
    await team.get('/v2/conf-credentials'),
    await team.get(`/conf_oauth_connections/${id}`),
    await team.delete(`/v2/conf-credentials/${id}`),
  ].map(({ text }) => text)
  const secrets = new Set([...before, ...after, granted.obfToken!, code])
  expect(secrets.size).toBe(7)
  const rows = await everyRow(world.database)
  expect(rows).toContain(id)
  const texts = [...answers, refused, JSON.stringify(logged), rows].join('\n')
  for (const secret of secrets) {
    expect(texts).not.toContain(secret)
    expect(texts).not.toContain(Buffer.from(secret).toString('hex'))
    expect(texts).not.toContain(Buffer.from(secret).toString('base64').replace(/=+$/, ''))
  }
})

test('a new key seals all of it, and the old one is needed no more', async () => {
  const { id, request } = await made()
  const before = await secretsOf(id)
  const newKey = newSealKey('new')
  const rotation = await rotateSeals(world.database, createSeals(parseSealKeys(`${newKey},${oldKey}`)))
  expect(rotation).toMatchObject({ failed: [], left: { new: expect.any(Number) } })
  expect(rotation.left.old).toBeUndefined()
  const onlyNew = createSeals(parseSealKeys(newKey))
  expect(await secretsOf(id, onlyNew)).toEqual(before)
  await expect(secretsOf(id)).rejects.toThrow('"new"')
  expect(await grantsWith(onlyNew, () => {}).fetch(request)).toMatchObject({ obfToken: expect.any(String) })
})

test('a value that is copied to another connection does not open there', async () => {
  const keyed = createSeals(parseSealKeys(newSealKey('copy')))
  const [one, two] = [randomUUID(), randomUUID()]
  const sealed = keyed.seal('secret', connectionPlace('refresh_token', one))
  expect(() => keyed.open(sealed, connectionPlace('refresh_token', two))).toThrow('moved')
  expect(() => keyed.open(sealed, connectionPlace('access_token', one))).toThrow('moved')
})

const app = () => conferencing.app

/** The whole database as text; sealed columns as hexadecimal digits. */
async function everyRow(database: Database): Promise<string> {
  const { rows: tables } = await sql<{ name: string }>`
    select table_name as name from information_schema.tables where table_schema = 'public'`.execute(database)
  const texts: string[] = []
  for (const { name } of tables) {
    const { rows } = await sql<{
      text: string
    }>`select to_jsonb(one)::text as text from ${sql.table(name)} one`.execute(database)
    texts.push(...rows.map(({ text }) => text))
  }
  return texts.join('\n')
}
