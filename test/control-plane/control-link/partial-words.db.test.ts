/** Words that may still change: from a bot's link, through PostgreSQL, to a process whose API is followed. */
import { PartialFeed, type PartialWords } from '@standin/control-plane/store/partial-words.ts'
import { listenForWakeUps, PARTIALS_CHANNEL } from '@standin/control-plane/store/wake-ups.ts'
import type { Transcript } from '@standin/wire/events.ts'
import { expect, onTestFinished, test } from 'vitest'
import { openWorld } from '../world.ts'
import { openBotLink, PATIENCE } from './world.ts'

const world = await openWorld({ links: true })

const words = (id: string, text: string): Transcript => ({
  ...{ type: 'transcript', id, text, is_final: false, speaker: null, start: 0, end: 1, language: null },
})

async function listening() {
  const feed = new PartialFeed()
  const ready = Promise.withResolvers<void>()
  const hints = listenForWakeUps(
    world.url,
    'events',
    () => ready.resolve(),
    () => {},
    {
      [PARTIALS_CHANNEL]: (message) => feed.receive(message),
    },
  )
  onTestFinished(() => hints.close())
  await ready.promise
  return feed
}

test('come to the followers of their bot alone, the newest of each text, and cost no row', async () => {
  const feed = await listening()
  const server = await world.server()
  const bot = await world.bot({ phase: 'running', status: 'in_call_recording', joined_attempt: 1 })
  const { link } = await openBotLink(server.url, bot)
  await link.whenWelcomed()
  const followed: PartialWords[] = []
  const foreign: PartialWords[] = []
  const leave = feed.follow(bot.id, (one) => followed.push(one))
  feed.follow('00000000-0000-4000-8000-000000000000', (one) => foreign.push(one))
  link.show(words('m1', 'good'))
  for (let number = 0; number <= 200; number++) link.show(words('m2', `Ünïcode ${'long '.repeat(60)}${number}`))
  for (let number = 0; number < 100; number++) link.show(words(`v${number}`, 'x'.repeat(500)))
  link.show(words('huge', 'x'.repeat(9_000)))
  link.show(words('end', ''))
  await expect.poll(() => followed.at(-1)?.transcript.id, PATIENCE).toBe('end')
  expect(followed[0]).toMatchObject({ botId: bot.id, attempt: 1, transcript: words('m1', 'good') })
  expect(followed.findLast(({ transcript }) => transcript.id === 'm2')!.transcript.text).toMatch(/200$/)
  expect(new Set(followed.map(({ transcript }) => transcript.id)).size).toBe(103)
  expect(foreign).toEqual([])
  leave()
  const before = followed.length
  const later: PartialWords[] = []
  feed.follow(bot.id, (one) => later.push(one))
  link.show(words('m3', 'behind'))
  await expect.poll(() => later.at(-1)?.transcript.id, PATIENCE).toBe('m3')
  expect(followed).toHaveLength(before)
})

test('a message that is none harms no follower', () => {
  const feed = new PartialFeed()
  const seen: PartialWords[] = []
  feed.follow('5b0d4f2e-7c55-4c86-9d2c-0f6a1f0c7f11', (one) => seen.push(one))
  for (const message of ['', 'no json', '{}', '[1]', '[{"botId":"5b0d4f2e-7c55-4c86-9d2c-0f6a1f0c7f11"}]'])
    expect(() => feed.receive(message)).not.toThrow()
  expect(seen).toEqual([])
})
