/**
 * Real bots: the time from the call of the API until the bot's process says `joining_call` and until the meeting's page is
 * open in its browser, and how exactly a scheduled bot keeps its join time in the mock meeting. The plainest program starts
 * the bot's process with the same job in a file.
 */
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { NumberedEvent } from '@standin/wire/events.ts'
import { startMock } from '../../mock/index.ts'
import type { MockMeeting, MockServer } from '../../mock/types.ts'
import { bundlePageScripts } from '../../scripts/build.ts'
import { type Figure, type Options, percentile, progress, until } from './measure.ts'
import { botCommand, type Service, withService } from './service.ts'

const PATIENCE_SECONDS = 180
/** Ahead of the call that schedules the bot; more than a bot's start takes. */
const JOIN_IN_SECONDS = 45
const PERCENTILE = 0.5

export async function measure({ isSmall }: Options): Promise<Figure[]> {
  const rounds = isSmall ? 1 : 5
  await bundlePageScripts({ goOn: true })
  const mock = await startMock('meet')
  try {
    const mapHosts = mock.hosts.map((host) => `${host}=${mock.address}`)
    return await withService({ STANDIN_MAP_HOSTS: mapHosts.join(','), STANDIN_DEMO: 'off' }, async (service) => {
      await service.start()
      const [own, opened, plain, plainlyOpened, early]: number[][] = [[], [], [], [], []]
      // The first of each reads files that are not in the page cache yet.
      for (let round = 0; round <= rounds; round++) {
        const starts = [await start(service, mock), await startPlainly(mock, mapHosts)] as const
        const shown = starts.map(({ joining, open }) => `${joining.toFixed(2)} s, page open ${open.toFixed(2)} s`)
        progress(`  round ${round}: ${shown.join('; plainly ')}`)
        if (round === 0) continue
        own!.push(starts[0].joining)
        opened!.push(starts[0].open)
        plain!.push(starts[1].joining)
        plainlyOpened!.push(starts[1].open)
      }
      for (let round = 0; round < (isSmall ? 1 : 3); round++) early!.push(await offTime(service, mock))
      progress(`  off the join time: ${early!.map((value) => value.toFixed(2)).join(', ')} s`)
      return [
        {
          measure: 'API call → real bot says `joining_call`, median',
          value: percentile(own!, PERCENTILE),
          unit: 's',
          plain: percentile(plain!, PERCENTILE),
          goal: { atMost: 1.5 },
        },
        {
          measure: "API call → the meeting's page is open in the browser of a real bot, median",
          value: percentile(opened!, PERCENTILE),
          unit: 's',
          plain: percentile(plainlyOpened!, PERCENTILE),
          goal: { atMost: 2 },
        },
        {
          measure: 'a scheduled real bot asks to join: farthest from `join_at`',
          value: Math.max(...early!.map(Math.abs)),
          unit: 's',
          plain: null,
          goal: { atMost: 2 },
        },
      ]
    })
  } finally {
    await mock.close()
  }
}

const openMeeting = (mock: MockServer): MockMeeting => mock.open('waiting-room', { people: [] })

async function ask(service: Service, path: string, fields: object): Promise<string> {
  const { status, body } = await service.call('POST', path, service.key, { bot_name: 'Notes', ...fields })
  if (status !== 201) throw new Error(`The bot was refused with ${status}: ${JSON.stringify(body)}`)
  return body.data.bot_id
}

const statusOf = async (service: Service, botId: string): Promise<string> =>
  (await service.call('GET', `/v2/bots/${botId}`, service.key)).body.data.status

/** Seconds from the call, by the clock that bot, mock meeting and bench share. */
interface Start {
  joining: number
  open: number
}

const openedAt = ({ log }: MockMeeting): number | null => log.find(({ event }) => event === 'state')?.at ?? null

async function whenOpen(meeting: MockMeeting): Promise<number> {
  await until("the meeting's page is open", PATIENCE_SECONDS, () => openedAt(meeting) !== null)
  return openedAt(meeting)!
}

async function start(service: Service, mock: MockServer): Promise<Start> {
  const meeting = openMeeting(mock)
  const askedAt = Date.now()
  const botId = await ask(service, '/v2/bots', { meeting_url: meeting.url })
  await until('the bot says joining_call', PATIENCE_SECONDS, async () => (await statusOf(service, botId)) !== 'queued')
  const database = await service.openDatabase(1)
  const { joining_at } = await database
    .selectFrom('bots')
    .select('joining_at')
    .where('id', '=', botId)
    .executeTakeFirstOrThrow()
  await database.destroy()
  if (joining_at === null) throw new Error(`The bot is ${await statusOf(service, botId)} and never joined`)
  const openAt = await whenOpen(meeting)
  await leave(service, botId)
  return { joining: (joining_at.getTime() - askedAt) / 1000, open: (openAt - askedAt) / 1000 }
}

async function leave(service: Service, botId: string): Promise<void> {
  await service.call('POST', `/v2/bots/${botId}/leave`, service.key)
  await until('the bot is over', PATIENCE_SECONDS, async () =>
    ['completed', 'failed'].includes(await statusOf(service, botId)),
  )
}

async function startPlainly(mock: MockServer, mapHosts: string[]): Promise<Start> {
  const meeting = openMeeting(mock)
  const folder = mkdtempSync(join(tmpdir(), 'standin-bench-bot-'))
  try {
    const job = {
      bot_id: randomUUID(),
      meeting_url: meeting.url,
      bot_name: 'Notes',
      storage: { type: 'folder', path: folder },
    }
    const file = join(folder, 'job.json')
    const askedAt = Date.now()
    writeFileSync(file, JSON.stringify(job), { mode: 0o600 })
    const [program, ...words] = botCommand()
    const bot = spawn(program, [...words, '--json', ...mapHosts.flatMap((mapping) => ['--map-host', mapping])], {
      env: {
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        STANDIN_JOB_FILE: file,
        STANDIN_PRIVATE_ADDRESSES: 'allow',
      },
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    const ended = once(bot, 'exit')
    for await (const line of createInterface({ input: bot.stdout! })) {
      const { at, event } = JSON.parse(line) as NumberedEvent
      if (event?.type !== 'status_change' || event.status !== 'joining_call') continue
      bot.stdout!.resume()
      const openAt = await whenOpen(meeting)
      bot.kill('SIGTERM')
      await ended
      return { joining: (Date.parse(at) - askedAt) / 1000, open: (openAt - askedAt) / 1000 }
    }
    throw new Error('The bot never said joining_call')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Seconds from the join time until the bot asks to join; below zero it was early. */
async function offTime(service: Service, mock: MockServer): Promise<number> {
  const meeting = openMeeting(mock)
  const joinAt = new Date(Math.ceil((Date.now() + JOIN_IN_SECONDS * 1000) / 1000) * 1000)
  const botId = await ask(service, '/v2/bots/scheduled', { meeting_url: meeting.url, join_at: joinAt.toISOString() })
  const asked = () => meeting.log.find(({ event, target }) => event === 'state' && target === 'joining')
  await until('the bot asks to join', JOIN_IN_SECONDS + PATIENCE_SECONDS, () => asked() !== undefined)
  await leave(service, botId)
  const afterJoinTime = (at: number) => (at - joinAt.getTime()) / 1000
  progress(`  the meeting's page was opened ${afterJoinTime(openedAt(meeting)!).toFixed(2)} s after the join time`)
  return afterJoinTime(asked()!.at)
}
