import { randomUUID } from 'node:crypto'
import { PAGE_TARGETS, type PageTarget } from '@standin/wire/bot-fields.ts'
import type { Answer } from '@standin/wire/control-link.ts'
import { describe, expect, test } from 'vitest'
import { storeAnswer } from '../../../../control-plane/store/bots/commands.ts'
import { openWorld } from '../../world.ts'
import type { Answer as Answered } from '../visitor.ts'

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

/** The answer to a request, and the command that the bot got meanwhile and answered as the link server passes it on. */
async function whileAnswered(botId: string, request: Promise<Answered>, answer: Partial<Answer>) {
  const stored = async () => (await world.rows('bot_commands', { bot_id: botId }))[0]
  await expect.poll(stored).toBeTruthy()
  const { id, command } = (await stored())!
  await storeAnswer(world.database, botId, { type: 'answer', id, ok: true, ...answer } as Answer)
  return { answer: await request, command }
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
    const asked = team.post(`/v2/bots/${id}/send-chat-message`, { message: 'Hello 👋\nall' })
    const { answer, command } = await whileAnswered(id, asked, {})
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
    const asked = team.post(`/v2/bots/${id}/send-chat-message`, { message: 'x' })
    const { answer } = await whileAnswered(id, asked, { ok: false, code, message: 'The reason of the bot.' })
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
    expect((await team.post(`/v2/bots/${id}/send-chat-message`, body)).status).toBe(400)
    expect((await team.post(`/v2/bots/${randomUUID()}/send-chat-message`, body)).status).toBe(404)
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
      const { answer, command } = await whileAnswered(id, team.post(`/v2/bots/${id}/${path}`, body), {})
      expect([answer.status, command]).toEqual([200, { type, chat_message }])
    }
  })

  test.each([...IN_CALL, ...OUT].filter((status) => !allowed.includes(status)))('is refused in %s', async (status) => {
    const id = await botIn(status)
    expect(await team.post(`/v2/bots/${id}/${path}`)).toMatchObject(refusedIn(id, status))
  })

  test('a command that failed is a 500 with the reason', async () => {
    const id = await botIn(allowed[0]!)
    const details = 'The recorder is not ready.'
    const failed = { ok: false, code: 'COMMAND_FAILED', message: details } as const
    const { answer } = await whileAnswered(id, team.post(`/v2/bots/${id}/${path}`), failed)
    expect(answer).toMatchObject({ outcome: '500 FST_ERR_BOT_COMMAND_FAILED', body: { details } })
  })
})

describe('say', () => {
  const said = { outcome: 'said', heard_text: 'Hello.', heard_words: 1, words: 1, heard_seconds: 0.5 }

  test('answers what people heard, and a text that waits is stopped by another call', async () => {
    const id = await botIn('in_call_recording')
    const { answer, command } = await whileAnswered(id, team.post(`/v2/bots/${id}/say`, { text: 'Hello.' }), {
      data: said,
    })
    expect(answer).toMatchObject({ status: 200, body: { success: true, data: said } })
    expect(command).toEqual({ type: 'say', text: 'Hello.', interrupt: false, replace: false })
    const other = await botIn('recording_paused')
    const stopped = await whileAnswered(other, team.post(`/v2/bots/${other}/stop-saying`), {})
    expect([stopped.answer.status, stopped.command]).toEqual([200, { type: 'stop_saying' }])
  })

  test.each<[outcome: string, answer: Partial<Answer>]>([
    ['500 FST_ERR_BOT_COMMAND_FAILED', { ok: false, code: 'COMMAND_FAILED', message: 'The bot has no voice.' }],
    ['500 FST_ERR_BOT_COMMAND_FAILED', { data: { outcome: 'sung' } }],
    ['409 FST_ERR_BOT_STATUS', { ok: false, code: 'FST_ERR_BOT_STATUS' }],
  ])('%s for an answer of the bot', async (outcome, given) => {
    const id = await botIn('in_call_recording')
    const { answer } = await whileAnswered(id, team.post(`/v2/bots/${id}/say`, { text: 'Hello.' }), given)
    expect(answer.outcome).toBe(outcome)
  })

  test.each([...OUT, 'in_call_not_recording'])('is refused in %s', async (status) => {
    const id = await botIn(status)
    expect(await team.post(`/v2/bots/${id}/say`, { text: 'x' })).toMatchObject(refusedIn(id, status))
    for (const body of [
      {},
      { text: ' ' },
      { text: 'x'.repeat(501) },
      { text: 'x', interrupt: 'no' },
      { text: 'x', voice: 1 },
    ])
      expect((await team.post(`/v2/bots/${id}/say`, body)).status).toBe(400)
  })
})

describe('output-media', () => {
  const body = (url: string, target: PageTarget = 'camera') => ({ [target]: { kind: 'webpage', url } })
  const place = (id: string) => `/v2/bots/${id}/output-media`
  const ask = (id: string, given: object | string) =>
    typeof given === 'string' ? team.delete(`${place(id)}${given}`) : team.post(place(id), given)
  const url = 'https://example.com/a'

  test.each<[object | string, object]>([
    [body(url), { type: 'show_page', url }],
    [body(url, 'screen'), { type: 'show_page', url, target: 'screen' }],
    ['', { type: 'stop_page' }],
    ['?target=camera', { type: 'stop_page' }],
    ['?target=screen', { type: 'stop_page', target: 'screen' }],
  ])('%j', async (given, wanted) => {
    const id = await botIn('in_call_not_recording')
    const { answer, command } = await whileAnswered(id, ask(id, given), {})
    expect([answer.status, command]).toEqual([200, wanted])
    const failed = { ok: false, code: 'COMMAND_FAILED', message: 'It did not load.' } as const
    const other = await botIn('recording_paused')
    const refused = await whileAnswered(other, ask(other, given), failed)
    expect(refused.answer).toMatchObject({ status: 500, body: { details: failed.message } })
    const out = await botIn('in_waiting_room')
    expect(await ask(out, given)).toMatchObject(refusedIn(out, 'in_waiting_room'))
  })

  test.each([
    ...['http://example.com/', 'https://10.0.0.1/', 'https://localhost/', 'https://[::1]/', 'https://169.254.169.254/'],
    ...[
      'ftp://example.com/',
      'file:///etc/passwd',
      'https://a:b@example.com/',
      `https://example.com/${'x'.repeat(2050)}`,
    ],
  ])('%s is refused', async (url) => {
    const id = await botIn('in_call_recording')
    for (const output_media of [body(url), body(url, 'screen')]) {
      expect((await ask(id, output_media)).status).toBe(400)
      const asked = { bot_name: 'A', meeting_url: 'https://meet.google.com/abc-defg-hij', output_media }
      expect((await team.post('/v2/bots', asked)).status).toBe(400)
    }
  })

  test.each(PAGE_TARGETS)('a bot in Zoom that is to show a page as %s is refused with the reason', async (target) => {
    const meeting_url = 'https://zoom.us/j/85512345678'
    const asked = { bot_name: 'A', meeting_url, output_media: body('https://example.com/', target) }
    const answer = await team.post('/v2/bots', asked)
    expect(answer).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('on Zoom, only on Google Meet') },
    })
  })
})

test('an agent is switched, in a meeting only', async () => {
  const id = await botIn('recording_paused')
  const { answer, command } = await whileAnswered(id, team.post(`/v2/bots/${id}/agent`, { enabled: false }), {})
  expect([answer.status, command]).toEqual([200, { type: 'agent', enabled: false }])
  const other = await botIn('queued')
  expect(await team.post(`/v2/bots/${other}/agent`, { enabled: true })).toMatchObject(refusedIn(other, 'queued'))
  expect((await team.post(`/v2/bots/${id}/agent`, { enabled: 'no' })).status).toBe(400)
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
