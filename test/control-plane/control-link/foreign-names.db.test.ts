/** Reports of a bot about its files and transcripts that name those of another team. */

import { randomUUID } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createArtifactLinks } from '@standin/control-plane/files/artifact-links.ts'
import { createFolderStore } from '@standin/control-plane/files/folder-store.ts'
import { createFileHandler } from '@standin/control-plane/files/serve-file.ts'
import { createLinkSigner } from '@standin/control-plane/files/signed-links.ts'
import { readLiveView } from '@standin/control-plane/store/bots/live-pictures.ts'
import { type BotEvent, numberedEventSchema } from '@standin/wire/events.ts'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { temporaryFolder } from '../../fakes/at-end.ts'
import { openWorld } from '../world.ts'
import { type LaunchedBot, numbered, openWelcomed, PATIENCE, wholeLife } from './world.ts'

/** Fields that name something outside of the event: each has a test below. */
const NAMES = [
  'bot_id', // test/control-plane/control-link/who-may-speak.db.test.ts
  'artifact.name',
  'artifact.location',
  'artifacts.name',
  'artifacts.location',
  'transcription_ids',
]
/** Fields that are content: shown to the bot's own team as they come, and looked up nowhere. */
const CONTENT = [
  ...['at', 'end_message', 'error_message', 'message', 'language', 'text', 'sender_name', 'emoji', 'provider'],
  ...['message_id', 'reply_to', 'links.text', 'links.url', 'files.name', 'files.url', 'reactions.emoji', 'timestamp'],
  ...['participant.name', 'participant.platform_id', 'speaker.name', 'speaker.platform_id', 'name'],
  ...['participants.name', 'participants.platform_id', 'speakers.name', 'speakers.platform_id'],
  ...['started_at', 'ended_at', 'gaps.started_at', 'gaps.ended_at', 'joined_at', 'exited_at', 'recording_started_at'],
  // The report repeats the bot's job; the service reads the columns of the bot instead.
  ...['meeting_url', 'bot_name', 'location', 'extra', 'reason_evidence.seen', 'reason_evidence.at'],
  ...['artifact.sha256', 'artifact.crc32', 'artifacts.sha256', 'artifacts.crc32'],
  // Numbers of a live transcript's words, and of the words of pages.
  ...['id', 'words_version'],
  // Only names that the service knows itself are counted.
  'signals',
]

interface JsonSchema {
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  $ref?: string
  properties?: Record<string, JsonSchema>
  items?: JsonSchema
  anyOf?: JsonSchema[]
  oneOf?: JsonSchema[]
  allOf?: JsonSchema[]
  additionalProperties?: JsonSchema | boolean
}

/** The paths of all fields that hold free text. */
function textFields(schema: JsonSchema, path: string): string[] {
  if (schema.enum !== undefined || schema.const !== undefined) return []
  if (schema.type === 'string' || (Array.isArray(schema.type) && schema.type.includes('string'))) return [path]
  const inner = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])]
  const below = path === 'event' || path === '' ? '' : `${path}.`
  return [
    ...inner.flatMap((one) => textFields(one, path)),
    ...(schema.items ? textFields(schema.items, path) : []),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, one]) => textFields(one, `${below}${name}`)),
    ...(schema.type === 'object' && schema.properties === undefined ? [path] : []),
  ]
}

test('each text that a bot may send is known as a name or as content', () => {
  const fields = textFields(z.toJSONSchema(numberedEventSchema, { io: 'input' }) as JsonSchema, '')
  expect([...new Set(fields)].sort()).toEqual([...NAMES, ...CONTENT].sort())
})

const world = await openWorld({ links: true })
const root = temporaryFolder()

const VICTIM = 'VICTIM-PRIVATE'
const OWN = 'OWN'

async function storedFile(bot: LaunchedBot, attempt: number, content: string): Promise<string> {
  const path = join(root, bot.id, String(attempt), bot.id, 'video.mp4')
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, content)
  return path
}

/** A bot that is in its meeting, a bot of another team with a file, and the links of the service. */
async function attack() {
  const { id: otherTeam } = await world.database
    .insertInto('teams')
    .values({ name: 'Other' })
    .returning('id')
    .executeTakeFirstOrThrow()
  const running = { phase: 'running', status: 'in_call_recording', joined_attempt: 1 } as const
  const bot = await world.bot(running)
  const victim = await world.bot({ ...running, team_id: otherTeam })
  const victimsFile = await storedFile(victim, 1, VICTIM)
  await storedFile(bot, 1, OWN)

  const server = await world.server()
  const link = await openWelcomed(server, bot)
  let seq = 0
  const signer = createLinkSigner({ secret: Buffer.alloc(32), publicUrl: 'http://files.test', now: () => Date.now() })
  const store = createFolderStore(root, signer)
  const links = createArtifactLinks(world.database, store, 'https://standin.test')
  const serve = createFileHandler(store, signer)
  async function report(event: BotEvent) {
    link.send(numbered(bot.id, ++seq, event))
    await expect.poll(() => link.received.at(-1), PATIENCE).toEqual({ type: 'ack', seq })
  }
  return {
    bot,
    victim,
    victimsFile,
    links,
    report,
    /** Sends an event that is no message of the protocol, and waits until a later one is stored. */
    async reportInvalid(event: BotEvent) {
      link.send(numbered(bot.id, seq + 1, event))
      await report({ type: 'notice', level: 'info', message: 'after it' })
    },
    async download(url: string | null): Promise<string | null> {
      if (url === null) return null
      const { pathname, searchParams } = new URL(url)
      const key = decodeURIComponent(pathname.slice('/files/'.length))
      const { stream } = await serve({ method: 'GET', key, query: Object.fromEntries(searchParams) })
      return stream === null ? null : Buffer.concat(await stream.toArray()).toString()
    },
  }
}

const artifact = (name: string, location: string) => ({ name, location, bytes: 5, sha256: null })
const reportOf = (change: object) => ({ ...wholeLife().at(-1)!, ...change }) as BotEvent

describe('files', () => {
  test.each([
    ['an artifact', (location: string): BotEvent => ({ type: 'artifact', artifact: artifact('video.mp4', location) })],
    ['a report', (location: string) => reportOf({ artifacts: [artifact('video.mp4', location)], location })],
  ])('%s that names the file of another team leads to the own file of the bot', async (_, eventOf) => {
    const { bot, victimsFile, links, report, download } = await attack()
    await report(eventOf(victimsFile))
    const { video } = await links.linksOf(bot.id)
    expect(await download(video)).toBe(OWN)
  })

  test.each([
    (victim: string) => `../../../${victim}/1/${victim}/video.mp4`,
    (victim: string) => `/${victim}/1/${victim}/video.mp4`,
    (victim: string) => `a/./${victim}`,
    (victim: string) => `a//${victim}`,
    (victim: string) => `..\\${victim}`,
    (victim: string) => `${victim}\0`,
    () => '..',
    () => '',
    () => 'x'.repeat(256),
    () => Array.from({ length: 10 }, () => 'x'.repeat(100)).join('/'),
  ])('a name that is no plain path is refused (%#)', async (nameOf) => {
    const { bot, victim, links, reportInvalid } = await attack()
    await reportInvalid({ type: 'artifact', artifact: artifact(nameOf(victim.id), 'x') })
    await reportInvalid(reportOf({ artifacts: [artifact(nameOf(victim.id), 'x')] }))
    expect(await links.screenshotsOf(bot.id)).toEqual([])
    expect(await world.rows('artifacts', { bot_id: bot.id })).toEqual([])
  })

  test('a location that was stored before locations were derived is not followed', async () => {
    const { bot, victimsFile, links, download } = await attack()
    await world.insert('artifacts', { bot_id: bot.id, attempt: 1, name: 'video.mp4', location: victimsFile, bytes: 5 })
    expect(await download((await links.linksOf(bot.id)).video)).toBe(OWN)
  })

  test('a live picture is taken from the folder of its bot', async () => {
    const { bot, victimsFile, report } = await attack()
    await report({ type: 'artifact', artifact: artifact('screenshots/0001.png', victimsFile) })
    const rows = await readLiveView(world.database, world.team)
    expect(rows.find(({ id }) => id === bot.id)?.picture?.key).toBe(`${bot.id}/1/${bot.id}/screenshots/0001.png`)
  })
})

describe('transcripts at a provider', () => {
  const idsOf = async (id: string) => (await world.row(id)).transcription_ids
  const setIds = (id: string, ids: string[]) => world.set(id, { transcription_ids: ids })

  test('of another team are not taken as those of the bot, and stay with their own', async () => {
    const { bot, victim, report } = await attack()
    const [theirs, own] = [randomUUID(), randomUUID()]
    await setIds(victim.id, [theirs])
    await report(reportOf({ transcription_ids: [theirs, own] }))
    expect(await idsOf(bot.id)).toEqual([own])
    expect(await idsOf(victim.id)).toEqual([theirs])
  })

  test('of another bot of the same team are, since a bot that continued reports them again', async () => {
    const { bot, report } = await attack()
    const [sister, shared] = [await world.bot(), randomUUID()]
    await setIds(sister.id, [shared])
    await report(reportOf({ transcription_ids: [shared] }))
    expect(await idsOf(bot.id)).toEqual([shared])
  })
})
