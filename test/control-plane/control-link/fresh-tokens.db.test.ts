/** Tokens and keys that bots ask for over the link. */
import { freshKeysOf } from '@standin/control-plane/files/fresh-keys.ts'
import { expect, test } from 'vitest'
import { openWorld } from '../world.ts'
import { openBotLink } from './world.ts'

const world = await openWorld({ links: true })

test('a bot gets a token for its attempt', async () => {
  const owners: object[] = []
  const server = await world.server({
    answers: {
      async token_request(owner) {
        owners.push(owner)
        return { token: `obf.${owners.length}`, can_retry: false }
      },
    },
  })
  const bot = await world.bot()
  const { link } = await openBotLink(server.url, bot)
  await link.whenWelcomed()
  expect(await link.askForToken()).toMatchObject({ token: 'obf.1' })
  expect(await link.askForToken()).toMatchObject({ token: 'obf.2' })
  expect(owners).toMatchObject([
    { botId: bot.id, attempt: 1 },
    { botId: bot.id, attempt: 1 },
  ])
})

test('one token at a time is fetched for a bot', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const server = await world.server({
    answers: {
      async token_request() {
        await promise
        return { token: 'obf.1', can_retry: false }
      },
    },
  })
  const { link } = await openBotLink(server.url, await world.bot())
  await link.whenWelcomed()
  const first = link.askForToken()
  expect(await link.askForToken()).toMatchObject({ message: 'The same is being fetched already.', can_retry: true })
  resolve()
  expect(await first).toMatchObject({ token: 'obf.1' })
})

test('a failing source is reported as one that may work later, without its error text', async () => {
  const server = await world.server({
    answers: { token_request: async () => Promise.reject(new Error('password of the database')) },
  })
  const { link } = await openBotLink(server.url, await world.bot())
  await link.whenWelcomed()
  const answer = await link.askForToken()
  expect(answer).toMatchObject({ message: 'The control plane cannot answer now.', can_retry: true })
})

test('a server without tokens says so', async () => {
  const server = await world.server()
  const { link } = await openBotLink(server.url, await world.bot())
  await link.whenWelcomed()
  expect(await link.askForToken()).toMatchObject({ message: 'This server gives no tokens.', can_retry: false })
})

const KEYS = {
  access_key_id: 'ASIA1',
  secret_access_key: 'secret',
  session_token: 'token',
  keys_end_at: '2026-11-21T11:00:00.000Z',
}

test('a bot gets keys for the files of its attempt, also while a token is being fetched', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const owners: object[] = []
  const server = await world.server({
    answers: {
      async token_request() {
        await promise
        return { token: 'obf.1', can_retry: false }
      },
      async storage_keys_request(owner) {
        owners.push(owner)
        return { keys: KEYS }
      },
    },
  })
  const bot = await world.bot()
  const { link } = await openBotLink(server.url, bot)
  await link.whenWelcomed()
  const token = link.askForToken()
  expect(await link.askForKeys()).toEqual(KEYS)
  expect(owners).toMatchObject([{ botId: bot.id, attempt: 1 }])
  resolve()
  expect(await token).toMatchObject({ token: 'obf.1' })
})

test('why there are no keys is said, without the error text of the source', async () => {
  const failing = await world.server({
    answers: { storage_keys_request: async () => Promise.reject(new Error('key of the operator')) },
  })
  const none = await world.server()
  for (const [server, reason] of [
    [failing, 'The control plane cannot answer now.'],
    [none, 'This server gives no keys.'],
  ] as const) {
    const { link } = await openBotLink(server.url, await world.bot())
    await link.whenWelcomed()
    await expect(link.askForKeys()).rejects.toThrow(reason)
  }
})

test('a bot that is over gets no keys, and an attempt that was replaced still does', async () => {
  const given: unknown[] = []
  const prefixKeys = async (...place: unknown[]) => {
    given.push(place)
    return KEYS
  }
  const server = await world.server({
    answers: { storage_keys_request: (owner) => freshKeysOf(world.database, prefixKeys, owner) },
  })
  const bot = await world.bot({ attempt: 2 })
  const over = await world.bot({ phase: 'closed', status: 'completed' })
  const replaced = await openBotLink(server.url, bot)
  await replaced.link.whenWelcomed()
  expect(await replaced.link.askForKeys()).toEqual(KEYS)
  const ended = await openBotLink(server.url, over)
  await ended.link.whenWelcomed()
  await expect(ended.link.askForKeys()).rejects.toThrow('The bot is over.')
  expect(given).toEqual([[bot.id, 1]])
})
