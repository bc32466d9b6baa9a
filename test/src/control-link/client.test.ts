import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { NumberedEvent } from '@standin/wire/events.ts'
import { guardedLookup } from '@standin/wire/network/public-addresses.ts'
import { expect, test } from 'vitest'
import { HEARTBEAT_EVERY_MS } from '../../../src/control-link/timing.ts'
import { startScriptedPlane } from './scripted-plane.ts'
import { BOT_ID, eventsOf, notice, numbersUpTo, openLink, seqs, startExample, TOKEN, until } from './support.ts'

test('the example control plane stores events as the bot wrote them, and shows how the bot is', async () => {
  const plane = await startExample()
  const { link, folder, report } = await openLink({ url: plane.url })
  link.report({ type: 'status_change', status: 'joining_call' })
  report(20)
  await link.drain(20_000)
  expect(await plane.events()).toBe(await readFile(join(folder, 'events.jsonl'), 'utf8'))
  const bot = { status: 'joining_call', stored_events: 21 }
  expect(await (await plane.ask(`/${BOT_ID}`)).json()).toMatchObject(bot)
})

test('a command from the HTTP side of the example reaches the bot, and its answer comes back', async () => {
  const plane = await startExample()
  const { link } = await openLink({ url: plane.url })
  const refusal = { ok: false, code: 'FST_ERR_BOT_STATUS', message: 'Not now.' } as const
  link.onCommand(async (command) =>
    command.type === 'send_chat' ? { ok: true, data: { text: command.message } } : refusal,
  )
  link.report(notice('here'))
  await link.drain(20_000)
  const hello = { type: 'send_chat', message: 'Hello ☃' }
  expect(await plane.command(hello)).toMatchObject({ ok: true, data: { text: 'Hello ☃' } })
  expect(await plane.command({ type: 'pause' })).toMatchObject(refusal)
  expect(await plane.command({ type: 'send_chat', message: ' ', loud: true })).toMatchObject({
    ok: false,
    code: 'INVALID_COMMAND',
    message: expect.stringMatching(/command\.message: .*command\.loud: unknown field/),
  })
})

test('the token goes with the request for the WebSocket and nowhere else', async () => {
  const plane = await startScriptedPlane()
  const { link, folder, logger } = await openLink({ url: `${plane.url}link?access_token=hidden-in-query` })
  link.report(notice('here'))
  await link.drain(20_000)
  expect(plane.requests[0]!.headers.authorization).toBe(`Bearer ${TOKEN}`)
  const files = await readFile(join(folder, 'events.jsonl'), 'utf8')
  const everything = JSON.stringify([logger.lines, files, plane.links.map(({ said }) => said)])
  expect(everything).not.toContain(TOKEN)
  expect(everything).not.toContain('hidden-in-query')
})

test('the first word is hello, with what the bot has, and nothing else is said before the welcome', async () => {
  const plane = await startScriptedPlane()
  plane.onHello = (session) => session.send({ type: 'command', id: 'early', command: { type: 'screenshot' } })
  const { link } = await openLink({ url: plane.url })
  link.report(notice('one'))
  link.onCommand(async () => ({ ok: true }))
  await until(() => expect(plane.links[0]?.said).toHaveLength(1))
  expect(plane.links[0]!.said[0]).toMatchObject({ type: 'hello', protocol_version: 1, bot_id: BOT_ID, last_seq: 1 })
  plane.links[0]!.send({ type: 'welcome', acknowledged: 0 })
  await until(() => expect(plane.answers).toEqual([{ type: 'answer', id: 'early', ok: true }]))
  expect(plane.stored).toHaveLength(1)
  expect(plane.misfits).toEqual([])
})

test('heartbeats carry the status that was reported last, and CPU and memory of the process tree', async () => {
  const plane = await startScriptedPlane()
  const { link } = await openLink({ url: plane.url })
  await until(() => expect(plane.said('heartbeat').at(-1)?.status).toBe('joining_call'))
  link.report({ type: 'status_change', status: 'in_waiting_room' })
  await until(() => expect(plane.said('heartbeat').at(-1)?.status).toBe('in_waiting_room'))
  const last = plane.said('heartbeat').at(-1)!
  expect(last.memory_bytes).toBeGreaterThan(10 * 1024 * 1024)
  expect(last.cpu_percent).toBeGreaterThanOrEqual(0)
  expect(HEARTBEAT_EVERY_MS).toBe(5_000)
})

test('a listener in the process sees every event, and its failure affects no other part', async () => {
  const plane = await startScriptedPlane()
  const seen: NumberedEvent[] = []
  const onEvent = (event: NumberedEvent) => {
    seen.push(event)
    throw new Error('a broken terminal')
  }
  const { link, logger, report } = await openLink({ url: plane.url, onEvent })
  report(3)
  await link.drain(20_000)
  expect(seqs(seen)).toEqual([1, 2, 3])
  expect(plane.stored).toEqual(seen)
  expect(logger.messages('error')).toContain('A listener of events broke')
})

test('a bot that restarts with its folder continues the numbering and sends the events that were not acknowledged', async () => {
  const plane = await startScriptedPlane()
  plane.onEvent = (session, event) => {
    // The first life ends with two events that the control plane never took.
    if (session.number > 0 || event.seq <= 3) plane.store(event)
    if (session.number > 0 || event.seq <= 3) session.send({ type: 'ack', seq: event.seq })
  }
  const first = await openLink({ url: plane.url })
  first.report(5)
  await until(() => expect(plane.stored).toHaveLength(3))
  await first.link.close()
  const second = await openLink({ url: plane.url, folder: first.folder })
  second.link.report(notice('Notice 6'))
  await second.link.drain(20_000)
  expect(seqs(plane.stored)).toEqual(numbersUpTo(6))
  expect(plane.misfits).toEqual([])
  const [before, after] = plane.said('hello')
  expect(after!.journal_id).toBe(before!.journal_id)
})

test('a bot that restarts without its folder begins another journal, and loses none of its events', async () => {
  const plane = await startExample()
  for (const last of [4, 3]) {
    const { link, report } = await openLink({ url: plane.url })
    report(last)
    await link.drain(20_000)
    await link.close()
    expect(seqs(eventsOf(await plane.events()))).toEqual(numbersUpTo(last))
  }
})

test('an event that does not fit is replaced by a notice that says what is wrong with it', async () => {
  const plane = await startScriptedPlane()
  const { link, logger } = await openLink({ url: plane.url })
  link.report({ type: 'recording_progress', seconds: -1, bytes: 0.5, dropped_frames: 0 })
  await link.drain(20_000)
  expect(plane.stored[0]!.event).toMatchObject({
    type: 'notice',
    level: 'warning',
    message: expect.stringMatching(/^An event of type recording_progress was left out: seconds: .*; bytes: /),
  })
  expect(logger.messages('error')).toContain('An event does not fit the protocol')
})

test('a secret in an error sentence reaches neither the journal nor the link', async () => {
  const plane = await startScriptedPlane()
  const { link, folder } = await openLink({ url: plane.url })
  const sentence = 'PUT https://bucket.test/video.mp4?X-Amz-Signature=deadbeef failed'
  link.report({ type: 'status_change', status: 'failed', error_code: 'INTERNAL_ERROR', error_message: sentence })
  link.report({ type: 'notice', level: 'warning', message: sentence })
  await link.drain(20_000)
  expect(JSON.stringify(plane.stored)).not.toContain('deadbeef')
  expect(await readFile(join(folder, 'events.jsonl'), 'utf8')).not.toContain('deadbeef')
})

test('an event after the end is only logged', async () => {
  const plane = await startScriptedPlane()
  const { link, logger } = await openLink({ url: plane.url })
  await link.close()
  await link.close()
  link.report(notice('too late'))
  expect(logger.messages('warn')).toContain('An event came after the journal was closed')
})

test.each([
  ['an address with a fragment', { url: 'ws://127.0.0.1:9/#part' }],
  ['a token that no header can carry', { url: 'ws://127.0.0.1:9/', token: 'two\nlines' }],
])('%s is logged, and the bot continues', async (_, options) => {
  const { link, logger } = await openLink(options)
  await until(() => expect(logger.messages('warn').length).toBeGreaterThan(2))
  link.report(notice('still here'))
  await link.drain(20)
  expect(JSON.stringify(logger.lines)).not.toContain('lines')
  await link.close()
})

test('a control plane whose name leads to a private address gets no token', async () => {
  const plane = await startExample()
  const { logger } = await openLink({ url: plane.url.replace('127.0.0.1', 'localhost'), lookup: guardedLookup() })
  await until(() => JSON.stringify(logger.lines).includes('localhost is not a public address'))
})
