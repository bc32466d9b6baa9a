import type { BotCommand } from '@standin/wire/commands.ts'
import { expect, test } from 'vitest'
import type { CommandAnswer } from '../../../packages/core/ports.ts'
import {
  CommandDispatcher,
  MAX_ANSWER_SIZE,
  MAX_REMEMBERED_IDS,
  MAX_REMEMBERED_SIZE,
  MAX_WAITING_COMMANDS,
} from '../../../src/control-link/command-dispatcher.ts'
import { memoryLogger, numbersUpTo, until } from './support.ts'

type Sent = { id: string; ok: boolean; code?: string; message?: string; data?: unknown }

function openDispatcher(deadlineMs?: number) {
  const sent: Sent[] = []
  const link: { number: number | null } = { number: 1 }
  const logger = memoryLogger()
  const send = (text: string) => {
    if (link.number !== null) sent.push(JSON.parse(text))
    return link.number
  }
  const dispatcher = new CommandDispatcher({ logger, send, ...(deadlineMs ? { deadlineMs } : {}) })
  return { dispatcher, sent, link, logger }
}

/** Its listener's answers are given by hand. */
function openByHand() {
  const begun: { command: BotCommand; answer: (answer: CommandAnswer) => void }[] = []
  const opened = openDispatcher()
  opened.dispatcher.listen((command) => new Promise((answer) => begun.push({ command, answer })))
  return { ...opened, begun }
}

const chat = (message: string): BotCommand => ({ type: 'send_chat', message })
const settle = () => new Promise((resolve) => setImmediate(resolve))

test('commands run one after another in the order in which they came', async () => {
  const { dispatcher, sent, begun } = openByHand()
  for (const id of ['a', 'b', 'c']) dispatcher.receive(id, chat(id), 1)
  await settle()
  expect(begun).toHaveLength(1)
  for (const number of [0, 1, 2]) {
    await until(() => expect(begun).toHaveLength(number + 1))
    begun[number]!.answer({ ok: true })
    await settle()
  }
  expect(begun.map(({ command }) => 'message' in command && command.message)).toEqual(['a', 'b', 'c'])
  expect(sent).toEqual(['a', 'b', 'c'].map((id) => ({ type: 'answer', id, ok: true })))
})

test.each<BotCommand>([
  { type: 'leave' },
  { type: 'say', text: 'Hello', interrupt: false, replace: false },
  { type: 'stop_saying' },
  { type: 'agent', enabled: false },
])('$type runs at once, past what runs and what waits', async (command) => {
  const { dispatcher, sent, begun } = openByHand()
  for (const number of numbersUpTo(MAX_WAITING_COMMANDS)) dispatcher.receive(`chat-${number}`, chat('Hello'), 1)
  dispatcher.receive('now', command, 1)
  expect(begun.map(({ command: { type } }) => type)).toEqual(['send_chat', command.type])
  begun[1]!.answer({ ok: true })
  await until(() => expect(sent).toEqual([{ type: 'answer', id: 'now', ok: true }]))
})

test('commands that come before the first listener run when it is set, a leave first', async () => {
  const { dispatcher, sent } = openDispatcher()
  dispatcher.receive('a', chat('a'), 1)
  dispatcher.receive('b', { type: 'leave' }, 1)
  dispatcher.receive('c', chat('c'), 1)
  await settle()
  expect(sent).toEqual([])
  dispatcher.listen(async () => ({ ok: true }))
  await until(() => expect(sent.map(({ id }) => id).sort()).toEqual(['a', 'b', 'c']))
  expect(sent[0]!.id).toBe('b')
})

test('a command that comes twice on one connection runs once and is answered once', async () => {
  const { dispatcher, sent, begun } = openByHand()
  dispatcher.receive('a', chat('a'), 1)
  dispatcher.receive('a', chat('a'), 1)
  begun[0]!.answer({ ok: true, data: { first: true } })
  await until(() => expect(sent).toHaveLength(1))
  dispatcher.receive('a', chat('a'), 1)
  await settle()
  expect(begun).toHaveLength(1)
  expect(sent).toHaveLength(1)
})

test('asked again over a new connection, a command is not run again and gets the same answer', async () => {
  const { dispatcher, sent, link } = openDispatcher()
  let runs = 0
  dispatcher.listen(async () => ({ ok: true, data: { run: ++runs } }))
  dispatcher.receive('a', chat('a'), 1)
  await until(() => expect(sent).toHaveLength(1))
  link.number = 2
  dispatcher.receive('a', chat('a'), 2)
  dispatcher.receive('a', chat('a'), 2)
  await settle()
  expect(runs).toBe(1)
  expect(sent).toEqual([sent[0], sent[0]])
})

test('an answer that is ready while the link is down goes out with the next connection, once', async () => {
  const { dispatcher, sent, link, begun } = openByHand()
  dispatcher.receive('a', chat('a'), 1)
  link.number = null
  begun[0]!.answer({ ok: false, code: 'FST_ERR_CHAT_DISABLED', message: 'Chat is off.' })
  await until(() => expect(dispatcher.hasUnsent).toBe(true))
  link.number = 2
  dispatcher.sendUnsent()
  dispatcher.receive('a', chat('a'), 2)
  dispatcher.sendUnsent()
  expect(dispatcher.hasUnsent).toBe(false)
  expect(sent).toEqual([{ type: 'answer', id: 'a', ok: false, code: 'FST_ERR_CHAT_DISABLED', message: 'Chat is off.' }])
})

test('a command that fails is answered without secrets', async () => {
  const { dispatcher, sent, logger } = openDispatcher()
  dispatcher.listen(async () => {
    throw new Error('GET https://host.test/?token=very-secret failed')
  })
  dispatcher.receive('a', { type: 'screenshot' }, 1)
  await until(() => expect(sent).toHaveLength(1))
  expect(sent[0]).toMatchObject({ ok: false, code: 'COMMAND_FAILED' })
  expect(sent[0]!.message).toContain('host.test')
  expect(sent[0]!.message).not.toContain('very-secret')
  expect(logger.messages('error')).toEqual(['A command broke'])
})

test('a command that hangs is answered in time and does not hold up the next one', async () => {
  const { dispatcher, sent } = openDispatcher(20)
  dispatcher.listen((command) => (command.type === 'pause' ? new Promise(() => {}) : Promise.resolve({ ok: true })))
  dispatcher.receive('a', { type: 'pause' }, 1)
  dispatcher.receive('b', { type: 'resume' }, 1)
  await until(() => expect(sent).toHaveLength(2))
  expect(sent[0]).toMatchObject({ id: 'a', ok: false, code: 'COMMAND_FAILED' })
  expect(sent[1]).toMatchObject({ id: 'b', ok: true })
})

test('a flood of commands is refused beyond a bound, each with an answer', async () => {
  const { dispatcher, sent, begun } = openByHand()
  for (const number of numbersUpTo(1_000)) dispatcher.receive(`id-${number}`, chat('Hello'), 1)
  await until(() => expect(sent).toHaveLength(1_000 - MAX_WAITING_COMMANDS - 1))
  expect(new Set(sent.map(({ code }) => code))).toEqual(new Set(['COMMAND_FAILED']))
  expect(begun).toHaveLength(1)
})

test('an answer that does not fit the link is replaced by one that does', async () => {
  const { dispatcher, sent, logger } = openDispatcher()
  const answers: CommandAnswer[] = [
    { ok: true, data: { when: new Date(0) } },
    { ok: true, data: { picture: 'x'.repeat(MAX_ANSWER_SIZE) } },
  ]
  dispatcher.listen(async () => answers.shift()!)
  dispatcher.receive('a', { type: 'screenshot' }, 1)
  dispatcher.receive('b', { type: 'screenshot' }, 1)
  await until(() => expect(sent).toHaveLength(2))
  expect(sent[0]!.message).toBe('The command was run, but its answer cannot be sent.')
  expect(sent[1]!.message).toMatch(/its answer has \d+ characters/)
  expect(logger.lines[0]!.fields.problems).toMatchObject([{ path: 'data.when' }])
})

test('a command that cannot be understood is refused once, and so is everything under its id', async () => {
  const { dispatcher, sent, link } = openDispatcher()
  dispatcher.listen(async () => ({ ok: true }))
  dispatcher.refuse('a', 'command.type: unknown', 1)
  dispatcher.receive('a', chat('under the same id'), 1)
  link.number = 2
  dispatcher.refuse('a', 'something else', 2)
  await settle()
  const refusal = { type: 'answer', id: 'a', ok: false, code: 'INVALID_COMMAND', message: 'command.type: unknown' }
  expect(sent).toEqual([refusal, refusal])
})

test('old answers are forgotten before old ids: a command is never run twice for want of memory', async () => {
  const { dispatcher, sent, link } = openDispatcher()
  let runs = 0
  const size = 4_000_000
  dispatcher.listen(async () => ({ ok: true, data: { run: ++runs, picture: 'x'.repeat(size) } }))
  const count = Math.ceil(MAX_REMEMBERED_SIZE / size) + 2
  for (const number of numbersUpTo(count)) dispatcher.receive(`id-${number}`, { type: 'screenshot' }, 1)
  await until(() => expect(sent).toHaveLength(count))
  link.number = 2
  dispatcher.receive('id-1', { type: 'screenshot' }, 2)
  dispatcher.receive(`id-${count}`, { type: 'screenshot' }, 2)
  await settle()
  expect(runs).toBe(count)
  expect(sent.at(-2)).toMatchObject({ id: 'id-1', ok: false, code: 'COMMAND_FAILED' })
  expect(sent.at(-1)).toMatchObject({ id: `id-${count}`, ok: true, data: { run: count } })
})

test('ids are remembered up to a bound', async () => {
  const { dispatcher, sent, link } = openDispatcher()
  dispatcher.listen(async () => ({ ok: true }))
  for (const number of numbersUpTo(MAX_REMEMBERED_IDS + 1)) dispatcher.refuse(`id-${number}`, 'no', 1)
  link.number = 2
  sent.length = 0
  dispatcher.receive('id-2', chat('known'), 2)
  dispatcher.receive('id-1', chat('forgotten'), 2)
  await until(() => expect(sent).toHaveLength(2))
  expect(sent.map(({ id, ok }) => [id, ok])).toEqual([
    ['id-2', false],
    ['id-1', true],
  ])
})

test('a command from inside the process takes its turn and gets its answer without a link', async () => {
  const { dispatcher, sent, link, begun } = openByHand()
  link.number = null
  dispatcher.receive('a', chat('from outside'), 1)
  const answer = dispatcher.submit(chat('from inside'))
  expect(begun).toHaveLength(1)
  begun[0]!.answer({ ok: true })
  await until(() => expect(begun).toHaveLength(2))
  begun[1]!.answer({ ok: false, code: 'FST_ERR_BOT_STATUS', message: 'Not in the call.' })
  expect(await answer).toEqual({ ok: false, code: 'FST_ERR_BOT_STATUS', message: 'Not in the call.' })
  expect(sent).toEqual([])
})
