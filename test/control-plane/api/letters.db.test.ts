/** Filters of all lists find a text however its letters are composed, and in any case. */
import { expect, test } from 'vitest'
import { openWorld } from '../world.ts'
import { olderBotRow } from './older/rows.ts'

const world = await openWorld({ api: {} })
const composed = 'Žižkov Café Ǐ Ångström ÉLAN'.normalize('NFC')
const forms = [composed, composed.normalize('NFD')]
const people = (name: string) => [{ name, id: 1 }]
const joinAt = new Date(Date.now() + 3_600_000)

test.each<[list: string, filter: string, add: (teamId: string, text: string) => Promise<unknown>]>([
  ['/v2/bots', 'bot_name', (teamId, text) => world.addBot(teamId, { bot_name: text })],
  ['/v2/bots', 'participant_name', (teamId, text) => world.addBot(teamId, { participants: people(text) })],
  [
    '/v2/bots/scheduled',
    'bot_name',
    (teamId, text) =>
      world.addBot(teamId, { bot_name: text, is_scheduled: true, schedule_status: 'scheduled', join_at: joinAt }),
  ],
  ['/bots/bots_with_metadata', 'bot_name', (teamId, text) => olderBotRow(world, teamId, { bot_name: text })],
  [
    '/bots/bots_with_metadata',
    'speaker_name',
    (teamId, text) => olderBotRow(world, teamId, { speakers: people(text) }),
  ],
  ['/bots/bots_with_metadata', 'filter_by_extra', (teamId, text) => olderBotRow(world, teamId, { extra: { k: text } })],
])('%s by %s', async (list, filter, add) => {
  const team = await world.team()
  for (const stored of forms) await add(team.teamId, stored)
  for (const form of forms) {
    const words =
      filter === 'filter_by_extra' ? [`k:${form}`] : [form.toUpperCase(), form.toLowerCase(), form.slice(2, 9)]
    for (const word of words) {
      const { body } = await team.get(`${list}?${new URLSearchParams({ [filter]: word })}`)
      expect((body.data ?? body.bots).length, word).toBe(2)
    }
  }
})
