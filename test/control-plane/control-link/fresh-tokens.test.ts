/** Tokens that bots ask for over the link. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type LinkWorld, openBotLink, openLinkWorld } from './world.ts'

let world: LinkWorld
beforeAll(async () => {
  world = await openLinkWorld()
})
afterAll(() => world.close())

test('a bot gets a token for its attempt', async () => {
  const owners: object[] = []
  const server = await world.server({
    async freshToken(owner) {
      owners.push(owner)
      return { token: `obf.${owners.length}`, can_retry: false }
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
    async freshToken() {
      await promise
      return { token: 'obf.1', can_retry: false }
    },
  })
  const { link } = await openBotLink(server.url, await world.bot())
  await link.whenWelcomed()
  const first = link.askForToken()
  expect(await link.askForToken()).toMatchObject({ message: 'A token is being fetched already.', can_retry: true })
  resolve()
  expect(await first).toMatchObject({ token: 'obf.1' })
})

test('a failing source is reported as one that may work later, without its error text', async () => {
  const server = await world.server({ freshToken: async () => Promise.reject(new Error('password of the database')) })
  const { link } = await openBotLink(server.url, await world.bot())
  await link.whenWelcomed()
  const answer = await link.askForToken()
  expect(answer).toMatchObject({ message: 'The control plane cannot fetch tokens now.', can_retry: true })
})

test('a server without tokens says so', async () => {
  const server = await world.server()
  const { link } = await openBotLink(server.url, await world.bot())
  await link.whenWelcomed()
  expect(await link.askForToken()).toMatchObject({ message: 'This server gives no tokens.', can_retry: false })
})
