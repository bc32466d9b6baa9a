import { sendHint } from '@standin/control-plane/store/wake-ups.ts'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { openWorld } from '../../world.ts'

const world = await openWorld({ launching: true })

/** Many bots on a busy machine. */
const PATIENT = { timeout: 50_000 }
const kinds = (steps: { kind: string }[]) => steps.map(({ kind }) => kind)
const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1000)

test('a bot that is asked for runs, is recorded and ends', async () => {
  const { launching, bot, row, steps, host, launches } = await world.launchingSetting()
  launching()
  const id = await bot()
  await expect.poll(async () => (await row(id)).phase).toBe('closed')
  expect(await row(id)).toMatchObject({ status: 'completed', end_code: 'BOT_REMOVED', attempt: 1, launch_failures: 0 })
  expect(host.of(id)).toHaveLength(1)
  expect(host.of(id)[0]!.bot.joinRequests).toHaveLength(1)
  expect(kinds(await steps(id))).toEqual(
    expect.arrayContaining(['asked', 'admitted', 'launched', 'connected', 'ended']),
  )
  await expect.poll(async () => (await launches(id))[0]!.cleaned_at).not.toBeNull()
  expect(await launches(id)).toMatchObject([
    { attempt: 1, launcher: 'simulated', exit_code: 0, signal: null, is_out_of_memory: false, log_tail: 'log' },
  ])
})

test('a hint from another process starts a bot without waiting for the next look', async () => {
  const { launching, bot, host, databaseUrl, database } = await world.launchingSetting()
  launching({ databaseUrl })
  const started = async () => {
    const before = performance.now()
    const id = await bot()
    await sendHint(database, 'bots')
    await expect.poll(() => host.of(id).length, { interval: 2 }).toBe(1)
    return performance.now() - before
  }
  await expect
    .poll(async () => {
      // After the first one the next look is seven seconds away or more.
      await started()
      return started()
    })
    .toBeLessThan(5_000)
})

test('bots are found without hints: while the connection for them is broken, and when another program writes a row', async () => {
  const { launching, bot, host, databaseUrl, database } = await world.launchingSetting()
  launching({ databaseUrl })
  const listeners = async () => {
    const { rows } = await sql<{ pid: number }>`
      select pid from pg_stat_activity where application_name = 'standin wake-ups' and datname = current_database()
        and query like 'listen%' and state = 'idle'`.execute(database)
    return rows.map(({ pid }) => pid)
  }
  await expect.poll(listeners).toHaveLength(1)
  const [before] = await listeners()
  await sql`select pg_terminate_backend(${before}::int)`.execute(database)
  const whileBroken = await bot()
  await expect.poll(() => host.of(whileBroken).length).toBe(1)
  await expect.poll(listeners).toHaveLength(1)
  expect(await listeners()).not.toEqual([before])
  const withoutHint = await bot()
  await expect.poll(() => host.of(withoutHint).length).toBe(1)
})

test('a bot that finds no room waits as queued with the reason, and runs when there is room', async () => {
  const { launching, bot, row, host, steps, launches } = await world.launchingSetting()
  host.limit = 1
  const room = launching()
  const first = await bot({ meetingMs: 60_000 })
  await expect.poll(async () => (await row(first)).status).toBe('in_call_recording')
  const second = await bot()
  room.wake()
  await expect.poll(async () => (await row(second)).wait_reason).toBe('One bot runs, which is the limit')
  expect(await row(second)).toMatchObject({ phase: 'due', status: 'queued', attempt: 0 })
  host.of(first)[0]!.bot.stop()
  await expect.poll(async () => (await row(second)).status).toBe('completed')
  expect(await row(second)).toMatchObject({ attempt: 1, launch_failures: 0, wait_reason: null })
  expect(kinds(await steps(second)).filter((kind) => kind === 'waiting_for_room')).toHaveLength(1)
  expect(await launches(second)).toHaveLength(1)
})

test('a launcher that fails is tried again after a pause, with another attempt', async () => {
  const { launching, bot, row, host, steps, launches } = await world.launchingSetting()
  host.failure = 'The engine is away'
  launching()
  const id = await bot()
  await expect.poll(async () => (await row(id)).launch_failures).toBe(1)
  host.failure = null
  await expect.poll(async () => (await row(id)).status).toBe('completed')
  expect((await steps(id)).find(({ kind }) => kind === 'launch_failed')?.reason).toBe('The engine is away')
  await expect
    .poll(() => launches(id))
    .toMatchObject([
      { attempt: 1, reason: 'The engine is away', cleaned_at: expect.any(Date) },
      { attempt: 2, reason: 'The bot ended with code 0' },
    ])
  expect(host.of(id)).toHaveLength(1)
})

test('a bot that cannot be started while its time lasts fails, is reported once, and costs nothing', async () => {
  const { launching, bot, row, host, messages, ledger } = await world.launchingSetting()
  host.failure = 'The engine is away'
  launching()
  const id = await bot()
  await expect.poll(async () => (await row(id)).launch_failures).toBeGreaterThan(0)
  await world.set(id, { give_up_at: new Date() })
  await expect.poll(async () => (await row(id)).phase).toBe('closed')
  expect(await row(id)).toMatchObject({ status: 'failed', error_code: 'INTERNAL_ERROR' })
  expect((await row(id)).error_message).toContain('The engine is away')
  expect((await messages(id)).filter(({ event }) => event === 'bot.failed')).toHaveLength(1)
  expect(await ledger(id)).toMatchObject([{ kind: 'reserve' }, { kind: 'release' }])
})

test('a bot that waits for two minutes is reported as late, once', async () => {
  const { launching, bot, row, host, messages } = await world.launchingSetting()
  host.limit = 0
  const id = await bot()
  await world.set(id, { queued_at: inSeconds(-121) })
  const room = launching()
  await expect.poll(async () => (await row(id)).pickup_delayed_at).not.toBeNull()
  room.wake()
  host.limit = null
  await expect.poll(async () => (await row(id)).status).toBe('completed')
  const codes = (await messages(id)).map(({ body }) => (body.data.status as { code: string } | undefined)?.code)
  expect(codes.filter((code) => code === 'pickup_delayed')).toHaveLength(1)
})

test('a scheduled bot is started ahead of its time, and told when to ask to join', async () => {
  const { launching, bot, row, steps, host } = await world.launchingSetting()
  launching()
  const joinAt = inSeconds(10)
  const soon = await bot({}, { joinAt })
  const later = await bot({}, { joinAt: inSeconds(3600) })
  await expect.poll(() => host.of(soon).length).toBe(1)
  await expect.poll(async () => (await row(soon)).schedule_status).toBe('completed')
  const [, due, ...rest] = await steps(soon)
  expect(due).toMatchObject({
    kind: 'due',
    reason: expect.stringMatching(
      new RegExp(`^Its join time is ${joinAt.toISOString()}; its admission began \\d+ seconds? ahead\\.$`),
    ),
  })
  expect(kinds(rest)).toContain('admitted')
  expect(kinds(await steps(later))).toEqual(['asked'])
  expect(await row(later)).toMatchObject({ phase: 'scheduled', queued_at: null })
  expect(host.of(later)).toHaveLength(0)
})

test('scheduled bots are checked when they are due: by cap, tokens and duplicates, in the order of their time', async () => {
  const { launching, bot, row, steps, host, messages, teamId } = await world.launchingSetting()
  const first = await bot({}, { joinAt: inSeconds(1) })
  const second = await bot({}, { joinAt: inSeconds(2) })
  await world.setTeam(teamId, { daily_cap: 1 })
  launching()
  await expect.poll(async () => (await row(second)).phase).toBe('closed')
  expect(await row(second)).toMatchObject({
    status: 'failed',
    schedule_status: 'failed',
    error_code: 'DAILY_BOT_CAP_REACHED',
  })
  await expect.poll(async () => (await row(first)).status).toBe('completed')
  expect((await messages(second)).map(({ event }) => event)).toContain('bot.failed')
  expect(host.of(second)).toHaveLength(0)
  expect(kinds(await steps(second))).toEqual(['asked', 'due', 'refused', 'ended'])

  await world.setTeam(teamId, { daily_cap: null, balance: 0 })
  const poor = await bot({}, { joinAt: inSeconds(1) })
  await expect.poll(async () => (await row(poor)).error_code).toBe('INSUFFICIENT_TOKENS')

  await world.setTeam(teamId, { balance: null })
  const twin = await bot(
    {},
    {
      joinAt: inSeconds(1),
      request: { bot_name: 'Bot', recording_mode: 'speaker_view', extra: null, allow_multiple_bots: false },
    },
  )
  await expect.poll(async () => (await row(twin)).error_code).toBe('BOT_ALREADY_EXISTS')
})

test('a request that makes no job fails at once with the code of the interface', async () => {
  const { launching, bot, row, host } = await world.launchingSetting()
  launching()
  const conf_config = { credential_id: '7c9e6679-7425-40de-944b-e07fc1f90ae7' }
  const id = await bot(
    {},
    {
      request: { bot_name: 'Bot', recording_mode: 'speaker_view', extra: null, conf_config },
      meeting: { link: 'https://zoom.us/j/123456789', platform: 'zoom', key: 'zoom:123456789' },
    },
  )
  await expect.poll(async () => (await row(id)).phase).toBe('closed')
  expect(await row(id)).toMatchObject({ status: 'failed', error_code: 'CONF_OBF_TOKEN_ERROR', launch_failures: 0 })
  expect(host.of(id)).toHaveLength(0)
})

test('teams take turns, so that one with many bots does not delay the others', async () => {
  const { launching, bot, host } = await world.launchingSetting()
  const many = await Promise.all(Array.from({ length: 16 }, () => bot({ meetingMs: 10, chats: 1 })))
  const otherTeam = await world.teamId()
  const one = await bot({}, { teamId: otherTeam })
  launching({ concurrency: 4 })
  await expect.poll(() => host.bots.length, PATIENT).toBe(17)
  const order = host.bots.map(({ botId }) => botId)
  expect(order.indexOf(one)).toBeLessThan(8)
  expect(new Set(order)).toEqual(new Set([...many, one]))
})

test('a drain starts no more bots and ends when none runs; another launcher continues', async () => {
  const { launching, bot, row, host } = await world.launchingSetting()
  const room = launching()
  const running = await bot({ meetingMs: 600_000 })
  await expect.poll(async () => (await row(running)).status).toBe('in_call_recording')
  const drained = room.drain()
  const later = await bot()
  room.wake()
  host.of(running)[0]!.bot.stop()
  await expect.poll(async () => (await row(running)).phase).toBe('closed')
  await drained
  expect(await row(later)).toMatchObject({ phase: 'due', attempt: 0 })
  launching()
  await expect.poll(async () => (await row(later)).status).toBe('completed')
})

test('many loops beside each other start each bot once', async () => {
  const { launching, bot, host, database } = await world.launchingSetting()
  const rooms = [1, 2, 3].map(() => launching())
  const ids = await Promise.all(Array.from({ length: 30 }, () => bot({ meetingMs: 10, chats: 1 })))
  for (const room of rooms) room.wake()
  await expect.poll(() => host.bots.length, PATIENT).toBe(30)
  const open = () =>
    database.selectFrom('bots').select('id').where('id', 'in', ids).where('phase', '<>', 'closed').execute()
  await expect.poll(open, PATIENT).toEqual([])
  expect(new Set(host.bots.map(({ botId }) => botId)).size).toBe(30)
  expect(host.bots.every(({ attempt }) => attempt === 1)).toBe(true)
})

test('bots are admitted while the time that others took to start is still being measured', async () => {
  const { launching, bot, row, database } = await world.launchingSetting()
  const id = await bot({}, { joinAt: inSeconds(1) })
  await database.transaction().execute(async (tx) => {
    await sql`lock table launches in access exclusive mode`.execute(tx)
    launching()
    await expect.poll(async () => (await row(id)).phase, { timeout: 8_000 }).toBe('due')
  })
  await expect.poll(async () => (await row(id)).status).toBe('completed')
})
