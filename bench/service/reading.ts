/**
 * One team creates bots while another team, with many bots, reads as hard as it can: lists with filters that find nothing,
 * single bots with their history, the audit log, and feeds of the dashboard, each again as soon as it is answered. Then the
 * other team follows as hard as it can: pages of events, streams from the first event, and streams that are not read.
 */
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { sql } from 'kysely'
import type { Database } from '../../control-plane/store/database.ts'
import { BenchProcess } from './bench-process.ts'
import { create, latencies, PER_SECOND } from './create.ts'
import { type Followed, type FollowerEnvironment, STREAMS } from './followers.ts'
import { type Figure, inLanes, type Options, percentile, progress, residentMegabytes } from './measure.ts'
import { type Service, withService } from './service.ts'

const LANES = 40
/** More than one session gets. */
const FEEDS = 40
const OWN_BOTS = 1_000
const EVENTS = 20_000
const PAGES = [
  '/v2/bots?bot_name=zzz',
  '/v2/bots?meeting_url=zzz',
  '/v2/bots?participant_name=zzz',
  '/v2/bots?extra=order:zzz',
  '/v2/bots?status=failed',
  '/v2/bots?limit=100',
  '/v2/bots/scheduled?status=failed',
  '/v2/audit-log?limit=100',
  '/bots/bots_with_metadata?bot_name=zzz',
  '/v2/bots/BOT',
  '/v2/bots/BOT/timeline',
  '/v2/bots/BOT/events',
]

export async function measure({ isSmall }: Options): Promise<Figure[]> {
  const bots = isSmall ? 10_000 : 100_000
  const seconds = isSmall ? 5 : 20
  return withService({}, async (service) => {
    await service.start('api')
    const reader = await service.command<{ team_id: string; key: string }>('teams', 'create', 'Reader')
    const database = await service.openDatabase(1)
    const bot = await addBots(database, reader.team_id, bots)
    await addEvents(database, bot)
    await database.destroy()
    const creates = () => latencies(seconds, () => create(service, service.key))
    await inLanes(LANES, OWN_BOTS, () => create(service, service.key))
    const before = await creates()
    const feeds = await openFeeds(service)
    const reading = askWithoutPause(service, reader.key, bot)
    const whileReading = await creates()
    const answers = await reading.end()
    for (const feed of feeds) feed.destroy()
    const between = await creates()
    const quietMb = residentMegabytes(service.pid)
    const following = await follow(service, { URL: service.url, KEY: reader.key, BOT: bot })
    const whileFollowing = await creates()
    const { mostMb, pages, events } = await following.end()
    const after = await creates()
    const shown = (counts: Map<number, number>) =>
      [...counts].map(([status, count]) => `${count} with ${status}`).join(', ')
    const open = feeds.filter(({ statusCode }) => statusCode === 200).length
    progress(`  answers to the reading team in ${seconds} s: ${shown(answers)}; ${open} feeds`)
    progress(`  answers to the following team in ${seconds} s: ${shown(pages)}; ${events} events by streams`)
    const team = `a team of ${bots.toLocaleString('en-US')} bots`
    const quiet = percentile([...before, ...between, ...after], 0.99)
    const figure = (what: string, late: number[], ratioAtMost: number): Figure => ({
      measure: `creation at ${PER_SECOND} a second while ${team} ${what} without a pause, 99th percentile (plainly: while it does not)`,
      ...{ value: percentile(late, 0.99), unit: 'ms', plain: quiet, goal: { ratioAtMost } },
    })
    return [
      figure('reads', whileReading, 2),
      figure('follows a bot', whileFollowing, 3),
      {
        measure: `memory of the process while ${STREAMS.unread} of the team's ${STREAMS.read + STREAMS.unread + STREAMS.ofTeam} streams are not read (plainly: before)`,
        ...{ value: mostMb, unit: 'MB', plain: quietMb, goal: { atMost: 400 } },
      },
    ]
  })
}

/** Resolves with the id of one that has a history. */
async function addBots(database: Database, teamId: string, count: number): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    with bot as (
      insert into bots (id, team_id, generation, phase, status, bot_name, meeting_url, meeting_key, meeting_platform,
        recording_mode, request, extra, created_at, queued_at, ended_at)
      select gen_random_uuid(), ${teamId}::uuid, case when n % 4 = 0 then 'older' else 'v2' end, 'closed', 'completed',
        'Bot ' || n, 'https://meet.google.com/abc-defg-hij', 'meet', 'meet', 'speaker_view', '{}',
        jsonb_build_object('order', n), at, at, at
      from (select n, now() - n * interval '30 days' / ${count}::int as at from generate_series(1, ${count}::int) n) made
      returning id, generation
    ), entry as (
      insert into audit_log (team_id, actor_kind, action, target) select ${teamId}::uuid, 'system', 'bot.create', id from bot
    ), step as (
      insert into bot_steps (bot_id, at, kind, evidence) select id, now(), 'status', '{"status": "completed"}' from bot
    )
    select id from bot where generation = 'v2' limit 1`.execute(database)
  await sql`analyze`.execute(database)
  return rows[0]!.id
}

/** Of a meeting with long words: some pages are bounded by their bytes, and some by their rows. */
async function addEvents(database: Database, botId: string): Promise<void> {
  await sql`
    with bot as (
      update bots set attempt = 1, joined_attempt = 1 where id = ${botId} returning id, team_id
    ), journal as (
      insert into journals (bot_id, journal_id, attempt, last_seq)
      select id, gen_random_uuid(), 1, ${EVENTS}::int from bot returning bot_id, journal_id
    ), numbered as (
      insert into team_events (team_id, last_number, bot_id, journal_id, last_seq, events)
      select team_id, n, bot_id, journal_id, n, 1 from journal, bot, generate_series(1, ${EVENTS}::int) n
    ), counted as (
      insert into team_event_counts (team_id, last_number) select team_id, ${EVENTS}::int from bot
    )
    insert into bot_events (bot_id, journal_id, seq, attempt, type, at, event)
    select bot_id, journal_id, n, 1, 'transcript', now(), jsonb_build_object('type', 'transcript', 'is_final', true,
      'text', (select string_agg(md5(n::text || word), ' ') from generate_series(1, case when n % 1000 < 50 then 600 else 9 end) word),
      'speaker', jsonb_build_object('id', 1, 'name', 'Ada', 'platform_id', 'p-1'), 'start', n, 'end', n + 1, 'language', 'en')
    from journal, generate_series(1, ${EVENTS}::int) n`.execute(database)
  await sql`analyze`.execute(database)
}

/** Asks for each of the pages again as soon as it is answered. */
function askWithoutPause(service: Service, key: string, bot: string) {
  const answers = new Map<number, number>()
  let isOver = false
  const lanes = Array.from({ length: LANES }, async (_, lane) => {
    for (let n = lane; !isOver; n++) {
      const { status } = await service.call('GET', PAGES[n % PAGES.length]!.replace('BOT', bot), key)
      answers.set(status, (answers.get(status) ?? 0) + 1)
    }
  })
  return {
    async end() {
      isOver = true
      await Promise.all(lanes)
      return answers
    },
  }
}

/** In a process of its own, so that what it reads does not slow down the measurement. */
async function follow(service: Service, environment: FollowerEnvironment) {
  const program = await BenchProcess.start('followers.ts', { ...environment })
  let mostMb = 0
  const watching = setInterval(() => {
    mostMb = Math.max(mostMb, residentMegabytes(service.pid))
  }, 100)
  return {
    async end() {
      // A program that broke must not leave the watch of a service that is about to end.
      const followed = (await program.ask('result').finally(() => clearInterval(watching))) as Followed
      await program.end()
      return { mostMb, ...followed, pages: new Map(followed.pages) }
    },
  }
}

/** Of one person, who is signed in once. */
async function openFeeds(service: Service): Promise<IncomingMessage[]> {
  const words = ['people', 'invite', 'reader@example.com', '--team', 'Reader', '--role', 'owner']
  const { sign_in_link: link } = await service.command<{ sign_in_link: string }>(...words)
  const answer = await fetch(`${service.url}/dashboard/api/sign-in-link`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-requested-by': 'dashboard' },
    body: JSON.stringify({ token: new URL(link).hash.slice(1) }),
  })
  const cookie = answer.headers.get('set-cookie')!.split(';', 1)[0]!
  return Promise.all(
    Array.from({ length: FEEDS }, async () => {
      const [feed] = await once(
        get(`${service.url}/dashboard/api/feed`, { headers: { cookie }, agent: false }),
        'response',
      )
      return (feed as IncomingMessage).resume()
    }),
  )
}
