/**
 * A GET needs neither a header that other pages cannot send nor a role above viewer, so no GET may change anything: every
 * route of the server is run, and triggers note each row that it writes.
 */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { createJobHandler } from '../../../../control-plane/control-link/job-address.ts'
import { createLinkServer } from '../../../../control-plane/control-link/link-server.ts'
import { sendTest } from '../../../../control-plane/webhooks/replay.ts'
import { temporaryFolder } from '../../../fakes/at-end.ts'
import { MEET, openWorld, quiet, seals } from '../../world.ts'
import { addCalendar, addEvent, fakeCalendars } from '../calendars/fake.ts'
import { olderBotRow } from '../older/rows.ts'
import { said, startReporting } from '../reporting.ts'

/** Written beside every request, whatever it asks for. */
const BESIDE: Record<string, string> = {
  'INSERT request_log': 'the log of requests with a key',
  'UPDATE api_keys': 'when the key was last used, once a minute',
  'UPDATE sessions': 'a session that is used is prolonged, once an hour',
}
/** Routes that may write, and what keeps another page from using them. */
const WRITING: Record<string, string> = {
  '/dashboard/api/connect/google/callback': 'the answer of a consent: its state is that of the session',
  '/dashboard/api/connect/microsoft/callback': 'the same',
  '/dashboard/api/connect/zoom/callback': 'the same',
  '/dashboard/api/oidc/callback': 'the answer of a sign-in: its state is in a sealed cookie',
  '/bots/meeting_data': 'when a recording was last read, as the interface has it; with a key only',
  '/compat/bots/meeting_data': 'the same',
  '/job/:bot/:attempt': 'a container takes its job with a token, and no session',
}

const folder = temporaryFolder()
for (const name of ['index.html', 'app.js', 'feed.js', 'app.css']) writeFileSync(join(folder, name), name)
const calendars = fakeCalendars()
calendars.answer('listOthers', [])
const consent = { app: {}, begin: async () => ({}), finish: async () => ({}) } as never
const world = await openWorld({
  api: ({ database }) => ({
    calendars: calendars.operations,
    consents: { google: consent, microsoft: consent, zoom: consent },
    oidc: { name: 'Acme', domains: [], ...{ begin: consent, finish: consent } } as never,
    files: async () => ({ status: 200, headers: {}, stream: null }) as never,
    jobs: createJobHandler({ database, seals, log: quiet }),
    settings: { publicUrl: 'http://127.0.0.1', dashboardFolder: folder, helpFolder: folder },
  }),
})
const address = await world.app.listen({ host: '127.0.0.1', port: 0 })
const links = createLinkServer({ database: world.database, log: quiet })
world.app.server.on('upgrade', (...upgrade) => links.handleUpgrade(...upgrade))
world.closes(() => links.close())

const owner = await world.person('owner')
const bot = await world.bot(owner)
await (await startReporting(world.database, bot)).report(said('word'))
const plain = { bot_name: 'Bot', meeting_url: MEET }
const idIn = async (path: string, body: object): Promise<string> => {
  const { body: answer } = await owner.post(path, body)
  return answer.data.bot_id ?? answer.data.account_id ?? answer.data.credential_id
}
const scheduled = await idIn('/v2/bots/scheduled', {
  ...plain,
  join_at: new Date(Date.now() + 3_600_000).toISOString(),
})
const cookies = [{ name: 'a', value: 'b', domain: 'zoom.us' }]
const account = await idIn('/v2/accounts', { platform: 'zoom', label: 'A', session: { cookies } })
const credential = await idIn('/v2/conf-credentials', { name: 'App', client_id: 'id', client_secret: 'secret' })
const user = randomUUID()
const { teamId: team_id } = owner
await world.insert('connections', {
  id: user,
  team_id,
  name: 'User',
  type: 'user',
  ...{ client_id: 'id', client_secret: Buffer.of(1), user_id: 'u' },
})
const { number: olderBot } = await olderBotRow(world, team_id)
const endpoint = await world.endpoint({ teamId: team_id, kind: 'team', url: 'https://example.com/' })
await sendTest(world.database, endpoint.id)
const { id: delivery } = await world.database.selectFrom('deliveries').select('id').executeTakeFirstOrThrow()
const calendar = await addCalendar(world.database, owner)
const event = await addEvent(world.database, calendar.id)
const older = await addCalendar(world.database, { ...owner, generation: 'older' })
const olderEvent = await addEvent(world.database, older.id)

/** The address of a route, with the row that it is about, and with what its query needs. */
function addressOf(url: string): string {
  const calendarOf = /^(?:\/compat)?\/calendar/.test(url) ? older.id : calendar.id
  const path = url
    .replace(/scheduled\/:bot_id/, `scheduled/${scheduled}`)
    .replace(/^((?:\/compat)?\/bots\/):bot_id/, `$1${olderBot}`)
    .replace(':bot_id', bot)
    .replace(':account_id', account)
    .replace(':credential_id', credential)
    .replace(/calendar_events\/:uuid/, `calendar_events/${olderEvent.id}`)
    .replace(/calendars\/:uuid/, `calendars/${older.id}`)
    .replace(':calendar_id', calendarOf)
    .replace(':event_id', event.id)
    .replace(/connections\/:uuid/, `connections/${user}`)
    .replace(':delivery', String(delivery))
    .replace(/meeting_data$/, `meeting_data?bot_id=${olderBot}`)
    .replace(/calendar_events$/, `calendar_events?calendar_id=${older.id}`)
    .replace(/previews$/, `previews?bots=${bot}`)
    .replace('/docs/*', '/docs/js/scalar.js')
    .replace('/help/*', '/help/app.js')
  return address + path
}

const routes = world.app.routeTable.routes.filter(({ methods }) => methods.includes('GET'))
const urls = [...new Set(routes.map(({ url }) => url))]
/** Of a page of another site, in the browser of a person who is signed in. */
const asPage = { cookie: owner.cookie, origin: 'https://evil.example' }

test('no GET writes a row, with a key or with the session of an owner', async () => {
  await sql`
    create table writes (what text);
    create function note_write() returns trigger language plpgsql security definer as $$
      begin insert into writes values (tg_op || ' ' || tg_table_name); return null; end $$;
    do $$ declare one text; begin
      for one in select relname from pg_class where relkind = 'r' and relnamespace = current_schema()::regnamespace and relname <> 'writes' loop
        execute format('create trigger note_write after insert or update or delete on %I for each row execute function note_write()', one);
      end loop; end $$`.execute(world.database)
  world.closes(() => sql`drop function note_write cascade; drop table writes`.execute(world.database))
  const statuses: Record<string, number> = {}
  for (const url of urls) {
    for (const headers of [asPage, { authorization: `Bearer ${owner.key}` }]) {
      const stop = new AbortController()
      const { status } = await fetch(addressOf(url), { headers, redirect: 'manual', signal: stop.signal })
      // Also of a stream, which has begun.
      stop.abort()
      statuses[url] = Math.min(status, statuses[url] ?? 999)
    }
    const { rows } = await sql<{ what: string }>`delete from writes returning what`.execute(world.database)
    if (!(url in WRITING))
      expect(
        rows.map(({ what }) => what).filter((what) => !(what in BESIDE)),
        url,
      ).toEqual([])
  }
  // A route that refuses the test's request was not run.
  expect(Object.entries(statuses).filter(([url, status]) => status >= 400 && !(url in WRITING))).toEqual([])
})

test('no address opens a socket for a session', async () => {
  for (const url of [...urls, '/link']) {
    const upgrade = { connection: 'upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' }
    const headers = { ...asPage, ...upgrade, 'sec-websocket-key': 'c3RhbmRpbi1zdGFuZGluLQ==' }
    const asked = request(addressOf(url.startsWith('/') ? url : `/${url}`), { headers, agent: false }).end()
    const [answer] = await Promise.race([once(asked, 'response'), once(asked, 'upgrade')])
    expect(answer.statusCode, url).toBe(401)
    asked.destroy()
  }
})
