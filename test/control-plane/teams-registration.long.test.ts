/** A real bot identifies itself at a meeting of Microsoft Teams by the registration that its team stored. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type MockMicrosoftCalendar,
  startMockMicrosoftCalendar,
} from '../../packages/mock/calendars/microsoft/index.ts'
import { startMockMicrosoftTeams } from '../../packages/mock/microsoft-teams/index.ts'
import { WITHOUT_CAMERAS } from '../end-to-end/meeting-script.ts'
import { ServiceProcess } from './service-process.ts'

const LONG = { timeout: 120_000, interval: 200 }
const PATH = '/v2/conf-credentials'

let mock: Awaited<ReturnType<typeof startMockMicrosoftTeams>>
let microsoft: MockMicrosoftCalendar
let service: ServiceProcess
const secrets: string[] = []

beforeAll(async () => {
  mock = await startMockMicrosoftTeams()
  microsoft = await startMockMicrosoftCalendar()
  service = await ServiceProcess.prepare({
    STANDIN_MICROSOFT_LOGIN_URL: microsoft.loginUrl,
    STANDIN_MAP_HOSTS: mock.hosts.map((host) => `${host}=${mock.address}`).join(','),
    STANDIN_LOG_LEVEL: 'debug',
  })
  await service.start()
})

afterAll(async () => {
  await service?.dispose()
  await microsoft?.close()
  await mock?.close()
})

const open = (policy: string) => mock.open(`access-${policy}`, { people: WITHOUT_CAMERAS, speed: 8 })
const detailsOf = async (botId: string) => (await service.call('GET', `/v2/bots/${botId}`)).body.data
const statusOf = async (botId: string) => (await detailsOf(botId))?.status
const eventsOf = async (botId: string) => JSON.stringify((await service.call('GET', `/v2/bots/${botId}/events`)).body)

function registration() {
  const { clientId, clientSecret } = microsoft.tokens
  secrets.push(clientSecret)
  return { tenant_id: 'example.com', client_id: clientId, client_secret: clientSecret }
}

async function send(meeting_url: string): Promise<string> {
  const body = { meeting_url, bot_name: 'Notes for Ann', recording_mode: 'audio_only' }
  const answer = await service.call('POST', '/v2/bots', body)
  expect(answer.status).toBe(201)
  return answer.body.data.bot_id
}

test('a registered bot enters where detected bots are blocked, and joins as a guest while there is no token', async () => {
  microsoft.tokens.clientSecret = 'marker-first-secret'
  const wrong = { name: 'Bot', platform: 'teams', ...registration(), client_secret: 'marker-wrong-secret' }
  const refused = await service.call('POST', PATH, wrong)
  expect(refused).toMatchObject({ status: 400, body: { message: expect.stringContaining('invalid_client') } })
  const made = await service.call('POST', PATH, { name: 'Bot', platform: 'teams', ...registration() })
  expect(made).toMatchObject({ status: 201, body: { data: { platform: 'teams', state: 'active' } } })
  const id = made.body.data.credential_id

  const blocked = open('block-detected')
  const registered = await send(blocked.url)
  await expect.poll(() => statusOf(registered), LONG).toBe('in_call_recording')
  expect(blocked.botToken).toBe('valid')
  expect(await eventsOf(registered)).toContain('as a registered bot')
  // While the bot runs, too.
  expect(await filesWith(microsoft.botTokens.at(-1)!)).toEqual([])

  blocked.endForAll()

  // The provider answers neither the request nor its repetition.
  microsoft.server.script('token', { status: 503, body: 'busy' }, 2)
  const waiting = open('require-approval')
  const guest = await send(waiting.url)
  await expect.poll(() => statusOf(guest), LONG).toBe('in_waiting_room')
  expect(waiting.state).toBe('suspected')
  expect(await eventsOf(guest)).toContain('joins as a guest')

  waiting.deny()

  // Revoked at Microsoft, and stored again.
  microsoft.tokens.clientSecret = 'marker-second-secret'
  const later = open('require-approval')
  const revoked = await send(later.url)
  await expect.poll(() => statusOf(revoked), LONG).toBe('in_waiting_room')
  const now = await service.call('GET', `${PATH}/${id}`)
  expect(now.body.data).toMatchObject({
    state: 'invalid',
    last_error_message: expect.stringContaining('AADSTS7000215'),
  })
  const patched = await service.call('PATCH', `${PATH}/${id}`, registration())
  expect(patched.body.data).toMatchObject({ state: 'active', last_error_message: null })
  later.deny()
  const last = open('require-approval')
  const again = await send(last.url)
  await expect.poll(() => statusOf(again), LONG).toBe('in_call_recording')

  last.endForAll()
  const bots = [registered, guest, revoked, again]
  for (const bot of bots) await expect.poll(() => statusOf(bot), LONG).toMatch(/completed|failed/)
  expect(microsoft.botTokens.length).toBeGreaterThan(3)
  const answers = await Promise.all(
    [`${PATH}`, ...bots.flatMap((bot) => [`/v2/bots/${bot}`, `/v2/bots/${bot}/events`])].map(async (path) =>
      JSON.stringify((await service.call('GET', path)).body),
    ),
  )
  for (const secret of [...secrets, 'marker-wrong-secret', ...microsoft.botTokens]) {
    expect({ secret, found: await filesWith(secret) }).toEqual({ secret, found: [] })
    expect(service.log + service.output + answers.join()).not.toContain(secret)
  }
  expect(await filesWith(registered)).not.toEqual([])
}, 240_000)

/** Below the data folder: recordings, logs, evidence, what launchers keep, and the files of the database. */
async function filesWith(text: string): Promise<string[]> {
  return promisify(execFile)('grep', ['-rlaF', text, service.folder]).then(
    ({ stdout }) => stdout.trim().split('\n'),
    // Files that disappear during the search are temporary ones.
    ({ code, stdout }: { code: number; stdout: string }) =>
      code === 1 || stdout === '' ? [] : stdout.trim().split('\n'),
  )
}
