import { randomUUID } from 'node:crypto'
import type { Answer } from '@standin/wire/control-link.ts'
import { describe, expect, test } from 'vitest'
import { storeAnswer } from '../../../../control-plane/store/bots/commands.ts'
import { openWorld } from '../../world.ts'

const world = await openWorld({ api: { settings: { publicUrl: 'http://127.0.0.1', commandTimeoutMs: 20_000 } } })
const team = await world.team()

const IN_CALL = ['in_call_not_recording', 'in_call_recording', 'recording_paused', 'recording_resumed']
const OUT = ['queued', 'joining_call', 'in_waiting_room', 'transcribing', 'completed', 'failed']

/** A bot whose process is in the given status. */
async function botIn(status: string): Promise<string> {
  const id = await world.bot(team)
  const phases: Record<string, string> = {
    queued: 'due',
    transcribing: 'processing',
    completed: 'closed',
    failed: 'closed',
  }
  await world.set(id, { status, phase: phases[status] ?? 'running', attempt: status === 'queued' ? 0 : 1 })
  return id
}

/** Waits for the command as the link server does, and answers it as the bot does. */
async function answerAs(botId: string, answer: Partial<Answer>): Promise<object> {
  const row = await expect
    .poll(() => world.database.selectFrom('bot_commands').selectAll().where('bot_id', '=', botId).executeTakeFirst())
    .toBeTruthy()
    .then(() =>
      world.database.selectFrom('bot_commands').selectAll().where('bot_id', '=', botId).executeTakeFirstOrThrow(),
    )
  await storeAnswer(world.database, botId, { type: 'answer', id: row.id, ok: true, ...answer } as Answer)
  return row.command as object
}

const refusedIn = (id: string, status: string) => ({
  status: 409,
  body: {
    success: false,
    error: 'Conflict',
    code: 'FST_ERR_BOT_STATUS',
    statusCode: 409,
    message: `Status of bot '${id}' is: ${status}. Operation not permitted in this state.`,
  },
})

describe('send-chat-message', () => {
  test.each(IN_CALL)('is delivered in %s', async (status) => {
    const id = await botIn(status)
    const [answer, command] = await Promise.all([
      team.post(`/v2/bots/${id}/send-chat-message`, { message: 'Hello 👋\nall' }),
      answerAs(id, { ok: true }),
    ])
    expect(answer).toMatchObject({ status: 200, body: { success: true, data: { message: expect.any(String) } } })
    expect(command).toEqual({ type: 'send_chat', message: 'Hello 👋\nall' })
  })

  test.each(OUT)('is refused in %s', async (status) => {
    const id = await botIn(status)
    expect(await team.post(`/v2/bots/${id}/send-chat-message`, { message: 'x' })).toMatchObject(refusedIn(id, status))
  })

  test.each<[code: Answer['code'], status: number, shown: string]>([
    ['FST_ERR_CHAT_DISABLED', 422, 'FST_ERR_CHAT_DISABLED'],
    ['FST_ERR_SEND_CHAT_MESSAGE_FAILED', 500, 'FST_ERR_SEND_CHAT_MESSAGE_FAILED'],
    ['COMMAND_FAILED', 500, 'FST_ERR_SEND_CHAT_MESSAGE_FAILED'],
    ['FST_ERR_BOT_STATUS', 409, 'FST_ERR_BOT_STATUS'],
  ])('a bot that answers %s gives %i', async (code, status, shown) => {
    const id = await botIn('in_call_recording')
    const [answer] = await Promise.all([
      team.post(`/v2/bots/${id}/send-chat-message`, { message: 'x' }),
      answerAs(id, { ok: false, code, message: 'The reason of the bot.' }),
    ])
    expect(answer).toMatchObject({ status, body: { code: shown, details: 'The reason of the bot.' } })
  })

  test.each([
    [{}],
    [{ message: '' }],
    [{ message: ' \n' }],
    [{ message: 'x'.repeat(501) }],
    [{ message: 5 }],
    [{ message: 'x', y: 1 }],
  ])('the body %j is answered with 400, after 404 and before 409', async (body) => {
    const id = await botIn('completed')
    expect(await team.post(`/v2/bots/${id}/send-chat-message`, body)).toMatchObject({ status: 400 })
    expect(await team.post(`/v2/bots/${randomUUID()}/send-chat-message`, body)).toMatchObject({ status: 404 })
  })

  test('a bot that does not answer is a 500', async () => {
    const hasty = await openWorld({ api: { settings: { publicUrl: 'http://127.0.0.1', commandTimeoutMs: 100 } } })
    const caller = await hasty.team()
    const id = await hasty.bot(caller)
    await hasty.set(id, { status: 'in_call_recording', phase: 'running' })
    expect(await caller.post(`/v2/bots/${id}/send-chat-message`, { message: 'x' })).toMatchObject({
      status: 500,
      body: { code: 'FST_ERR_SEND_CHAT_MESSAGE_FAILED', details: 'The bot did not answer in time' },
    })
  })
})

describe.each([
  { path: 'pause-recording', type: 'pause', allowed: ['in_call_recording', 'recording_resumed'] },
  { path: 'resume-recording', type: 'resume', allowed: ['recording_paused'] },
])('$path', ({ path, type, allowed }) => {
  test.each(allowed)('works in %s, with and without a message', async (status) => {
    for (const [body, chat_message] of [
      [undefined, null],
      ['', null],
      ['null', null],
      [{}, null],
      [{ chat_message: '' }, null],
      [{ chat_message: 'A break' }, 'A break'],
    ] as const) {
      const id = await botIn(status)
      const [answer, command] = await Promise.all([team.post(`/v2/bots/${id}/${path}`, body), answerAs(id, {})])
      expect(answer.status).toBe(200)
      expect(command).toEqual({ type, chat_message })
    }
  })

  test.each([...IN_CALL, ...OUT].filter((status) => !allowed.includes(status)))('is refused in %s', async (status) => {
    const id = await botIn(status)
    expect(await team.post(`/v2/bots/${id}/${path}`)).toMatchObject(refusedIn(id, status))
  })

  test('a command that failed is a 500 with the reason', async () => {
    const id = await botIn(allowed[0]!)
    const [answer] = await Promise.all([
      team.post(`/v2/bots/${id}/${path}`),
      answerAs(id, { ok: false, code: 'COMMAND_FAILED', message: 'The recorder is not ready.' }),
    ])
    expect(answer).toMatchObject({
      status: 500,
      body: { code: 'FST_ERR_BOT_COMMAND_FAILED', details: 'The recorder is not ready.' },
    })
  })
})

describe('leave', () => {
  test('a queued bot fails with EXITING_MEETING_BEFORE_RECORD and is not charged', async () => {
    const owner = await world.team({ balance: 1 })
    const id = await world.bot(owner)
    expect(await owner.post(`/v2/bots/${id}/leave`)).toMatchObject({
      status: 200,
      body: { data: { message: 'Bot leave request sent successfully.' } },
    })
    expect((await owner.get(`/v2/bots/${id}`)).body.data).toMatchObject({
      status: 'failed',
      error_code: 'EXITING_MEETING_BEFORE_RECORD',
      tokens: null,
    })
    const { balance, reserved } = await world.database
      .selectFrom('teams')
      .select(['balance', 'reserved'])
      .where('id', '=', owner.teamId)
      .executeTakeFirstOrThrow()
    expect({ balance, reserved }).toEqual({ balance: 1_000_000, reserved: 0 })
  })

  test.each(['joining_call', 'in_waiting_room', ...IN_CALL])('a bot in %s is asked to leave, once', async (status) => {
    const id = await botIn(status)
    expect(await team.post(`/v2/bots/${id}/leave`, '')).toMatchObject({ status: 200 })
    expect(await team.post(`/v2/bots/${id}/leave`, {})).toMatchObject({ status: 200 })
    const commands = await world.database
      .selectFrom('bot_commands')
      .select('command')
      .where('bot_id', '=', id)
      .execute()
    expect(commands).toEqual([{ command: { type: 'leave' } }])
  })

  test.each(['transcribing', 'completed', 'failed'])('is refused in %s', async (status) => {
    const id = await botIn(status)
    expect(await team.post(`/v2/bots/${id}/leave`)).toMatchObject(refusedIn(id, status))
  })
})

describe('update-config', () => {
  const update = (id: string, body: unknown) => team.patch(`/v2/bots/${id}/update-config`, body)
  const extraOf = async (id: string) => (await team.get(`/v2/bots/${id}`)).body.data.extra

  test('keys are merged, and null clears all', async () => {
    const id = await world.bot(team, { extra: { a: 1, b: { c: 1 } } })
    expect(await update(id, { extra: { b: { d: 2 }, e: null } })).toMatchObject({ status: 200 })
    expect(await extraOf(id)).toEqual({ a: 1, b: { d: 2 }, e: null })
    await update(id, { extra: null })
    expect(await extraOf(id)).toBeNull()
    await update(id, { extra: { f: 1 } })
    expect(await extraOf(id)).toEqual({ f: 1 })
  })

  test('also works for a bot that has ended, and for one that is only scheduled', async () => {
    const ended = await botIn('completed')
    expect(await update(ended, { extra: { late: true } })).toMatchObject({ status: 200 })
    const { body } = await team.post('/v2/bots/scheduled', {
      bot_name: 'Later',
      meeting_url: 'https://meet.google.com/abc-defg-hij',
      join_at: new Date(Date.now() + 3_600_000).toISOString(),
    })
    expect(await update(body.data.bot_id, { extra: { planned: 1 } })).toMatchObject({ status: 200 })
    expect((await team.get(`/v2/bots/scheduled/${body.data.bot_id}`)).body.data.extra).toEqual({ planned: 1 })
  })

  test('changes of one instant are all kept', async () => {
    const id = await world.bot(team)
    const names = Array.from({ length: 10 }, (_, index) => `k${index}`)
    await Promise.all(names.map((name) => update(id, { extra: { [name]: 1 } })))
    expect(Object.keys(await extraOf(id)).sort()).toEqual(names)
  })

  test.each([[{}], [{ extra: [] }], [{ extra: 'x' }], [{ extra: {}, other: 1 }], [[]]])(
    'the body %j is answered with 400',
    async (body) => {
      const id = await world.bot(team)
      expect(await update(id, body)).toMatchObject({ status: 400 })
    },
  )

  test('what grows beyond the bound is refused, and nothing is changed', async () => {
    const id = await world.bot(team, { extra: { a: 'x'.repeat(200_000) } })
    expect(await update(id, { extra: { b: 'x'.repeat(200_000) } })).toMatchObject({ status: 400 })
    expect(Object.keys(await extraOf(id))).toEqual(['a'])
  })
})
