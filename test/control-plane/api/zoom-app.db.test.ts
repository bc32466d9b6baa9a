/** Tokens of Zoom without a stored credential: they need the operator's own app. */
import { createGuardedClient } from '@standin/control-plane/platform/outgoing/guarded-client.ts'
import { afterAll, describe, expect, test } from 'vitest'
import { openWorld } from '../world.ts'

const client = createGuardedClient({ allowPrivate: true })
const settings = { publicUrl: 'http://127.0.0.1' }
const [without, withApp] = await Promise.all([
  openWorld({ api: { settings } }),
  openWorld({ api: { settings: { ...settings, hasZoomApp: true }, client } }),
])
afterAll(() => Promise.all([without.close(), withApp.close(), client.close()]))

let meetings = 0
const newer = (conf_config: object, host = 'https://zoom.us/j/8') => ({
  bot_name: 'Bot',
  meeting_url: `${host}${String(++meetings).padStart(9, '0')}`,
  conf_config,
})
const older = (fields: object) => ({
  bot_name: 'Bot',
  meeting_url: `https://zoom.us/j/8${String(++meetings).padStart(9, '0')}`,
  ...fields,
})
const token = 'https://tokens.example/obf'

describe('without an app of the operator', () => {
  test.each<[string, object]>([
    ['a token', { obf_token: 'obf' }],
    ['the address of a token', { obf_token_url: token }],
    ['the address of an access key', { zak_token_url: token }],
  ])('%s alone is refused at once, with the settings that would help', async (_what, conf) => {
    const { status, body } = await (await without.team()).post('/v2/bots', newer(conf))
    expect(status).toBe(400)
    expect(body.message).toContain('body/conf_config an on-behalf-of token or an access key works only with an app')
    expect(body.message).toContain('STANDIN_ZOOM_CLIENT_ID')
  })

  test('the older generation refuses it too, and takes a token with its own keys', async () => {
    const team = await without.team()
    const refused = await team.post('/bots/', older({ conf_obf_token: 'obf' }))
    expect(refused.status).toBeGreaterThanOrEqual(400)
    expect(JSON.stringify(refused.body)).toContain('STANDIN_ZOOM_CLIENT_ID')
    const keys = { conf_sdk_id: 'id', conf_sdk_pwd: 'password' }
    expect((await team.post('/bots/', older({ conf_obf_token: 'obf', ...keys }))).status).toBeLessThan(300)
  })

  test('a change of a scheduled bot is judged as a whole: its new token, and its new link', async () => {
    const team = await without.team()
    const join_at = new Date(Date.now() + 3_600_000).toISOString()
    const schedule = async (fields: object) => {
      const answer = await team.post('/v2/bots/scheduled', { ...fields, join_at })
      expect(answer.status).toBe(201)
      return `/v2/bots/scheduled/${answer.body.data.bot_id}`
    }
    const [zoom, teams] = [
      await schedule(newer({})),
      await schedule(newer({ obf_token: 'obf' }, 'https://teams.microsoft.com/meet/21')),
    ]
    const { meeting_url } = newer({})
    const changes: [path: string, change: object][] = [
      [zoom, { conf_config: { obf_token_url: token } }],
      [teams, { meeting_url }],
    ]
    for (const [path, change] of changes)
      expect(await team.patch(path, change)).toMatchObject({
        status: 400,
        body: { message: expect.stringContaining('body/conf_config an on-behalf-of token or an access key') },
      })
    expect((await team.patch(zoom, { bot_name: 'Other' })).status).toBe(200)
    expect((await team.patch(teams, { meeting_url, conf_config: null })).status).toBe(200)
  })

  test('a token is no problem with a credential, or for a meeting of another platform', async () => {
    const team = await without.team()
    expect((await team.post('/v2/bots', newer({ obf_token: 'obf', credential_user_id: 'ann' }))).status).toBe(201)
    const teams = newer({ obf_token: 'obf' }, 'https://teams.microsoft.com/meet/21')
    expect((await team.post('/v2/bots', teams)).status).toBe(201)
  })
})

test('with the app of the operator, a token or its address is enough', async () => {
  const team = await withApp.team()
  for (const conf of [{ obf_token: 'obf' }, { obf_token_url: token }, { zak_token_url: token }])
    expect((await team.post('/v2/bots', newer(conf))).status).toBe(201)
})

test('addresses of tokens may be without TLS only if the operator permits private addresses', async () => {
  const plain = { obf_token_url: 'http://127.0.0.1:8099/token' }
  const team = await withApp.team()
  expect((await team.post('/v2/bots', newer(plain))).status).toBe(201)
  const address = { conf_obf_token_url: plain.obf_token_url, conf_access_token_url: plain.obf_token_url }
  expect((await team.post('/bots/', older(address))).status).toBeLessThan(300)
  const refused = await (await without.team()).post('/v2/bots', newer({ ...plain, credential_user_id: 'ann' }))
  expect(refused.outcome).toBe('400 FST_ERR_VALIDATION')
})
