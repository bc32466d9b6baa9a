/**
 * The requests of an existing client of the hosted service, word for word, and the fields that it reads from the
 * answers.
 */
import { describe, expect, test } from 'vitest'
import { compatOlderGeneration, inPublicNames } from '../../../../control-plane/api/compat/index.ts'
import type { BotRequest } from '../../../../control-plane/bots/request.ts'
import { openWorld } from '../../world.ts'
import { operationsServed } from '../openapi-judge.ts'
import { freshMeet } from '../reporting.ts'
import { answerOf } from '../visitor.ts'

const world = await openWorld({ api: {} })
const team = await world.team()

/** The client's one header for the key, and its type of content on every request. */
async function call(method: 'GET' | 'POST' | 'DELETE', path: string, body: unknown = '', key = team.key) {
  const headers = { 'x-meeting-baas-api-key': key, 'content-type': 'application/json' }
  const payload = typeof body === 'string' ? body : JSON.stringify(body)
  return answerOf((await world.app.inject({ method, url: `/compat${path}`, headers, payload })) as never)
}

const rowOf = world.row
const requestOf = async (id: string) => (await rowOf(id)).request as BotRequest
/** Creates a bot by the client's request. */
async function created(path: string, status: number, body: object): Promise<string> {
  const answer = await call('POST', path, body)
  expect(answer.status, answer.text).toBe(status)
  return answer.body.data?.bot_id ?? answer.body.bot_id
}

describe('the newer generation', () => {
  const sent = (fields: object = {}) => ({
    meeting_url: freshMeet(),
    bot_name: 'Bot',
    allow_multiple_bots: true,
    recording_mode: 'speaker_view',
    timeout_config: { waiting_room_timeout: 600, no_one_joined_timeout: 600, silence_timeout: 600 },
    ...fields,
  })
  const create = (fields: object = {}) => created('/v2/bots', 201, sent(fields))

  test('a bot is marked as one of a client of the hosted service, and its first webhook too', async () => {
    const id = await create()
    expect(await rowOf(id)).toMatchObject({ is_compat: true, generation: 'v2' })
    const direct = await team.post('/v2/bots', sent())
    expect(await rowOf(direct.body.data.bot_id)).toMatchObject({ is_compat: false })
    const messages = await world.rows('messages', { bot_id: id })
    expect(messages.every(({ is_compat }) => is_compat)).toBe(true)
  })

  test('zoom_config is read and answered, and never the token', async () => {
    const zoom_config = { obf_token: 'secret-token', obf_token_url: 'https://example.com/obf' }
    const id = await create({ meeting_url: 'https://zoom.us/j/1234567101', zoom_config })
    expect(await requestOf(id)).toMatchObject({
      conf_config: { obf_token_url: 'https://example.com/obf' },
      sealed: ['obfToken'],
    })
    const { body, text } = await call('GET', `/v2/bots/${id}`)
    expect(body.data.zoom_config).toMatchObject({ obf_token_url: 'https://example.com/obf' })
    expect(body.data).not.toHaveProperty('conf_config')
    expect(text).not.toContain('secret-token')
    const native = await team.get(`/v2/bots/${id}`)
    expect(native.body.data).not.toHaveProperty('zoom_config')
  })

  test('fields of the older generation are ignored, not refused', async () => {
    await create({ reserved: false, webhook_url: 'https://example.com', timeout_config: { unknown: 1 } })
    const direct = await team.post('/v2/bots', sent({ reserved: false }))
    expect(direct.status).toBe(400)
  })

  test.each([{ provider: 'gladia' }, { provider: 'gladia', api_key: 'gladia-key', custom_params: { a: 1 } }])(
    'the hosted speech provider %j becomes the operator’s, and its key goes nowhere',
    async (transcription_config) => {
      const id = await create({ transcription_enabled: true, transcription_config })
      expect((await requestOf(id)).transcription?.provider).toBe('Default')
      expect((await rowOf(id)).secrets).toBeNull()
    },
  )

  test('a body that is nested very deeply is answered with 400, and an unknown field of any depth is ignored', async () => {
    const lists = '['.repeat(50_000) + ']'.repeat(50_000)
    const known = JSON.stringify(sent()).slice(0, -1)
    for (const [path, body, status] of [
      ['/v2/bots', lists, 400],
      ['/v2/bots/batch', lists, 201],
      ['/v2/bots', `${known},"whatever":${lists}}`, 201],
      ['/v2/bots', `${known},"extra":${lists}}`, 400],
      ['/v2/bots/batch', `[${known},"whatever":${lists}}]`, 201],
    ] as const) {
      const answer = await call('POST', path, body)
      expect(answer.status, `${path} ${answer.text.slice(0, 300)}`).toBe(status)
    }
  })

  test('a failed bot has the public error code', async () => {
    const id = await create()
    await world.set(id, { status: 'failed', phase: 'closed', error_code: 'CONF_OBF_TOKEN_ERROR' })
    expect((await call('GET', `/v2/bots/${id}`)).body.data.error_code).toBe('ZOOM_OBF_TOKEN_ERROR')
    expect((await team.get(`/v2/bots/${id}`)).body.data.error_code).toBe('CONF_OBF_TOKEN_ERROR')
  })

  test('the provider of the transcript is one that every client knows, or null', async () => {
    const id = await create({ transcription_enabled: true })
    await world.set(id, { transcription_provider: 'Default' })
    expect((await call('GET', `/v2/bots/${id}`)).body.data.transcription_provider).toBeNull()
  })

  test('a refusal names the fields as the client does', async () => {
    const { status, body } = await call('POST', '/v2/bots', sent({ zoom_config: { obf_token_url: 'http://a.test' } }))
    expect(status).toBe(400)
    expect(body.message).toContain('body/zoom_config/obf_token_url')
  })

  test('an empty body with the type of JSON is no body, on every method', async () => {
    const id = await create()
    expect((await call('GET', `/v2/bots/${id}`)).status).toBe(200)
    expect((await call('GET', `/v2/bots/${id}/`)).status).toBe(200)
  })
})

describe('the older generation', () => {
  const sent = (fields: object = {}) => ({
    meeting_url: freshMeet(),
    bot_name: 'Bot',
    reserved: false,
    recording_mode: 'speaker_view',
    automatic_leave: { waiting_room_timeout: 600, noone_joined_timeout: 600 },
    ...fields,
  })
  const create = (fields: object = {}) => created('/bots/', 200, sent(fields))

  test('the public fields of the conferencing platform are read and answered', async () => {
    const id = await create({
      zoom_sdk_id: 'sdk',
      zoom_sdk_pwd: 'sdk-password',
      zoom_obf_token: 'obf',
      zoom_obf_token_url: 'https://example.com/obf',
      zoom_obf_token_user_id: 'user-1',
      zoom_access_token_url: 'https://example.com/zak',
    })
    expect((await rowOf(id)).is_compat).toBe(true)
    expect(await requestOf(id)).toMatchObject({
      conf_config: {
        credential_user_id: 'user-1',
        obf_token_url: 'https://example.com/obf',
        zak_token_url: 'https://example.com/zak',
      },
      sealed: ['obfToken', 'sdkId', 'sdkPassword'],
    })
    const { body } = await call('GET', `/bots/meeting_data?bot_id=${id}&include_transcripts=true`)
    expect(body.bot_data.bot).toMatchObject({
      zoom_sdk_pwd: null,
      zoom_obf_token: null,
      zoom_obf_token_url: 'https://example.com/obf',
      zoom_obf_token_user_id: 'user-1',
      zoom_access_token_url: 'https://example.com/zak',
    })
    expect(Object.keys(body.bot_data.bot).filter((key) => key.startsWith('conf_'))).toEqual([])
  })

  test('unknown fields are ignored, at every place', async () => {
    await create({ whatever: 1, automatic_leave: { other: 1 }, speech_to_text: { provider: 'Default', region: 'eu' } })
  })

  test.each(['Gladia', { provider: 'Gladia', api_key: 'gladia-key' }, { provider: 'Runpod', api_key: 'runpod-key' }])(
    'the hosted speech provider %j becomes the operator’s, and its key and parameters go nowhere',
    async (speech_to_text) => {
      const id = await create({ speech_to_text, transcription_custom_parameters: { context: 'x' } })
      expect((await requestOf(id)).transcription?.provider).toBe('Default')
      expect((await rowOf(id)).secrets).toBeNull()
    },
  )

  test('a provider with a key that this service has keeps both', async () => {
    const id = await create({ speech_to_text: { provider: 'AssemblyAI', api_key: 'key' } })
    expect(await requestOf(id)).toMatchObject({
      transcription: { provider: 'assemblyai' },
      sealed: ['transcriptionApiKey'],
    })
  })

  test('the list has both of its keys', async () => {
    const id = await create()
    const { body } = await call('GET', '/bots/bots_with_metadata?limit=1')
    expect(body.bots.map(({ uuid }: { uuid: string }) => uuid)).toEqual([id])
    expect(body.recent_bots).toEqual(body.bots)
    expect((await team.get('/bots/bots_with_metadata?limit=1')).body).not.toHaveProperty('recent_bots')
  })

  test('half of the SDK keys is refused in the words of the client', async () => {
    const { status, body } = await call('POST', '/bots', sent({ zoom_sdk_id: 'a' }))
    expect(status).toBe(422)
    expect(body).toEqual({
      error: 'body/zoom_sdk_pwd SET_ZOOM_ID_AND_PWD_TOGETHER: zoom_sdk_id and zoom_sdk_pwd go together',
      code: 'InvalidRequest',
    })
  })

  test('leaving takes the empty JSON body that clients send', async () => {
    const id = await create()
    expect(await call('DELETE', `/bots/${id}`)).toMatchObject({ status: 200, body: { ok: true } })
    expect(await call('DELETE', `/bots/${await create()}`, {})).toMatchObject({ status: 200, body: { ok: true } })
  })
})

test.each([
  ['/v2/bots', 'wrong', 401, { success: false, code: 'FST_ERR_FORBIDDEN', statusCode: 401, error: 'Unauthorized' }],
  ['/v2/nothing', undefined, 404, { success: false, code: 'FST_ERR_NOT_FOUND', statusCode: 404 }],
  ['/bots/bots_with_metadata', 'wrong', 401, { error: expect.any(String), code: 'InvalidApiKey' }],
  ['/nothing', undefined, 404, { error: expect.any(String), code: 'NotFound' }],
])('%s with the key %s is %i in the words of its generation', async (path, key, status, body) => {
  expect(await call('GET', path, undefined, key)).toMatchObject({ status, body })
})

test('every route of the older generation is below /compat too', async () => {
  const routes = (await operationsServed(world.app, ['/openapi-older.json'])).map(({ method, path }) => ({
    method: method.toUpperCase() as 'GET',
    url: path.replaceAll(/\{(\w+)\}/g, ':$1'),
  }))
  expect(routes.length).toBeGreaterThan(20)
  const missing = routes.filter(({ method, url }) => !world.app.hasRoute({ method, url: `/compat${url}` }))
  expect(missing).toEqual([])
})

test('a route with another public path is reachable by it', async () => {
  const plain = inPublicNames('older', (app) => {
    app.get('/conf_oauth_connections/:uuid', { config: { isOpen: true } }, async () => ({ conf_user_id: 'u' }))
    app.get('/conf_oauth_connections_of_all', { config: { isOpen: true } }, async () => ({}))
  })
  const small = await openWorld({ api: { generations: [{ ...compatOlderGeneration, routes: plain }] } })
  const get = async (url: string) => {
    const answer = await small.app.inject({ method: 'GET', url })
    return [answer.statusCode, answer.json()]
  }
  expect(await get('/compat/zoom_oauth_connections/1')).toEqual([200, { zoom_user_id: 'u' }])
  expect(await get('/compat/conf_oauth_connections/1')).toEqual([200, { zoom_user_id: 'u' }])
  expect((await get('/compat/zoom_oauth_connections_of_all'))[0]).toBe(404)
})
