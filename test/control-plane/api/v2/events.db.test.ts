import { randomUUID } from 'node:crypto'
import type { NumberedEvent } from '@standin/wire/events.ts'
import { expect, test } from 'vitest'
import { openWorld } from '../../world.ts'
import { freshMeet, said, startReporting } from '../reporting.ts'

const world = await openWorld({ api: {} })
const team = await world.team()

const ADA = { id: 1, name: 'Ada', platform_id: 'p-1' }
const wrote = (text: string): NumberedEvent['event'] => ({
  type: 'chat_message',
  message_id: randomUUID(),
  sender_id: 1,
  sender_name: 'Ada',
  timestamp: '2026-11-26T10:00:00.000Z',
  is_own: false,
  text,
})

/** A bot in a meeting, and what stores events of it. */
async function runningBot() {
  const botId = await world.bot(team, { meeting_url: freshMeet() })
  return {
    botId,
    ...(await startReporting(world.database, botId, (seq) => new Date(Date.UTC(2026, 10, 26, 10, 0, seq)))),
  }
}

test('a follower gets every event once, in order, over any number of requests', async () => {
  const { botId, report } = await runningBot()
  await report(said('one'), { type: 'notice', level: 'info', message: 'careful' }, wrote('two'))
  const first = await team.get(`/v2/bots/${botId}/events?limit=2`)
  expect(first.body.data).toMatchObject([
    { type: 'transcript', attempt: 1, at: '2026-11-26T10:00:01.000Z', data: { text: 'one', speaker: ADA } },
    { type: 'notice', data: { message: 'careful' } },
  ])
  await report(said('three'))
  const next = await team.get(`/v2/bots/${botId}/events?cursor=${first.body.cursor}`)
  expect(next.body.data.map(({ data }: { data: { text: string } }) => data.text)).toEqual(['two', 'three'])
  const none = await team.get(`/v2/bots/${botId}/events?cursor=${next.body.cursor}`)
  expect(none.body).toMatchObject({ data: [], cursor: next.body.cursor })
})

test('types choose, and what is internal is never shown', async () => {
  const { botId, report } = await runningBot()
  await report(said('words'), wrote('chat'), {
    type: 'artifact',
    artifact: { name: 'video.mp4', location: '/srv/video.mp4', bytes: 1, sha256: null },
  })
  const chat = await team.get(`/v2/bots/${botId}/events?types=chat_message`)
  expect(chat.body.data).toMatchObject([{ type: 'chat_message', data: { text: 'chat' } }])
  expect((await team.get(`/v2/bots/${botId}/events`)).text).not.toContain('/srv')
  expect((await team.get(`/v2/bots/${botId}/events?types=artifact`)).status).toBe(400)
})

test('events of an attempt that is not the bot are not shown', async () => {
  const { botId, journalId, report } = await runningBot()
  await report(said('true'))
  await world.insert('bot_events', {
    bot_id: botId,
    journal_id: randomUUID(),
    seq: 1,
    attempt: 2,
    type: 'transcript',
    at: new Date(),
    event: JSON.stringify(said('false')) as never,
  })
  const { body } = await team.get(`/v2/bots/${botId}/events`)
  expect(body.data).toMatchObject([{ data: { text: 'true' } }])
  expect(Buffer.from(body.cursor, 'base64url').toString()).toBe(`${journalId}:1`)
})

test('a bot without events has no cursor; a cursor of another kind is refused by name', async () => {
  const { botId } = await runningBot()
  expect((await team.get(`/v2/bots/${botId}/events`)).body).toMatchObject({ data: [], cursor: null })
  const refused = await team.get(`/v2/bots/${botId}/events?cursor=${Buffer.from('2026').toString('base64')}`)
  expect(refused).toMatchObject({ status: 400, body: { message: expect.stringContaining('querystring/cursor') } })
})
