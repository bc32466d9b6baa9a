import type { BotCommand } from '@standin/wire/commands.ts'
import { expect, test } from 'vitest'
import { startCuttingProxy } from './cutting-proxy.ts'
import { startScriptedPlane } from './scripted-plane.ts'
import { numbersUpTo, openLink, startExample, until } from './support.ts'

// Sixty connections, one after the other: seconds on a quiet machine.
test('every command is run once and answered once, however often the link breaks meanwhile', {
  timeout: 240_000,
}, async () => {
  const plane = await startExample()
  const proxy = await startCuttingProxy(plane.url)
  // Each connection is cut a little later than the one before, some of them in the middle of a command or an answer.
  proxy.cut = (connection) =>
    connection < 60 ? { direction: connection % 2 ? 'up' : 'down', afterBytes: 150 + connection * 11 } : null
  const { link } = await openLink({ url: proxy.url })
  const runs: string[] = []
  link.onCommand(async (command) => {
    const { message } = command as Extract<BotCommand, { type: 'send_chat' }>
    runs.push(message)
    await new Promise((resolve) => setTimeout(resolve, 1))
    return { ok: true, data: { said: message } }
  })
  await until(async () => expect(await (await plane.ask('')).json()).toHaveLength(1))
  const words = numbersUpTo(40).map((number) => `Word ${number}`)
  const answers = await Promise.all(words.map((message) => plane.command({ type: 'send_chat', message })))
  expect(answers).toMatchObject(words.map((said) => ({ ok: true, data: { said } })))
  expect(runs.sort()).toEqual(words.sort())
  expect(proxy.connections).toBeGreaterThan(10)
})

test('a drain waits for the answer that the link could not carry', async () => {
  const plane = await startScriptedPlane()
  let isUp = true
  plane.refuse = () => (isUp ? false : 'HTTP/1.1 503 Service Unavailable\r\n\r\n')
  const { link } = await openLink({ url: plane.url })
  const begun = Promise.withResolvers<void>()
  const done = Promise.withResolvers<{ ok: true }>()
  link.onCommand(() => {
    begun.resolve()
    return done.promise
  })
  await until(() => expect(plane.said('heartbeat').length).toBeGreaterThan(0))
  plane.links[0]!.send({ type: 'command', id: 'bye', command: { type: 'leave' } })
  await begun.promise
  isUp = false
  plane.links[0]!.socket.terminate()
  await until(() => expect(plane.requests.length).toBeGreaterThan(2))
  done.resolve({ ok: true })
  await new Promise((resolve) => setImmediate(resolve))
  isUp = true
  await link.drain(25_000)
  expect(plane.said('answer')).toEqual([{ type: 'answer', id: 'bye', ok: true }])
})

test('an impossible command is answered with the place of each mistake', async () => {
  const plane = await startScriptedPlane()
  const { link } = await openLink({ url: plane.url })
  link.onCommand(async () => ({ ok: true }))
  await until(() => expect(plane.said('heartbeat').length).toBeGreaterThan(0))
  const send = (id: string, command: unknown) => plane.links[0]!.send({ type: 'command', id, command })
  send('too-long', { type: 'send_chat', message: 'x'.repeat(501) })
  send('empty', { type: 'send_chat', message: ' \n ' })
  send('unknown', { type: 'dance' })
  send('nothing', null)
  await until(() => expect(plane.answers).toHaveLength(4))
  for (const answer of plane.answers) expect(answer).toMatchObject({ ok: false, code: 'INVALID_COMMAND' })
  expect(plane.answers.map(({ id, message }) => [id, message?.split(':')[0]])).toEqual([
    ['too-long', 'command.message'],
    ['empty', 'command.message'],
    ['unknown', 'command.type'],
    ['nothing', 'command'],
  ])
})
