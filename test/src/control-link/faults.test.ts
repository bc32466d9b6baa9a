/**
 * Whenever the link breaks and whichever faults the control plane has, it stores the events 1..n, in order, without
 * doubles.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { MAX_DOWN_FRAME_BYTES } from '@standin/wire/control-link.ts'
import { expect, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { MAX_BAD_MESSAGES } from '../../../src/control-link/connection.ts'
import { type Cut, startCuttingProxy } from './cutting-proxy.ts'
import { type ScriptedPlane, startScriptedPlane } from './scripted-plane.ts'
import { eventsOf, notice, numbersUpTo, openLink, seqs, startExample, until } from './support.ts'

async function expectWhole(plane: ScriptedPlane, folder: string, last: number): Promise<void> {
  expect(plane.misfits).toEqual([])
  expect(seqs(plane.stored)).toEqual(numbersUpTo(last))
  expect(plane.stored).toEqual(eventsOf(await readFile(join(folder, 'events.jsonl'), 'utf8')))
}

/** Bytes of one whole exchange of three events, so that cuts can be laid all over it. */
async function lengthOfExchange(): Promise<{ up: number; down: number }> {
  const plane = await startExample()
  const proxy = await startCuttingProxy(plane.url)
  const { link, report } = await openLink({ url: proxy.url, timing: { heartbeatMs: 60_000, pingMs: 60_000 } })
  report(3)
  await link.drain(25_000)
  await link.close()
  return proxy.traffic[0]!
}

test.each(['up', 'down'] as const)('a link cut anywhere on its way %s loses and doubles nothing', async (direction) => {
  const length = (await lengthOfExchange())[direction]
  const plane = await startExample()
  const proxy = await startCuttingProxy(plane.url)
  // From the middle of the handshake over every few bytes of every frame to behind the last one.
  const step = Math.max(1, Math.floor(length / 90))
  const places = Array.from({ length: Math.ceil(length / step) + 1 }, (_, index) => index * step)
  const cuts: Cut[] = places.map((afterBytes) => ({ direction, afterBytes }))
  proxy.cut = (connection) => cuts[connection] ?? null
  const { link } = await openLink({ url: proxy.url, timing: { heartbeatMs: 60_000 } })
  let reported = 0
  while (proxy.connections <= cuts.length) {
    // Something new all the time, so that every connection has something to lose.
    for (let round = 0; round < 6; round++) link.report(notice(`Notice ${++reported}`))
    const before = proxy.connections
    await until(() => expect(proxy.connections).toBeGreaterThan(before))
  }
  await link.drain(25_000)
  expect(cuts.length).toBeGreaterThan(80)
  expect(seqs(eventsOf(await plane.events()))).toEqual(numbersUpTo(reported))
})

test('acknowledgements that come late and all at once are enough', async () => {
  const plane = await startScriptedPlane()
  plane.onEvent = (session, event) => {
    plane.store(event)
    if (event.seq === 200) session.send({ type: 'ack', seq: 200 })
  }
  const { link, folder, logger, report } = await openLink({ url: plane.url })
  report(200)
  await link.drain(25_000)
  await expectWhole(plane, folder, 200)
  expect(logger.messages('warn')).toEqual([])
})

test('a control plane that never acknowledges is not sent anything twice on one link, and the drain ends in time', async () => {
  const plane = await startScriptedPlane()
  plane.onEvent = (_, event) => plane.store(event)
  const { link, folder, logger, report } = await openLink({ url: plane.url })
  report(20)
  await until(() => expect(plane.stored).toHaveLength(20))
  await link.drain(100)
  expect(plane.said('event')).toHaveLength(20)
  expect(logger.lines.find(({ message }) => message.startsWith('Not every event was'))!.fields).toEqual({ missing: 20 })
  await expectWhole(plane, folder, 20)
})

test('acknowledgements that come twice, backwards or before their time change nothing', async () => {
  const plane = await startScriptedPlane()
  plane.onHello = (session) => {
    session.send({ type: 'ack', seq: 1 })
    session.send({ type: 'welcome', acknowledged: plane.stored.length })
    session.send({ type: 'welcome', acknowledged: 0 })
  }
  plane.onEvent = (session, event) => {
    plane.store(event)
    for (const seq of [event.seq, event.seq, 1, event.seq + 1_000, 2 ** 40]) session.send({ type: 'ack', seq })
  }
  const { link, folder, logger, report } = await openLink({ url: plane.url })
  report(10)
  await link.drain(25_000)
  await expectWhole(plane, folder, 10)
  expect(plane.said('event')).toHaveLength(10)
  const received = logger.lines.filter(({ message }) => message === 'A message of the control plane does not fit')
  expect(received.length).toBeGreaterThan(0)
  expect(received.length).toBeLessThanOrEqual(10)
})

test('a control plane on an older copy of its database is given again what it lost', async () => {
  const plane = await startScriptedPlane()
  const { link, folder, report } = await openLink({ url: plane.url })
  report(50)
  await link.drain(25_000)
  for (const kept of [20, 0, 49]) {
    plane.stored.splice(kept)
    plane.links.at(-1)!.socket.terminate()
    await until(() => expect(seqs(plane.stored)).toEqual(numbersUpTo(50)))
    await link.drain(25_000)
  }
  await expectWhole(plane, folder, 50)
})

test('a control plane that claims events which were never sent is given all of them under a new name', async () => {
  const plane = await startScriptedPlane()
  const names: string[] = []
  plane.onHello = (session, hello) => {
    names.push(hello.journal_id)
    const isKnown = hello.journal_id === names[0]
    session.send({ type: 'welcome', acknowledged: isKnown ? 57 : plane.stored.length })
  }
  const { link, folder, report } = await openLink({ url: plane.url })
  report(5)
  await link.drain(25_000)
  await expectWhole(plane, folder, 5)
  expect(new Set(names).size).toBe(2)
})

test('a control plane that insists on events which were never sent is reported, and sent what there is', async () => {
  const plane = await startScriptedPlane()
  plane.onHello = (session) => session.send({ type: 'welcome', acknowledged: 99 })
  const { link, folder, logger, report } = await openLink({ url: plane.url })
  report(5)
  await link.drain(25_000)
  await expectWhole(plane, folder, 5)
  expect(logger.messages('error').join()).toContain('store them by journal_id')
})

test('a control plane that is away at the start is found when it comes', async () => {
  const away = await startScriptedPlane()
  await away.stop()
  const { link, folder, logger, report } = await openLink({ url: away.url })
  report(30)
  await until(() => expect(logger.messages('warn').length).toBeGreaterThan(3))
  const plane = await startScriptedPlane(away.port)
  await link.drain(25_000)
  await expectWhole(plane, folder, 30)
})

test('a drain does not wait out a long pause between two attempts', async () => {
  const plane = await startScriptedPlane()
  const refusal = 'HTTP/1.1 503 Service Unavailable\r\n\r\n'
  plane.refuse = () => refusal
  const { link, folder, logger } = await openLink({
    url: plane.url,
    timing: { reconnectMinMs: 600_000, reconnectMaxMs: 600_000 },
  })
  link.report(notice('the last words'))
  await until(() => expect(logger.messages('warn')).toContain('The control link is down'))
  plane.refuse = () => false
  await link.drain(25_000)
  await expectWhole(plane, folder, 1)
})

test.each([
  ['401 Unauthorized', 'error', 'The control plane refuses the token of this bot'],
  ['403 Forbidden', 'error', 'The control plane refuses the token of this bot'],
  ['500 Internal Server Error', 'warn', 'The control link is down'],
  ['200 OK', 'warn', 'The control link is down'],
] as const)('an answer %s is logged as it is, and the link tries again', async (status, level, message) => {
  const plane = await startScriptedPlane()
  plane.refuse = () => (plane.requests.length < 4 ? `HTTP/1.1 ${status}\r\nContent-Length: 0\r\n\r\n` : false)
  const { link, folder, logger } = await openLink({ url: plane.url })
  link.report(notice('patience'))
  await until(() => expect(plane.stored).toHaveLength(1))
  await expectWhole(plane, folder, 1)
  expect(logger.messages(level)).toEqual([message, message, message])
  expect(String(logger.lines[0]!.fields.reason)).toContain(status.slice(0, 3))
})

test('a refused token is tried again only slowly', async () => {
  const plane = await startScriptedPlane()
  plane.refuse = () => 'HTTP/1.1 401 Unauthorized\r\n\r\n'
  const { logger } = await openLink({ url: plane.url, timing: { reconnectMinMs: 1_000, reconnectMaxMs: 30_000 } })
  await until(() => expect(logger.messages('error')).toHaveLength(1))
  expect(logger.lines[0]!.fields.retryInMs).toBeGreaterThanOrEqual(15_000)
})

test('a redirect is not followed, so the token goes nowhere else', async () => {
  const elsewhere = await startScriptedPlane()
  const plane = await startScriptedPlane()
  plane.refuse = () => `HTTP/1.1 302 Found\r\nLocation: ${elsewhere.url}\r\nContent-Length: 0\r\n\r\n`
  const { logger } = await openLink({ url: plane.url })
  await until(() => expect(plane.requests.length).toBeGreaterThan(3))
  expect(elsewhere.requests).toEqual([])
  expect(String(logger.lines[0]!.fields.reason)).toContain('302')
})

test('a control plane that opens the WebSocket but never says welcome is left', async () => {
  const plane = await startScriptedPlane()
  plane.onHello = (session) => {
    if (session.number > 0) session.send({ type: 'welcome', acknowledged: plane.stored.length })
  }
  const { link, folder, logger } = await openLink({ url: plane.url, timing: { welcomeMs: 50 } })
  link.report(notice('hello?'))
  await link.drain(25_000)
  await expectWhole(plane, folder, 1)
  expect(logger.lines[0]!.fields.reason).toBe('no welcome came')
})

test('a control plane that takes the connection and says nothing at all is left', async () => {
  const plane = await startExample()
  const proxy = await startCuttingProxy(plane.url)
  proxy.isSilent = true
  const { link, logger } = await openLink({ url: proxy.url, timing: { handshakeMs: 50 } })
  link.report(notice('hello?'))
  await until(() => expect(logger.lines[0]?.fields.reason).toBe('the WebSocket did not open in time'))
  proxy.isSilent = false
  await link.drain(25_000)
  expect(seqs(eventsOf(await plane.events()))).toEqual([1])
})

test('a link that breaks silently is noticed and replaced', async () => {
  const plane = await startExample()
  const proxy = await startCuttingProxy(plane.url)
  const { link, logger } = await openLink({ url: proxy.url, timing: { silenceMs: 500 } })
  link.report(notice('before'))
  await link.drain(25_000)
  proxy.isSilent = true
  link.report(notice('into the void'))
  await until(() => expect(logger.messages('warn').length).toBeGreaterThan(0))
  expect(logger.lines.find(({ level }) => level === 'warn')!.fields.reason).toBe('nothing was heard for too long')
  proxy.isSilent = false
  await link.drain(25_000)
  expect(seqs(eventsOf(await plane.events()))).toEqual([1, 2])
})

const GARBAGE: [string, unknown][] = [
  ['no JSON', 'this is not JSON'],
  ['null', null],
  ['an unknown type', { type: 'reboot' }],
  ['a number as text', { type: 'ack', seq: '3' }],
  ['an unknown field', { type: 'ack', seq: 1, and: 'more' }],
  ['keys that reach for prototypes', '{"type":"ack","seq":1,"__proto__":{"acknowledged":9}}'],
  ['deep lists', '['.repeat(30_000)],
  ['deep whole lists', `${'['.repeat(30_000)}${']'.repeat(30_000)}`],
  ['a command without an id', { type: 'command', command: { type: 'leave' } }],
  ['a command with an endless id', { type: 'command', id: 'x'.repeat(201), command: { type: 'leave' } }],
]

test.each(GARBAGE)('%s is logged and changes nothing', async (_, message) => {
  const plane = await startScriptedPlane()
  plane.onHello = (session) => {
    session.send({ type: 'welcome', acknowledged: plane.stored.length })
    session.send(message)
  }
  const { link, folder, logger } = await openLink({ url: plane.url })
  const commands: unknown[] = []
  link.onCommand(async (command) => {
    commands.push(command)
    return { ok: true }
  })
  await until(() => expect(logger.messages('warn')).toEqual(['A message of the control plane does not fit']))
  link.report(notice('undisturbed'))
  await link.drain(25_000)
  await expectWhole(plane, folder, 1)
  expect(commands).toEqual([])
  expect(plane.links).toHaveLength(1)
})

test('binary messages are no messages', async () => {
  const plane = await startScriptedPlane()
  plane.onHello = (session) => {
    session.socket.send(Buffer.from(JSON.stringify({ type: 'welcome', acknowledged: 0 })), { binary: true })
    session.send({ type: 'welcome', acknowledged: plane.stored.length })
  }
  const { link, folder, logger } = await openLink({ url: plane.url })
  link.report(notice('text only'))
  await link.drain(25_000)
  await expectWhole(plane, folder, 1)
  expect(logger.messages('warn')).toEqual(['A message of the control plane does not fit'])
})

test('a frame that is too large is refused unread, and the link is opened again', async () => {
  const plane = await startScriptedPlane()
  plane.onHello = (session) => {
    if (session.number === 0) session.send('x'.repeat(MAX_DOWN_FRAME_BYTES + 1))
    else session.send({ type: 'welcome', acknowledged: plane.stored.length })
  }
  const { link, folder, logger } = await openLink({ url: plane.url })
  link.report(notice('small'))
  await link.drain(25_000)
  await expectWhole(plane, folder, 1)
  expect(String(logger.lines[0]!.fields.reason)).toContain('payload')
})

test('a flood of garbage ends the connection, fills no log, and the next connection works', async () => {
  const plane = await startScriptedPlane()
  plane.onHello = (session) => {
    session.send({ type: 'welcome', acknowledged: plane.stored.length })
    if (session.number === 0) for (let round = 0; round < MAX_BAD_MESSAGES * 20; round++) session.send('rubbish')
  }
  const { link, folder, logger } = await openLink({ url: plane.url })
  await until(() => expect(plane.links.length).toBeGreaterThan(1))
  link.report(notice('after the flood'))
  await link.drain(25_000)
  await expectWhole(plane, folder, 1)
  expect(logger.messages('warn').length).toBeLessThan(15)
  expect(logger.lines.at(-2)!.fields.reason).toBe('too many messages do not fit the protocol')
})

test('a control plane that stops reading is not sent more than a bounded amount', async () => {
  const plane = await startScriptedPlane()
  const { link, folder } = await openLink({ url: plane.url })
  await until(() => expect(plane.said('hello')).toHaveLength(1))
  plane.links[0]!.socket.pause()
  const long = 'A long notice. '.repeat(2_000)
  const send = vi.spyOn(WebSocket.prototype, 'send')
  for (const number of numbersUpTo(500)) link.report(notice(`${number} ${long}`))
  await new Promise((resolve) => setImmediate(resolve))
  // 15 MB were reported. Events that wait are on disk, not in memory. The system's own buffers take some of them.
  const given = send.mock.calls.reduce((sum, [data]) => sum + String(data).length, 0)
  send.mockRestore()
  expect(given).toBeGreaterThan(0)
  expect(given).toBeLessThan(8_000_000)
  plane.links[0]!.socket.resume()
  await link.drain(25_000)
  await expectWhole(plane, folder, 500)
})
