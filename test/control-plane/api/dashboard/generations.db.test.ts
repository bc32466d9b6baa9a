/** People see what every generation of the API made; a program sees its own. */
import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { openWorld } from '../../world.ts'
import { addCalendar, addEvent } from '../calendars/fake.ts'
import { olderBotRow } from '../older/rows.ts'
import { freshMeet, startReporting } from '../reporting.ts'

const world = await openWorld({ api: {} })

const member = () => world.person('member')

async function olderBot(team: Awaited<ReturnType<typeof member>>): Promise<string> {
  const answer = await team.post('/bots', { bot_name: 'Older', meeting_url: freshMeet() })
  expect(answer.text).toContain('bot_id')
  return answer.body.bot_id
}

test('a bot of the older generation is in the list, and its page has everything', async () => {
  const ada = await member()
  const id = await olderBot(ada)
  const { report } = await startReporting(world.database, id)
  await report({ type: 'notice', code: 'test', message: 'Here' } as never)
  const { body } = await ada.send('GET', '/v2/bots')
  expect(body.data).toMatchObject([{ bot_id: id, bot_name: 'Older' }])
  for (const path of ['', '/status', '/timeline', '/events', '/screenshots'])
    expect(`${path} ${(await ada.send('GET', `/v2/bots/${id}${path}`)).status}`).toBe(`${path} 200`)
  expect((await ada.send('POST', `/v2/bots/${id}/leave`)).status).toBe(200)
})

test('its data is deleted and its final webhook sent again from the dashboard', async () => {
  const ada = await member()
  const { id } = await olderBotRow(world, ada.teamId)
  expect((await ada.send('POST', `/v2/bots/${id}/resend-webhook`)).status).toBe(200)
  expect((await ada.send('DELETE', `/v2/bots/${id}/delete-data`)).status).toBe(200)
  expect((await ada.send('GET', `/v2/bots/${id}`)).body.data.artifacts_deleted).toBe(true)
})

test('a planned bot of an older calendar event is among the scheduled ones, and is cancelled there', async () => {
  const ada = await member()
  const at = new Date(Date.now() + 3_600_000)
  const { id } = await olderBotRow(world, ada.teamId, {
    ...{ phase: 'scheduled', status: 'queued', is_scheduled: true, schedule_status: 'scheduled' },
    ...{ join_at: at, due_at: at, attempt: 0, joined_attempt: null },
  })
  expect((await ada.send('GET', '/v2/bots/scheduled')).body.data).toMatchObject([{ bot_id: id }])
  expect((await ada.send('GET', '/v2/bots')).body.data).toEqual([])
  expect((await ada.send('DELETE', `/v2/bots/scheduled/${id}`)).status).toBe(200)
  expect((await ada.send('GET', `/v2/bots/scheduled/${id}`)).body.data.status).toBe('cancelled')
})

test('a calendar of the older generation and its events too', async () => {
  const ada = await member()
  const calendar = await addCalendar(world.database, { teamId: ada.teamId, generation: 'older' })
  await addEvent(world.database, calendar.id, { title: 'Weekly' })
  expect((await ada.send('GET', '/v2/calendars')).body.data).toMatchObject([{ calendar_id: calendar.id }])
  expect((await ada.send('GET', `/v2/calendars/${calendar.id}`)).status).toBe(200)
  expect((await ada.send('GET', `/v2/calendars/${calendar.id}/events`)).body.data).toMatchObject([{ title: 'Weekly' }])
})

test('a key of the newer generation sees none of it, and a person sees none of another team', async () => {
  const ada = await member()
  const id = await olderBot(ada)
  const calendar = await addCalendar(world.database, { teamId: ada.teamId, generation: 'older' })
  expect((await ada.get('/v2/bots')).body.data).toEqual([])
  expect((await ada.get('/v2/calendars')).body.data).toEqual([])
  const stranger = await member()
  for (const path of [`/v2/bots/${id}`, `/v2/bots/${id}/timeline`, `/v2/calendars/${calendar.id}`]) {
    expect((await ada.get(path)).status).toBe(404)
    expect((await stranger.send('GET', path)).status).toBe(404)
  }
  expect((await ada.post(`/v2/bots/${id}/leave`)).status).toBe(404)
  expect((await stranger.send('GET', `/v2/bots/${randomUUID()}`)).status).toBe(404)
})
