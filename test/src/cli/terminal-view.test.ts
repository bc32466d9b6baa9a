import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import type { ReadStream, WriteStream } from 'node:tty'
import type { BotCommand } from '@standin/wire/commands.ts'
import type { BotEvent } from '@standin/wire/events.ts'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import type { CommandAnswer } from '../../../packages/core/ports.ts'
import { terminalView } from '../../../src/cli/terminal-view.ts'
import { colored } from '../../../src/cli/view.ts'
import type { View } from '../../../src/main.ts'
import { temporaryFolder } from '../../fakes/at-end.ts'

let view: View | undefined
afterEach(() => view?.close())

function open(answer: CommandAnswer = { ok: true, data: { name: 'screenshots/0001.png' } }, redraws = true) {
  const input = new PassThrough()
  const output = Object.assign(new PassThrough(), { columns: 100 })
  const commands: BotCommand[] = []
  let [interrupts, seq] = [0, 0]
  const actions = {
    async command(command: BotCommand) {
      commands.push(command)
      return answer
    },
    interrupt: () => (interrupts += 1),
  }
  view = terminalView(input as unknown as ReadStream, output as unknown as WriteStream, actions, {
    redraws,
    isContainer: false,
  })
  const envelope = {
    type: 'event',
    bot_id: '5b0d4f2e-7c55-4c86-9d2c-0f6a1f0c7f11',
    at: '2026-11-21T09:00:00.000Z',
  } as const
  return {
    input,
    type: (text: string) => input.write(text),
    show: (event: BotEvent) => view!.onEvent({ ...envelope, seq: ++seq, event }),
    shown: () => String(output.read() ?? ''),
    commands,
    interrupts: () => interrupts,
  }
}

test('a typed line is sent as chat, a word with a slash is a command', async () => {
  const { type, commands } = open()
  type('Hello there\r/pause\r/resume\r/screenshot\r/leave\r')
  await expect
    .poll(() => commands)
    .toEqual([
      { type: 'send_chat', message: 'Hello there' },
      { type: 'pause' },
      { type: 'resume' },
      { type: 'screenshot' },
      { type: 'leave' },
    ])
})

test.each([
  ['Ctrl-D', (input: PassThrough) => input.write('\x04')],
  ['the end of the terminal', (input: PassThrough) => input.end()],
  ['a terminal that fails', (input: PassThrough) => input.emit('error', new Error('setRawMode EIO'))],
])('after %s what happens is still told, and nothing is typed any more', async (_, happen) => {
  const { input, show, shown, commands } = open()
  happen(input)
  await new Promise((resolve) => setImmediate(resolve))
  shown()
  show({ type: 'status_change', status: 'in_waiting_room' })
  expect(shown()).toMatch(/wait/i)
  expect(commands).toEqual([])
})

test('a dumb terminal gets lines alone, and what is typed is sent', async () => {
  vi.useFakeTimers({ toFake: ['setInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const { type, show, shown, commands } = open(undefined, false)
  shown()
  show({ type: 'status_change', status: 'in_waiting_room' })
  type('Hello\n')
  await expect.poll(() => commands).toEqual([{ type: 'send_chat', message: 'Hello' }])
  vi.advanceTimersByTime(5_000)
  expect(shown()).toBe('• waiting to be admitted\n')
})

const REFUSAL = { ok: false, code: 'FST_ERR_CHAT_DISABLED', message: 'Chat is switched off' } as const
test.each<[string, string, string, string[], CommandAnswer?]>([
  ['a word that is no command is explained and not sent', '/leav', 'There is no command /leav', []],
  ['a message that is too long is refused before it is sent', 'x'.repeat(501), '1 to 500 characters', []],
  ['a screenshot is reported with its file', '/screenshot', 'saved screenshots/0001.png', ['screenshot']],
  ['a command that failed is reported', 'Hello', '! Chat is switched off', ['send_chat'], REFUSAL],
])('%s', async (_, typed, sentence, sent, answer) => {
  const { type, commands, shown } = open(answer)
  type(`${typed}\r`)
  await expect.poll(shown).toContain(sentence)
  expect(commands.map((command) => command.type)).toEqual(sent)
})

test('Ctrl-C is an interrupt of the bot, not the end of the process', async () => {
  const { type, interrupts } = open()
  type('\u0003')
  await expect.poll(interrupts).toBe(1)
  type('\u0003')
  await expect.poll(interrupts).toBe(2)
})

test('what happens scrolls by above the live line, and a name cannot paint on the terminal', () => {
  const { show, shown } = open()
  shown()
  const participant = { id: 1, name: '\u001b[2J\u001b[31mEve', platform_id: 'a' }
  show({ type: 'participant_joined', participant, offset: null })
  const text = shown()
  expect(text).toContain('Eve joined')
  expect(text).not.toContain('\u001b[2J')
  expect(text).not.toContain('\u001b[31m')
})

test('the last lines say where the recording is and how it is opened', async () => {
  const { shown } = open()
  const folder = temporaryFolder('standin view-')
  view!.end(folder, true)
  expect(shown()).not.toContain('file://')
  await writeFile(join(folder, 'report.html'), '')
  view!.end(folder, true)
  expect(shown()).toMatch(
    /The recording is in .*\n.*Open: {3}file:\/\/.*standin%20view-.*report\.html\n.*Serve: {2}standin serve/s,
  )
})

test('a notice that differs from the one before in its figures only is shown once', () => {
  const { show, shown } = open()
  const notice = (message: string) => show({ type: 'notice', level: 'warning', message })
  for (const sentence of ['down: 75 %', 'down: 50 %', 'up: 100 %', 'down: 75 %', 'crash', 'crash']) notice(sentence)
  expect(shown().match(/down|up|crash/g)).toEqual(['down', 'up', 'down', 'crash', 'crash'])
})

test('a message is not sent while the chat is off', async () => {
  const { show, type, shown, commands } = open()
  show({ type: 'chat_availability', is_available: false })
  type('Hello\r')
  await expect.poll(shown).toContain('Chat is off in this meeting: not sent')
  show({ type: 'chat_availability', is_available: true })
  type('Hello again\r')
  await expect.poll(() => commands).toEqual([{ type: 'send_chat', message: 'Hello again' }])
})

test('what fails because the person made the bot leave is no error of the browser', async () => {
  const { type, shown } = open({ ok: false, code: 'FST_ERR_BOT_STATUS', message: 'The browser broke' })
  type('\u0003')
  type('Goodbye\r')
  await expect.poll(shown).toContain('The bot has left: not done.')
})

test('a failure is followed by its cure, a bot that left on request by none', () => {
  const { show, shown } = open()
  show({ type: 'status_change', status: 'failed', error_code: 'BOT_NOT_ACCEPTED', error_message: 'The host refused.' })
  expect(shown()).toContain('→ Ask the host to admit the bot')
  const asked = { error_code: 'EXITING_MEETING_BEFORE_RECORD', error_message: 'Asked.' } as const
  show({ type: 'status_change', status: 'failed', ...asked })
  expect(shown()).not.toMatch(/→|✗/)
})

test('sentences have colors on a terminal only, and none if NO_COLOR asks for that', () => {
  const terminal = Object.assign(new PassThrough(), { isTTY: true, getColorDepth: () => 8 })
  vi.stubEnv('FORCE_COLOR', undefined)
  vi.stubEnv('NO_COLOR', undefined)
  onTestFinished(() => void vi.unstubAllEnvs())
  expect(colored('✓ completed', terminal)).toBe('\u001b[32m✓ completed\u001b[39m')
  expect(colored('Ann said', terminal)).toBe('Ann said')
  expect(colored('✓ completed', new PassThrough())).toBe('✓ completed')
})
