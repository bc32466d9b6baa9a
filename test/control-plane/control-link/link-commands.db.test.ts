/** Commands on their way to a bot, and its answers. */
import { randomUUID } from 'node:crypto'
import { addCommand, waitForAnswer } from '@standin/control-plane/store/bots/commands.ts'
import { describe, expect, test } from 'vitest'
import { startCuttingProxy } from '../../src/control-link/cutting-proxy.ts'
import { openWorld } from '../world.ts'
import { hello, numbered, openBotLink, openRawLink, openWelcomed, PATIENCE, status, wholeLife } from './world.ts'

const world = await openWorld({ links: true })

describe('commands', () => {
  test('a command is sent, run and answered', async () => {
    const server = await world.server()
    const bot = await world.bot({ phase: 'running', status: 'in_call_recording', joined_attempt: 1 })
    const { link } = await openBotLink(server.url, bot)
    const run: string[] = []
    link.onCommand(async (command) => {
      run.push(command.type)
      return { ok: false, code: 'FST_ERR_CHAT_DISABLED', message: 'Chat is switched off' }
    })
    const id = await addCommand(world.database, bot.id, { type: 'send_chat', message: 'Hello' }, 60)
    expect(await waitForAnswer(world.database, id, 25_000)).toMatchObject({
      id,
      ok: false,
      code: 'FST_ERR_CHAT_DISABLED',
    })
    expect(run).toEqual(['send_chat'])
  })

  test('a link that breaks before the answer is asked again under the same id, and the command is run once', async () => {
    const server = await world.server()
    const proxy = await startCuttingProxy(server.url)
    // The command arrives, its answer does not.
    proxy.cut = (connection) => (connection === 0 ? { direction: 'up', afterBytes: 800 } : null)
    const bot = await world.bot({ phase: 'running', status: 'in_call_recording', joined_attempt: 1 })
    const { link } = await openBotLink(proxy.url, bot)
    let runs = 0
    link.onCommand(async () => {
      runs += 1
      return { ok: true }
    })
    const id = await addCommand(world.database, bot.id, { type: 'screenshot' }, 60)
    expect(await waitForAnswer(world.database, id, 25_000)).toMatchObject({ ok: true })
    expect(runs).toBe(1)
  })

  test('a command that was added before the bot connected is sent after the welcome', async () => {
    const server = await world.server()
    const bot = await world.bot({ phase: 'running', status: 'in_call_recording', joined_attempt: 1 })
    const id = await addCommand(world.database, bot.id, { type: 'pause' }, 60)
    const link = await openRawLink(server.url, bot.tokens[1]!)
    link.send(hello(bot.id, randomUUID()))
    await expect
      .poll(() => link.received, PATIENCE)
      .toEqual([
        { type: 'welcome', acknowledged: 0 },
        { type: 'command', id, command: { type: 'pause' } },
      ])
    link.send({ type: 'answer', id, ok: true })
    expect(await waitForAnswer(world.database, id, 25_000)).toMatchObject({ ok: true })
  })

  test('a command that grew old is not sent; a request to leave is, however old it is', async () => {
    const server = await world.server()
    const bot = await world.bot({ phase: 'running', status: 'in_call_recording', joined_attempt: 1 })
    await addCommand(world.database, bot.id, { type: 'pause' }, -1)
    const id = await addCommand(world.database, bot.id, { type: 'leave' }, -1)
    const link = await openRawLink(server.url, bot.tokens[1]!)
    link.send(hello(bot.id, randomUUID()))
    await expect.poll(() => link.received.length, PATIENCE).toBe(2)
    expect(link.received[1]).toEqual({ type: 'command', id, command: { type: 'leave' } })
  })

  test('a request to leave that comes while the bot connects arrives before its request to join is acknowledged', async () => {
    const server = await world.server()
    const bot = await world.bot()
    const link = await openWelcomed(server, bot)
    await world.database.transaction().execute(async (tx) => {
      await tx
        .updateTable('bots')
        .set({ stop_requested_at: new Date(), phase: 'ending' })
        .where('id', '=', bot.id)
        .execute()
      await addCommand(tx, bot.id, { type: 'leave' }, 60)
    })
    link.send(numbered(bot.id, 1, status('joining_call')))
    await expect.poll(() => link.received.length, PATIENCE).toBe(3)
    expect(link.received.slice(1).map(({ type }) => type)).toEqual(['command', 'ack'])
  })

  test('a second request to leave is the first one, so that a transcript is not skipped', async () => {
    const bot = await world.bot()
    const first = await addCommand(world.database, bot.id, { type: 'leave' }, 60)
    expect(await addCommand(world.database, bot.id, { type: 'leave' }, 60)).toBe(first)
  })

  test('open commands are answered as soon as the bot ends', async () => {
    const server = await world.server()
    const bot = await world.bot()
    const { link } = await openBotLink(server.url, bot)
    link.onCommand(() => new Promise(() => {}))
    const id = await addCommand(world.database, bot.id, { type: 'screenshot' }, 60)
    const answer = waitForAnswer(world.database, id, 50_000)
    for (const event of wholeLife()) link.report(event)
    expect(await answer).toMatchObject({ id, ok: false, code: 'COMMAND_FAILED' })
  })

  test('the first answer counts, and only from the bot that was asked', async () => {
    const server = await world.server()
    const [bot, other] = [await world.bot({ phase: 'running', joined_attempt: 1 }), await world.bot()]
    const id = await addCommand(world.database, bot.id, { type: 'pause' }, 60)
    const foreign = await openWelcomed(server, other)
    foreign.send({ type: 'answer', id, ok: false })
    foreign.send({ type: 'answer', id: 'not an id of ours', ok: false })
    foreign.send(numbered(other.id, 1, status('joining_call')))
    await expect.poll(() => foreign.received.at(-1), PATIENCE).toEqual({ type: 'ack', seq: 1 })
    const link = await openRawLink(server.url, bot.tokens[1]!)
    link.send(hello(bot.id, randomUUID()))
    await expect.poll(() => link.received.length, PATIENCE).toBe(2)
    link.send({ type: 'answer', id, ok: true })
    link.send({ type: 'answer', id, ok: false })
    expect(await waitForAnswer(world.database, id, 25_000)).toMatchObject({ ok: true })
  })
})
