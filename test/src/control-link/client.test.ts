import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { guardedLookup } from '@standin/base/public-addresses.ts'
import type { NumberedEvent } from '@standin/wire/events.ts'
import { expect, onTestFinished, test } from 'vitest'
import { type ControlLinkOptions, openControlLink } from '../../../src/control-link/client.ts'
import { HEARTBEAT_EVERY_MS } from '../../../src/control-link/timing.ts'
import { fakeUsage } from '../../fakes/usage.ts'
import { startScriptedPlane } from './scripted-plane.ts'
import {
  BOT_ID,
  FAST,
  memoryLogger,
  notice,
  numbersUpTo,
  seqs,
  startExample,
  TOKEN,
  temporaryFolder,
  until,
} from './support.ts'

async function openLink(options: Partial<ControlLinkOptions> & { url: string }) {
  const folder = options.folder ?? (await temporaryFolder())
  const logger = memoryLogger()
  const link = openControlLink({
    botId: BOT_ID,
    folder,
    logger,
    token: TOKEN,
    timing: FAST,
    usage: fakeUsage(),
    ...options,
  })
  onTestFinished(() => link.close())
  return { link, folder, logger }
}

test('events reach the example control plane in order and are acknowledged', async () => {
  const plane = await startExample(await temporaryFolder())
  const { link, folder } = await openLink({ url: plane.url })
  link.report({ type: 'status_change', status: 'joining_call' })
  for (const number of numbersUpTo(300)) link.report(notice(`Notice ${number}`))
  await link.drain(20_000)
  const api = `${plane.api}/bots/${BOT_ID}`
  const headers = { authorization: `Bearer ${TOKEN}` }
  const stored = await (await fetch(`${api}/events`, { headers })).text()
  expect(stored).toBe(await readFile(join(folder, 'events.jsonl'), 'utf8'))
  expect(
    seqs(
      stored
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ),
  ).toEqual(numbersUpTo(301))
  expect(await (await fetch(api, { headers })).json()).toMatchObject({ status: 'joining_call', stored_events: 301 })
})

test('a command from the HTTP side of the example reaches the bot, and its answer comes back', async () => {
  const plane = await startExample(await temporaryFolder())
  const { link } = await openLink({ url: plane.url })
  link.onCommand(async (command) =>
    command.type === 'send_chat'
      ? { ok: true, data: { text: command.message } }
      : { ok: false, code: 'FST_ERR_BOT_STATUS', message: 'Not now.' },
  )
  link.report(notice('here'))
  await link.drain(20_000)
  const ask = async (command: unknown) => {
    const response = await fetch(`${plane.api}/bots/${BOT_ID}/commands`, {
      method: 'POST',
      headers: { authorization: `Bearer ${TOKEN}` },
      body: JSON.stringify(command),
    })
    return response.json()
  }
  expect(await ask({ type: 'send_chat', message: 'Hello ☃' })).toMatchObject({ ok: true, data: { text: 'Hello ☃' } })
  expect(await ask({ type: 'pause' })).toMatchObject({ ok: false, code: 'FST_ERR_BOT_STATUS', message: 'Not now.' })
  expect(await ask({ type: 'send_chat', message: ' ', loud: true })).toMatchObject({
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
  let welcome = () => {}
  plane.onHello = (session) => {
    session.send({ type: 'command', id: 'early', command: { type: 'screenshot' } })
    welcome = () => session.send({ type: 'welcome', acknowledged: 0 })
  }
  const { link } = await openLink({ url: plane.url })
  link.report(notice('one'))
  link.onCommand(async () => ({ ok: true }))
  await until(() => expect(plane.links[0]?.said).toHaveLength(1))
  expect(plane.links[0]!.said[0]).toMatchObject({ type: 'hello', protocol_version: 1, bot_id: BOT_ID, last_seq: 1 })
  welcome()
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
  const { link, logger } = await openLink({ url: plane.url, onEvent })
  for (const number of numbersUpTo(3)) link.report(notice(`Notice ${number}`))
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
  for (const number of numbersUpTo(5)) first.link.report(notice(`Notice ${number}`))
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
  const folder = await temporaryFolder()
  const plane = await startExample(folder)
  for (const life of ['first', 'second']) {
    const { link } = await openLink({ url: plane.url })
    for (const number of numbersUpTo(4)) link.report(notice(`${life} ${number}`))
    await link.drain(20_000)
    await link.close()
    const headers = { authorization: `Bearer ${TOKEN}` }
    const stored = await (await fetch(`${plane.api}/bots/${BOT_ID}/events`, { headers })).text()
    expect(
      stored
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).event.message),
    ).toEqual(numbersUpTo(4).map((number) => `${life} ${number}`))
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
  const plane = await startExample(await temporaryFolder())
  const { logger } = await openLink({ url: plane.url.replace('127.0.0.1', 'localhost'), lookup: guardedLookup() })
  await until(() => JSON.stringify(logger.lines).includes('localhost is not a public address'))
})
