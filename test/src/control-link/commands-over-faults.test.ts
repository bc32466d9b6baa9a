import type { BotCommand } from '@standin/wire/commands.ts'
import { expect, onTestFinished, test } from 'vitest'
import { openControlLink } from '../../../src/control-link/client.ts'
import { fakeUsage } from '../../fakes/usage.ts'
import { startCuttingProxy } from './cutting-proxy.ts'
import { startScriptedPlane } from './scripted-plane.ts'
import { BOT_ID, FAST, memoryLogger, numbersUpTo, startExample, TOKEN, temporaryFolder, until } from './support.ts'

async function openLink(url: string) {
  const folder = await temporaryFolder()
  const link = openControlLink({
    usage: fakeUsage(),
    botId: BOT_ID,
    folder,
    logger: memoryLogger(),
    token: TOKEN,
    timing: FAST,
    url,
  })
  onTestFinished(() => link.close())
  return link
}

// Sixty connections, one after the other: seconds on a quiet machine.
test('every command is run once and answered once, however often the link breaks meanwhile', {
  timeout: 240_000,
}, async () => {
  const plane = await startExample(await temporaryFolder())
  const proxy = await startCuttingProxy(plane.url)
  // Each connection is cut a little later than the one before, some of them in the middle of a command or an answer.
  proxy.cut = (connection) =>
    connection < 60 ? { direction: connection % 2 ? 'up' : 'down', afterBytes: 150 + connection * 11 } : null
  const link = await openLink(proxy.url)
  const runs: string[] = []
  link.onCommand(async (command) => {
    const { message } = command as Extract<BotCommand, { type: 'send_chat' }>
    runs.push(message)
    await new Promise((resolve) => setTimeout(resolve, 1))
    return { ok: true, data: { said: message } }
  })
  await until(async () => {
    const bots = await (await fetch(`${plane.api}/bots`, { headers: { authorization: `Bearer ${TOKEN}` } })).json()
    expect(bots).toHaveLength(1)
  })
  const words = numbersUpTo(40).map((number) => `Word ${number}`)
  const answers = await Promise.all(
    words.map(async (message) => {
      const response = await fetch(`${plane.api}/bots/${BOT_ID}/commands`, {
        method: 'POST',
        headers: { authorization: `Bearer ${TOKEN}` },
        body: JSON.stringify({ type: 'send_chat', message }),
      })
      return response.json()
    }),
  )
  expect(answers).toMatchObject(words.map((said) => ({ ok: true, data: { said } })))
  expect(runs.sort()).toEqual(words.sort())
  expect(proxy.connections).toBeGreaterThan(10)
})

test('a command whose answer was lost with the link is answered again with the same words', async () => {
  const plane = await startScriptedPlane()
  const command = { type: 'command', id: 'the-one', command: { type: 'screenshot' } }
  plane.onHello = (session) => {
    session.send({ type: 'welcome', acknowledged: plane.stored.length })
    if (session.number <= 3) session.send(command)
  }
  plane.onAnswer = (session) => session.number < 3 && session.socket.terminate()
  const link = await openLink(plane.url)
  let runs = 0
  link.onCommand(async () => ({ ok: true, data: { run: ++runs } }))
  await until(() => expect(plane.answers).toHaveLength(4))
  expect(plane.answers).toEqual(Array(4).fill({ type: 'answer', id: 'the-one', ok: true, data: { run: 1 } }))
})

test('a drain waits for the answer that the link could not carry', async () => {
  const plane = await startScriptedPlane()
  let isUp = true
  plane.refuse = () => (isUp ? false : 'HTTP/1.1 503 Service Unavailable\r\n\r\n')
  const link = await openLink(plane.url)
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
  const link = await openLink(plane.url)
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
