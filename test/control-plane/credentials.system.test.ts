/** A conferencing user is connected, and a real bot joins a meeting of another account with a token of that user. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { packageRoot } from '../../packages/core/process/page-scripts.ts'
import { startMockZoom } from '../../packages/mock/zoom/index.ts'
import { ledgerOf, MOCK_APP } from '../../packages/mock/zoom/sdk/index.ts'
import { type StandInUser, startZoomOauth, type ZoomOauth } from '../../packages/mock/zoom-oauth/index.ts'
import { speak, WITHOUT_CAMERAS } from '../end-to-end/meeting-script.ts'
import { compiledOnce } from '../servers/program-environment.ts'
import { ServiceProcess } from './service-process.ts'

const LONG = { timeout: 120_000, interval: 200 }
const STUB = join(packageRoot, 'test/control-plane/stub-sdk.ts')
const BOT_COMMAND = compiledOnce(
  `${process.execPath} --import ${STUB} ${join(packageRoot, 'src/cli/index.ts')} join --json`,
)

let mock: Awaited<ReturnType<typeof startMockZoom>>
let zoom: ZoomOauth
let service: ServiceProcess
let user: StandInUser
/** Every token that the stand-in gave out. */
const given: string[] = []

beforeAll(async () => {
  mock = await startMockZoom()
  zoom = await startZoomOauth({
    issueUserToken(kind, user, meetingNumber) {
      const token = ledgerOf(mock).issue(kind, user.id, { meetingNumber })
      given.push(token)
      return token
    },
  })
  zoom.addApp({ clientId: MOCK_APP.id, clientSecret: MOCK_APP.secret })
  user = zoom.addUser({ id: 'ann', email: 'ann@example.com', firstName: 'Ann', lastName: 'Host' })
  service = await ServiceProcess.prepare({
    STANDIN_ZOOM_URL: zoom.url,
    STANDIN_BOT_COMMAND: BOT_COMMAND,
    STANDIN_MAP_HOSTS: mock.hosts.map((host) => `${host}=${mock.address}`).join(','),
  })
  await service.start()
})

afterAll(async () => {
  await service?.dispose()
  await zoom?.close()
  await mock?.close()
})

const detailsOf = async (botId: string) => (await service.call('GET', `/v2/bots/${botId}`)).body.data
const statusOf = async (botId: string) => (await detailsOf(botId))?.status

async function connect(): Promise<string> {
  const app = zoom.account.apps[0]!
  const { status, body } = await service.call('POST', '/v2/conf-credentials', {
    name: 'Ann',
    client_id: app.clientId,
    client_secret: app.clientSecret,
    authorization_code: zoom.allow(app, user),
    redirect_uri: app.redirectUris[0]!,
  })
  expect({ status, state: body.data?.state }).toEqual({ status: 201, state: 'active' })
  return body.data.credential_id
}

async function send(meetingUrl: string, conf_config: object): Promise<string> {
  const { status, body } = await service.call('POST', '/v2/bots', {
    meeting_url: meetingUrl,
    bot_name: 'Notes for Ann',
    conf_config,
  })
  expect(status).toBe(201)
  return body.data.bot_id
}

test('a bot that comes before its user waits with a fresh token for each try, and records when the user is there', async () => {
  const credentialId = await connect()
  const [ann, ...others] = WITHOUT_CAMERAS
  // Without the credential's token this meeting of another account is closed.
  const meeting = mock.open('sdk-anonymous-4012', { people: others })
  const botId = await send(meeting.url, { credential_id: credentialId })
  await expect.poll(() => given.length, LONG).toBeGreaterThan(1)
  meeting.addPerson(ann!)
  await expect.poll(() => statusOf(botId), LONG).toBe('in_call_recording')
  expect(new Set(given).size).toBe(given.length)
  // The bot has deleted its job after reading it, and runs on.
  const secrets = [...given, MOCK_APP.secret]
  for (const secret of secrets) expect({ secret, found: await filesWith(secret) }).toEqual({ secret, found: [] })
  expect(zoom.requests.at(-1)?.query.meeting_id).toMatch(/^\d{9,12}$/)
  await speak(meeting, 'ann', 3)
  meeting.endForAll()
  await expect.poll(() => statusOf(botId), LONG).toBe('completed')
  expect((await detailsOf(botId)).video).toEqual(expect.any(String))

  // No secret of the job is in a file of the bot or in a log line of the service.
  expect(given).toEqual(secrets.slice(0, -1))
  for (const secret of secrets) {
    expect({ secret, found: await filesWith(secret) }).toEqual({ secret, found: [] })
    expect(service.log + service.output).not.toContain(secret)
  }
  expect(await filesWith(botId)).not.toEqual([])
})

/** Below the data folder: recordings, logs, what launchers keep, and the files of the database. */
async function filesWith(text: string): Promise<string[]> {
  return promisify(execFile)('grep', ['-rlaF', text, service.folder]).then(
    ({ stdout }) => stdout.trim().split('\n'),
    // Files that disappear during the search are temporary ones.
    ({ code, stdout }: { code: number; stdout: string }) =>
      code === 1 || stdout === '' ? [] : stdout.trim().split('\n'),
  )
}

test('a credential that its user took back ends the bot with its code and what helps', async () => {
  const credentialId = await connect()
  zoom.account.revoke(() => true)
  const botId = await send('https://zoom.us/j/88240852079', { credential_id: credentialId })
  await expect.poll(() => statusOf(botId), LONG).toBe('failed')
  expect(await detailsOf(botId)).toMatchObject({
    error_code: 'CONF_OBF_TOKEN_ERROR',
    error_message: expect.stringContaining('Its user has to authorize the app again.'),
  })
  const { body } = await service.call('GET', `/v2/conf-credentials/${credentialId}`)
  expect(body.data).toMatchObject({ state: 'invalid', last_error_message: expect.stringContaining('invalid_grant') })
})
