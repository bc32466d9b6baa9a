import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { noteOutcome } from '../../../../control-plane/store/connections/outcomes.ts'
import { openWorld } from '../../world.ts'
import { openConferencing } from '../conferencing.ts'

const PATH = '/conf_oauth_connections/'

const conferencing = await openConferencing()
const world = await openWorld({ api: { conferencing: conferencing.authority } })

function grant(user = conferencing.zoom.addUser()) {
  const { zoom, app } = conferencing
  return {
    user,
    body: {
      authorization_code: zoom.allow(app, user),
      redirect_uri: app.redirectUris[0]!,
      conf_client_id: app.clientId,
      conf_client_secret: app.clientSecret,
    },
  }
}

test('a user is connected, read, listed and deleted', async () => {
  const team = await world.team()
  const { user, body } = grant()
  const made = await team.post(PATH, body)
  expect(made.status).toBe(201)
  expect(made.body).toEqual({
    uuid: expect.any(String),
    conf_user_id: user.id,
    conf_account_id: user.accountId,
    state: 'connected',
    scopes: 'user:read:user user:read:token user:read:zak',
    created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{1,6}$/),
    updated_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{1,6}$/),
  })
  expect((await team.get(`${PATH}${made.body.uuid}`)).body).toEqual(made.body)
  expect((await team.get(`${PATH}${made.body.uuid}/`)).body).toEqual(made.body)
  expect((await team.get('/conf_oauth_connections')).body).toEqual([made.body])
  const deleted = await team.delete(`${PATH}${made.body.uuid}`)
  expect(deleted).toMatchObject({ status: 204, text: '' })
  expect((await team.get(`${PATH}${made.body.uuid}`)).outcome).toBe('404 ConnectionNotFound')
  expect((await team.delete(`${PATH}${made.body.uuid}`)).status).toBe(404)
  expect((await team.get(PATH)).body).toEqual([])
})

test('it is the same record as the credential of the newer generation', async () => {
  const team = await world.team()
  const { user, body } = grant()
  const { uuid } = (await team.post(PATH, body)).body
  const newer = (await team.get(`/v2/conf-credentials/${uuid}`)).body.data
  const name = `${user.firstName} ${user.lastName}`
  expect(newer).toMatchObject({ credential_type: 'user', conf_user_id: user.id, name })
  const { clientId: client_id, clientSecret: client_secret } = conferencing.app
  const app = await team.post('/v2/conf-credentials', { name: 'App', client_id, client_secret })
  expect((await team.get(PATH)).body).toHaveLength(1)
  const path = `${PATH}${app.body.data.credential_id}`
  expect([(await team.get(path)).status, (await team.delete(path)).status]).toEqual([404, 404])
})

test('a second connection of one user takes the place of the first, also at once', async () => {
  const team = await world.team()
  const { user, body } = grant()
  const bodies = [body, grant(user).body, grant(user).body]
  const answers = await Promise.all(bodies.map((one) => team.post(PATH, one)))
  expect(answers.map(({ status }) => status)).toEqual([201, 201, 201])
  expect(new Set(answers.map(({ body: { uuid } }) => uuid)).size).toBe(1)
  expect((await team.get(PATH)).body).toHaveLength(1)
})

test('a connection whose refresh was refused says so, until it is authorized again', async () => {
  const team = await world.team()
  const { user, body } = grant()
  const { uuid } = (await team.post(PATH, body)).body
  await noteOutcome(world.database, { id: uuid, version: 0 }, { message: 'Token refresh failed', isPermanent: true })
  expect((await team.get(`${PATH}${uuid}`)).body).toMatchObject({
    state: 'refresh_failed',
    connection_failure_data: { message: 'Token refresh failed', failed_at: expect.any(String) },
  })
  const again = await team.post(PATH, grant(user).body)
  expect(again.body).toMatchObject({ uuid, state: 'connected' })
  expect(again.body).not.toHaveProperty('connection_failure_data')
})

test('refusals have their codes', async () => {
  const [team, other, { body }] = [await world.team(), await world.team(), grant()]
  for (const fields of [{ conf_client_id: undefined }, { authorization_code: '' }])
    expect((await team.post(PATH, { ...body, ...fields })).status).toBe(422)
  const { uuid } = (await team.post(PATH, body)).body
  const text = expect.stringContaining('invalid_grant')
  expect(await team.post(PATH, body)).toMatchObject({ outcome: '400 InvalidRequest', text })
  expect((await other.get(`${PATH}${uuid}`)).status).toBe(404)
  expect((await other.delete(`${PATH}${uuid}`)).status).toBe(404)
  expect((await team.get(`${PATH}${randomUUID()}`)).status).toBe(404)
  conferencing.zoom.script('exchange', { status: 503, body: 'away' })
  expect((await team.post(PATH, grant().body)).outcome).toBe('503 ServiceUnavailable')
})

test('below /compat both generations have the public names', async () => {
  const team = await world.team()
  const { user, body } = grant()
  const { conf_client_id: zoom_client_id, conf_client_secret: zoom_client_secret, ...code } = body
  const made = await team.post('/compat/zoom_oauth_connections/', { ...code, zoom_client_id, zoom_client_secret })
  expect(made).toMatchObject({ status: 201, body: { zoom_user_id: user.id, zoom_account_id: user.accountId } })
  const { uuid } = made.body
  expect((await team.get(`/compat/zoom_oauth_connections/${uuid}`)).body.zoom_user_id).toBe(user.id)
  const listed = await team.get(`/compat/v2/zoom-credentials?zoom_user_id=${encodeURIComponent(user.id)}`)
  expect(listed.body.data).toMatchObject([{ credential_id: uuid, zoom_user_id: user.id, zoom_email: user.email }])
  expect((await team.get('/compat/v2/zoom-credentials?zoom_email=nobody')).body.data).toEqual([])
  expect((await team.get(`/compat/v2/conf-credentials/${uuid}`)).body.data.zoom_email).toBe(user.email)
  expect((await team.delete(`/compat/zoom_oauth_connections/${uuid}`)).status).toBe(204)
})

test('a bot that names its user is made, also before the user is connected', async () => {
  const team = await world.team()
  const { user, body } = grant()
  const bot = { meeting_url: 'https://zoom.us/j/88240852079', bot_name: 'Bot', conf_obf_token_user_id: user.id }
  expect((await team.post('/bots/', { ...bot, deduplication_key: '1' })).status).toBe(200)
  await team.post(PATH, body)
  expect((await team.post('/bots/', { ...bot, deduplication_key: '2' })).status).toBe(200)
})
