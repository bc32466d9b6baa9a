/** Bots of one team reach their meetings through the proxy of the operator's setting; bots of another team do not. */
import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startMockMicrosoftTeams } from '../../packages/mock/microsoft-teams/index.ts'
import { WITHOUT_CAMERAS } from '../end-to-end/meeting-script.ts'
import { type CountingProxy, LOGIN, startCountingProxy } from '../servers/counting-proxy.ts'
import { ServiceProcess } from './service-process.ts'

const LONG = { timeout: 120_000, interval: 200 }

let mock: Awaited<ReturnType<typeof startMockMicrosoftTeams>>
let proxy: CountingProxy
let service: ServiceProcess
let folder: string
let other: { team_id: string; key: string }

beforeAll(async () => {
  mock = await startMockMicrosoftTeams()
  proxy = await startCountingProxy('socks5', (host) => (mock.hosts.includes(host) ? mock.address : undefined))
  folder = await mkdtemp(join(tmpdir(), 'standin-egress-'))
  const file = join(folder, 'egress.json')
  await writeFile(file, '[]')
  service = await ServiceProcess.prepare({
    STANDIN_EGRESS: file,
    STANDIN_MAP_HOSTS: mock.hosts.map((host) => `${host}=${mock.address}`).join(','),
  })
  await service.start()
  const [first] = await service.command<{ team_id: string }[]>('teams', 'list')
  other = await service.command('teams', 'create', 'Another team')
  await service.end('SIGTERM')
  const rules = [
    { team: first!.team_id, platform: 'teams', proxy: proxy.url },
    { team: other.team_id, platform: 'zoom', proxy: 'http://nowhere.invalid:1' },
  ]
  await writeFile(file, JSON.stringify(rules))
  await service.start()
}, 600_000)

afterAll(async () => {
  await service?.dispose()
  await proxy?.close()
  await mock?.close()
  await rm(folder, { recursive: true, force: true })
})

async function send(key: string) {
  const meeting = mock.open('access-allow-all-bots', { people: WITHOUT_CAMERAS, speed: 8 })
  const headers = { 'x-service-api-key': key, 'content-type': 'application/json' }
  const body = JSON.stringify({ meeting_url: meeting.url, bot_name: 'Notes', recording_mode: 'audio_only' })
  const answer = await fetch(`${service.url}/v2/bots`, { method: 'POST', headers, body })
  const { data } = (await answer.json()) as { data: { bot_id: string } }
  const details = async () => {
    const answer = await fetch(`${service.url}/v2/bots/${data.bot_id}`, { headers })
    return ((await answer.json()) as { data: { status: string } }).data
  }
  await expect.poll(async () => (await details()).status, LONG).toBe('in_call_recording')
  return { meeting, details }
}

test('only bots of the team and the platform use its proxy, whose login is in no argument, file or log', async () => {
  const before = proxy.connections.length
  const theirs = await send(other.key)
  expect(proxy.connections.length).toBe(before)
  const ours = await send(await service.key())
  const { connections, refusals } = proxy
  expect(connections.length).toBeGreaterThan(before)
  expect(refusals).toBe(0)
  const secrets = [LOGIN.user, LOGIN.password, encodeURIComponent(LOGIN.password)]
  const processes = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const lines = await Promise.all(processes.map((id) => readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '')))
  for (const secret of secrets) expect(lines.join('\n')).not.toContain(secret)
  for (const { meeting } of [theirs, ours]) meeting.endForAll()
  for (const { details } of [theirs, ours])
    await expect.poll(async () => (await details()).status, LONG).toBe('completed')
  for (const secret of secrets) {
    expect(service.log + service.output).not.toContain(secret)
    expect({ secret, found: await filesWith(secret) }).toEqual({ secret, found: [] })
  }
}, 240_000)

/** Below the data folder: recordings, logs, and the files of the database. */
async function filesWith(text: string): Promise<string[]> {
  return promisify(execFile)('grep', ['-rlaF', text, service.folder]).then(
    ({ stdout }) => stdout.trim().split('\n'),
    ({ stdout }: { stdout: string }) => stdout.trim().split('\n').filter(Boolean),
  )
}
