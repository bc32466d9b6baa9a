/** Tokens for further tries of a bot that runs. */
import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { freshTokenOf } from '../../../control-plane/connections/fresh-tokens.ts'
import { insertBot } from '../../../control-plane/store/bots/bots.ts'
import { deleteConnection } from '../../../control-plane/store/connections/connections.ts'
import { refusals } from '../../../packages/mock/zoom-oauth/index.ts'
import { openWorld } from '../world.ts'
import { MEETING } from './world.ts'

const world = await openWorld({ connections: true })

const teamsToken = () => Promise.reject(new Error('The bot is one of Zoom'))

async function running(values: { phase?: string; attempt?: number; hasObfToken?: boolean; scopes?: string[] } = {}) {
  const base = await world.connectionSetting()
  const { id: credentialId } = await base.connection(values.scopes ? { scopes: values.scopes } : {})
  const bot = await insertBot(world.database, {
    id: randomUUID(),
    team_id: base.teamId,
    generation: 'v2',
    phase: values.phase ?? 'running',
    status: 'joining_call',
    attempt: values.attempt ?? 1,
    bot_name: 'Bot',
    meeting_url: MEETING,
    meeting_key: 'zoom:88240852079',
    meeting_platform: 'zoom',
    recording_mode: 'speaker_view',
    request: {
      conf_config: { credential_id: credentialId },
      sealed: values.hasObfToken ? ['obfToken'] : [],
    },
  })
  const { grants } = base.process()
  return {
    ...base,
    credentialId,
    ask: (attempt = 1) => freshTokenOf({ database: world.database, grants, teamsToken }, { botId: bot.id, attempt }),
  }
}

test('a bot that runs gets another token each time', async () => {
  const { ask } = await running()
  const [one, two] = [await ask(), await ask()]
  expect(one).toEqual({ token: expect.stringMatching(/^obf\./), can_retry: false })
  expect(two.token).not.toBe(one.token)
})

test.each([
  ['a bot that has ended', { phase: 'closed' }, 1],
  ['an attempt that is not wanted any more', { attempt: 2 }, 1],
  ['a bot that brought its own token', { hasObfToken: true }, 1],
])('%s gets none', async (_name, values, attempt) => {
  const { ask, zoom } = await running(values)
  expect(await ask(attempt)).toMatchObject({ code: 'CONF_OBF_TOKEN_ERROR', can_retry: false })
  expect(zoom.count('user_token')).toBe(0)
})

test('a bot whose credential is deleted meanwhile gets a final refusal', async () => {
  const { ask, teamId, credentialId } = await running()
  await deleteConnection(world.database, teamId, credentialId)
  expect(await ask()).toEqual({
    code: 'CONF_OBF_TOKEN_ERROR',
    message: 'The stored credential was deleted or never existed.',
    can_retry: false,
  })
})

test('a provider that is down is reported as one that may answer later', async () => {
  const { ask, zoom } = await running()
  zoom.script('user_token', refusals.tooManyRequests(3))
  expect(await ask()).toMatchObject({ code: 'CONF_OBF_TOKEN_ERROR', can_retry: true })
  expect((await ask()).token).toMatch(/^obf\./)
})

test('an unknown bot gets none', async () => {
  const { process } = await world.connectionSetting()
  const owner = { botId: randomUUID(), attempt: 1 }
  expect(await freshTokenOf({ database: world.database, grants: process().grants, teamsToken }, owner)).toMatchObject({
    can_retry: false,
  })
})
