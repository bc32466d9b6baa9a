/** Bots that name a stored credential: the keys and tokens of their start, and bots that get none. */
import type { Job } from '@standin/wire/job.ts'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createZoom } from '../../../control-plane/connections/zoom.ts'
import { openJoinTokens } from '../../../control-plane/main/wiring/connections.ts'
import { NO_METERS } from '../../../control-plane/platform/meters.ts'
import { createGuardedClient } from '../../../control-plane/platform/outgoing/guarded-client.ts'
import type { Launcher } from '../../../control-plane/platform/ports.ts'
import { createConnection, deleteConnection } from '../../../control-plane/store/connections/connections.ts'
import { refusals, startZoomOauth } from '../../../packages/mock/zoom-oauth/index.ts'
import { openWorld, quiet, seals } from '../world.ts'
import { createSimulatedLauncher } from './simulated.ts'

const LONG = { timeout: 50_000, interval: 50 }
const ZOOM = { link: 'https://zoom.us/j/88240852079?pwd=x', platform: 'zoom' as const, key: 'zoom:88240852079' }

const world = await openWorld({ launching: true })

async function setting() {
  const base = await world.launchingSetting()
  const zoom = await startZoomOauth()
  const client = createGuardedClient({ allowPrivate: true })
  const platform = createZoom({ client, address: zoom.url })
  const opened = openJoinTokens({
    complete: (app) => app,
    database: base.database,
    seals,
    platform,
    teams: { botToken: async () => 'unused' },
    log: quiet,
    meters: NO_METERS,
  })
  const app = zoom.addApp()
  const user = zoom.addUser()
  const jobs: Job[] = []
  const simulated = createSimulatedLauncher(base.host.url)
  const launcher: Launcher = {
    ...simulated,
    async start(spec) {
      jobs.push(spec.job)
      return simulated.start(spec)
    },
  }
  onTestFinished(async () => {
    await opened.close()
    await client.close()
    await zoom.close()
  })
  return {
    ...base,
    zoom,
    app,
    user,
    jobs,
    launch: (concurrency?: number) =>
      base.launching({ launcher, grants: opened.grants, ...(concurrency && { concurrency }) }),
    async credential() {
      const tokens = await platform.exchange(app, { code: zoom.allow(app, user), redirectUri: app.redirectUris[0]! })
      const profile = { userId: user.id, accountId: user.accountId, email: user.email, displayName: null }
      const given = { teamId: base.teamId, name: 'Ann', app, user: { tokens, profile }, extra: null }
      return (await createConnection(base.database, seals, given)).id
    },
    /** A bot for a meeting of the platform with an SDK. */
    zoomBot: (named: { credential_id?: string; credential_user_id?: string }, joinAt: Date | null = null) =>
      base.bot(
        {},
        {
          meeting: ZOOM,
          joinAt,
          request: { bot_name: 'Bot', recording_mode: 'speaker_view', extra: null, conf_config: named },
        },
      ),
  }
}

test('a bot gets the keys and a fresh token, which are nowhere but in its job', async () => {
  const { database, app, user, jobs, launch, credential, zoomBot, row } = await setting()
  const id = await credential()
  launch()
  for (const named of [{ credential_id: id }, { credential_user_id: user.id }]) {
    const bot = await zoomBot(named)
    await expect.poll(async () => (await row(bot)).status, LONG).toBe('completed')
    const job = jobs.find((one) => one.bot_id === bot)!
    expect(job).toMatchObject({
      conf_sdk_id: app.clientId,
      conf_sdk_pwd: app.clientSecret,
      conf_obf_token: expect.stringMatching(/^obf\./),
    })
    const stored = await Promise.all(
      (['bots', 'launches', 'bot_steps', 'bot_events', 'messages', 'connections'] as const).map((table) =>
        database.selectFrom(table).selectAll().execute(),
      ),
    )
    const texts = JSON.stringify(stored, (_key, value) =>
      value?.type === 'Buffer' ? Buffer.from(value.data).toString('latin1') : value,
    )
    for (const secret of [app.clientSecret, job.conf_obf_token!]) expect(texts).not.toContain(secret)
  }
})

test('a scheduled bot gets a token of its join time, not of the time when it was made', async () => {
  const { zoom, launch, credential, zoomBot, jobs, row } = await setting()
  const id = await credential()
  const bot = await zoomBot({ credential_id: id }, new Date(Date.now() + 2_000))
  expect(zoom.count('user_token')).toBe(0)
  launch()
  await expect.poll(async () => (await row(bot)).status, LONG).toBe('completed')
  expect(zoom.count('user_token')).toBe(1)
  expect(jobs).toHaveLength(1)
})

describe('a provider that cannot answer', () => {
  test('keeps the bot waiting with the reason, and it starts when the provider answers', async () => {
    const { zoom, launch, credential, zoomBot, row, steps, launches } = await setting()
    const id = await credential()
    zoom.script('user_token', refusals.SERVER_ERROR, 2)
    launch()
    const bot = await zoomBot({ credential_id: id })
    await expect.poll(async () => (await row(bot)).wait_reason, LONG).toContain('Zoom answered 500')
    expect(await row(bot)).toMatchObject({ status: 'queued', launch_failures: 0 })
    await expect.poll(async () => (await row(bot)).status, LONG).toBe('completed')
    expect(zoom.count('user_token')).toBe(3)
    expect((await steps(bot)).filter(({ kind }) => kind === 'waiting_for_token')).toHaveLength(1)
    expect(await launches(bot)).toMatchObject([{ attempt: 1 }])
  })

  test('ends the bot with the code of the token when its time is over', async () => {
    const { zoom, launch, credential, zoomBot, row, messages } = await setting()
    const id = await credential()
    zoom.script('user_token', refusals.tooManyRequests(60), 100)
    const bot = await zoomBot({ credential_id: id })
    await world.set(bot, { give_up_at: new Date(Date.now() + 20_000) })
    launch()
    await expect.poll(async () => (await row(bot)).phase, LONG).toBe('closed')
    expect(await row(bot)).toMatchObject({
      status: 'failed',
      error_code: 'CONF_OBF_TOKEN_ERROR',
      error_message: expect.stringContaining('Zoom answered 429'),
    })
    expect((await messages(bot)).filter(({ event }) => event === 'bot.failed')).toHaveLength(1)
  })

  test('holds up no bot of another platform', async () => {
    const { zoom, launch, credential, zoomBot, bot, row } = await setting()
    const id = await credential()
    zoom.delayMs = 60_000
    launch(2)
    const waiting = await Promise.all(Array.from({ length: 6 }, () => zoomBot({ credential_id: id })))
    await expect.poll(() => zoom.count('user_token'), LONG).toBe(6)
    const other = await bot()
    await expect.poll(async () => (await row(other)).status, LONG).toBe('completed')
    for (const one of waiting) expect(await row(one)).toMatchObject({ phase: 'launching' })
    zoom.delayMs = 0
  })
})

describe('ends the bot at once, with its code', () => {
  test('a credential that was deleted after the bot was made', async () => {
    const { database, teamId, launch, credential, zoomBot, row, host } = await setting()
    const id = await credential()
    const bot = await zoomBot({ credential_id: id })
    await deleteConnection(database, teamId, id)
    launch()
    await expect.poll(async () => (await row(bot)).phase, LONG).toBe('closed')
    expect(await row(bot)).toMatchObject({
      error_code: 'CONF_OBF_TOKEN_ERROR',
      error_message: 'The stored credential was deleted or never existed.',
    })
    expect(host.of(bot)).toHaveLength(0)
  })

  test('a user who took the authorization back in between', async () => {
    const { zoom, launch, credential, zoomBot, row } = await setting()
    const id = await credential()
    launch()
    const first = await zoomBot({ credential_id: id })
    await expect.poll(async () => (await row(first)).status, LONG).toBe('completed')
    zoom.account.revoke(() => true)
    const second = await zoomBot({ credential_id: id })
    await expect.poll(async () => (await row(second)).phase, LONG).toBe('closed')
    expect(await row(second)).toMatchObject({
      error_code: 'CONF_OBF_TOKEN_ERROR',
      error_message: expect.stringContaining('has to authorize the app again'),
    })
  })
})
