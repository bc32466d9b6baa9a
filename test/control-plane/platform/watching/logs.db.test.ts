/** Lines of the log are found by team, bot and attempt, whichever part of the service writes them. */

import { randomUUID } from 'node:crypto'
import { stripVTControlCharacters } from 'node:util'
import { expect, test } from 'vitest'
import { createServiceLog, readableLine } from '../../../../control-plane/main/main.ts'
import { hello, openRawLink } from '../../control-link/world.ts'
import { answer } from '../../webhooks/receiver.ts'
import { openWorld } from '../../world.ts'

interface Line {
  fields: Record<string, unknown>
  message: string
}

function memory() {
  const lines: Line[] = []
  const note = (fields: object, message: string) => void lines.push({ fields: fields as Line['fields'], message })
  return { lines, log: { info: note, warn: note, error: note } }
}

test('launches, crashes and kills name team, bot and attempt', async () => {
  const world = await openWorld({ launching: true })
  const { launching, bot, row, host, logged, teamId, database } = await world.launchingSetting()
  launching()
  const killed = await bot({ dies: 'recording' })
  const silent = await bot({ isSilent: true })
  await expect.poll(async () => (await row(silent)).phase).toBe('starting')
  await database
    .updateTable('bots')
    .set({ deadline_at: new Date(0) })
    .where('id', '=', silent)
    .execute()
  host.failure = 'The engine is away'
  const refused = await bot()
  const saidOf = (id: string) => logged.filter(({ fields }) => fields.bot === id).map(({ message }) => message)
  await expect.poll(() => saidOf(killed)).toContain('Recording of a dead bot recovered')
  await expect.poll(() => saidOf(silent)).toContain('Bot asked to end')
  await expect.poll(() => saidOf(refused)).toContain('Bot could not be started')
  expect(saidOf(killed)).toEqual(expect.arrayContaining(['Bot started', 'Bot process ended']))
  const about = logged.filter(({ fields }) => fields.bot !== undefined)
  const wrong = about.filter(({ fields }) => fields.team !== teamId || !(Number(fields.attempt) > 0))
  expect(wrong).toEqual([])
})

test('links name team, bot and attempt', async () => {
  const world = await openWorld({ links: true })
  const { lines, log } = memory()
  const { url } = await world.server({ log })
  const bot = await world.bot({ attempt: 2 })
  const raw = await openRawLink(url, bot.tokens[2]!)
  raw.send(hello(bot.id, randomUUID()))
  await expect.poll(() => raw.received.length).toBe(1)
  raw.send('no JSON')
  await expect.poll(() => lines.map(({ message }) => message)).toEqual(['A message of a bot does not fit the protocol'])
  expect(lines[0]!.fields).toMatchObject({ team: world.team, bot: bot.id, attempt: 2 })
})

test('webhooks name team and bot', async () => {
  const world = await openWorld({ webhooks: true })
  const { lines, log } = memory()
  const teamId = await world.teamId()
  const botId = await world.addBot(teamId)
  const receiver = await world.receiver(answer(500))
  await world.endpoint({ teamId, kind: 'team', url: receiver.url })
  await world.send(teamId, botId, 1)
  world.dispatcher({ log })
  await expect.poll(() => lines.length).toBeGreaterThan(0)
  expect(lines[0]).toMatchObject({ message: 'Webhook attempt failed', fields: { team: teamId, bot: botId } })
  await world.reset()
})

test('a line is one JSON object with its time, its level and its sentence', () => {
  const written: string[] = []
  const log = createServiceLog('info', { write: (text: string) => void written.push(text) })
  log.warn({ team: 't', bot: 'b', attempt: 1 }, 'Bot killed')
  expect(written).toHaveLength(1)
  expect(written[0]).toMatch(/^\{.*\}\n$/)
  const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT/)
  const fields = { team: 't', bot: 'b', attempt: 1 }
  expect(JSON.parse(written[0]!)).toEqual({ level: 'warn', time, ...fields, msg: 'Bot killed' })
})

test('on a terminal a line is time, level, sentence and fields, and a text cannot paint', () => {
  const line = { level: 'warn', time: '2026-11-27T10:00:01.000Z', msg: 'Bot\u001b[2J killed' }
  const fact = { ...line, bot: 'b-1', error: 'a \u001b[31m b' }
  const plain = stripVTControlCharacters(readableLine(JSON.stringify({ ...fact, roles: ['api'] })))
  expect(plain).toBe('10:00:01 warn  Bot [2J killed bot=b-1 error="a \\u001b[31m b" roles=["api"]\n')
})
