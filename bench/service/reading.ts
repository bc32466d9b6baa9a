/**
 * One team creates bots while another team, with many bots, reads as hard as it can: lists with filters that find nothing,
 * single bots with their history, the audit log, and feeds of the dashboard, each again as soon as it is answered.
 */
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { sql } from 'kysely'
import type { Database } from '../../control-plane/store/database.ts'
import { create, latencies, PER_SECOND } from './create.ts'
import { type Figure, inLanes, type Options, percentile, progress } from './measure.ts'
import { type Service, withService } from './service.ts'

const LANES = 40
/** More than one session gets. */
const FEEDS = 40
const OWN_BOTS = 1_000
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
    await database.destroy()
    const creates = () => latencies(seconds, () => create(service, service.key))
    await inLanes(LANES, OWN_BOTS, () => create(service, service.key))
    const before = await creates()
    const reading = await readHard(service, reader.key, bot)
    const during = await creates()
    const answers = await reading.end()
    const after = await creates()
    const shown = [...answers].map(([status, count]) => `${count} with ${status}`).join(', ')
    progress(`  answers to the reading team in ${seconds} s: ${shown}; ${reading.feeds} feeds`)
    const quiet = percentile([...before, ...after], 0.99)
    const figure = { value: percentile(during, 0.99), unit: 'ms', plain: quiet }
    return [
      {
        measure: `creation at ${PER_SECOND} a second while a team of ${bots.toLocaleString('en-US')} bots reads without a pause, 99th percentile (plainly: while it does not)`,
        ...figure,
        goal: { ratioAtMost: 2 },
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

async function readHard(service: Service, key: string, bot: string) {
  const answers = new Map<number, number>()
  let isOver = false
  const lanes = Array.from({ length: LANES }, async (_, lane) => {
    for (let n = lane; !isOver; n++) {
      const { status } = await service.call('GET', PAGES[n % PAGES.length]!.replace('BOT', bot), key)
      answers.set(status, (answers.get(status) ?? 0) + 1)
    }
  })
  const feeds = await openFeeds(service)
  return {
    feeds: feeds.filter(({ statusCode }) => statusCode === 200).length,
    async end() {
      isOver = true
      for (const feed of feeds) feed.destroy()
      await Promise.all(lanes)
      return answers
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
