import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import type { ReadStream, WriteStream } from 'node:tty'
import type { BotCommand } from '@standin/wire/commands.ts'
import type { BotEvent } from '@standin/wire/events.ts'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import type { CommandAnswer } from '../../../core/ports.ts'
import { terminalView } from '../../../src/cli/terminal-view.ts'
import { colored } from '../../../src/cli/view.ts'
import type { View } from '../../../src/main.ts'

let view: View | undefined
afterEach(() => view?.close())

function open(answer: CommandAnswer = { ok: true, data: { name: 'screenshots/0001.png' } }) {
  const input = new PassThrough()
  const output = Object.assign(new PassThrough(), { columns: 100 })
  const commands: BotCommand[] = []
  let interrupts = 0
  view = terminalView(input as unknown as ReadStream, output as unknown as WriteStream, {
    command: async (command) => {
      commands.push(command)
      return answer
    },
    interrupt: () => {
      interrupts += 1
    },
  })
  let seq = 0
  return {
    input,
    type: (text: string) => input.write(text),
    show: (event: BotEvent) =>
      view!.onEvent({
        type: 'event',
        seq: ++seq,
        bot_id: '5b0d4f2e-7c55-4c86-9d2c-0f6a1f0c7f11',
        at: '2026-11-21T09:00:00.000Z',
        event,
      }),
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

test('a word that is no command is explained and not sent to the meeting', async () => {
  const { type, commands, shown } = open()
  type('/leav\r')
  await expect.poll(shown).toContain('There is no command /leav')
  expect(commands).toEqual([])
})

test('a message that is too long is refused before it is sent', async () => {
  const { type, commands, shown } = open()
  type(`${'x'.repeat(501)}\r`)
  await expect.poll(shown).toContain('1 to 500 characters')
  expect(commands).toEqual([])
})

test('a screenshot is reported with its file', async () => {
  const { type, shown } = open()
  type('/screenshot\r')
  await expect.poll(shown).toContain('saved screenshots/0001.png')
})

test('a command that failed is reported', async () => {
  const { type, shown } = open({
    ok: false,
    code: 'FST_ERR_CHAT_DISABLED',
    message: 'Chat is switched off in this meeting',
  })
  type('Hello\r')
  await expect.poll(shown).toContain('! Chat is switched off in this meeting')
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
  const folder = await mkdtemp(join(tmpdir(), 'standin view-'))
  onTestFinished(() => rm(folder, { recursive: true }))
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
  notice('The machine does not keep up: 75 % of its size.')
  notice('The machine does not keep up: 50 % of its size.')
  notice('The machine keeps up again: all of it.')
  notice('The machine does not keep up: 75 % of its size.')
  notice('The browser crashed.')
  notice('The browser crashed.')
  expect(shown().match(/does not keep up|keeps up again|crashed/g)).toEqual([
    'does not keep up',
    'keeps up again',
    'does not keep up',
    'crashed',
    'crashed',
  ])
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
  show({
    type: 'status_change',
    status: 'failed',
    error_code: 'EXITING_MEETING_BEFORE_RECORD',
    error_message: 'Asked.',
  })
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
