import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { type RequestOptions, request } from 'node:http'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { serveRecordings } from '../../../src/report/serve.ts'
import { temporaryFolder } from '../../fakes/at-end.ts'

async function serve() {
  const folder = temporaryFolder('standin serve ')
  mkdirSync(join(folder, 'bot-1', 'debug'), { recursive: true })
  mkdirSync(join(folder, 'unfinished'))
  const write = (name: string, text: string) => writeFileSync(join(folder, 'bot-1', name), text)
  write('report.html', '<p>report</p>')
  write('video.mp4', '0123456789')
  write('participants.json', JSON.stringify([{ name: 'Ann <b>Berg</b>' }]))
  write('debug/page.html', '<script>alert(1)</script>')
  write('.control-link.json', '{"secret":1}')
  const { url, close } = await serveRecordings(folder)
  onTestFinished(close)
  const get = (path: string, headers: Record<string, string> = {}) => fetch(`${url}${path}`, { headers })
  /** The status of a request that is sent as it is: `fetch` would change its path or host. */
  const status = (options: RequestOptions) =>
    new Promise<number | undefined>((resolve, reject) => {
      request(url, options, (response) => resolve(response.resume().statusCode))
        .on('error', reject)
        .end()
    })
  return { bot: join(folder, 'bot-1'), url, get, status, list: async (query = '') => (await get(query)).text() }
}

test('a recording is listed with people, platform, bot, length and picture, as text, and found by them', async () => {
  const { bot, list } = await serve()
  const before = await list()
  expect(before).toContain('<b>Recording</b>')
  expect(before).toContain('Ann &lt;b&gt;Berg&lt;/b&gt;')
  expect(before).not.toContain('unfinished')
  const report = { type: 'final_report', meeting_platform: 'teams', bot_name: 'Notes <i>', duration_seconds: 3725.4 }
  const lines = [{ event: { type: 'notice' } }, { event: report }, { event: { type: 'notice' } }]
  const events = lines.map((line) => `${JSON.stringify(line)}\n`).join('')
  writeFileSync(join(bot, 'events.jsonl'), `${'x'.repeat(300_000)}\n${events}{"half`)
  const page = await list()
  expect(page).toContain('<b>Microsoft Teams · Notes &lt;i&gt;</b> 01:02:05')
  expect(page).toContain('<video muted preload="metadata" src="/bot-1/video.mp4#t=3">')
  writeFileSync(join(bot, 'poster.jpg'), '')
  expect(await list()).toContain('<img alt="" loading="lazy" src="/bot-1/poster.jpg">')
  for (const found of ['teams', 'NOTES', 'ann', 'bot-1', '%20'])
    expect(await list(`?q=${found}`)).toContain('href="/bot-1/report.html"')
  const none = await list(`?q=${encodeURIComponent('"><script>')}`)
  expect(none).toContain('No recording fits the search.')
  expect(none).toContain('value="&quot;&gt;&lt;script&gt;"')
  expect(none).not.toContain('<script')
})

test('serves files whole and in ranges', async () => {
  const { get } = await serve()
  expect((await get('bot-1/report.html')).headers.get('content-type')).toBe('text/html; charset=utf-8')
  const part = await get('bot-1/video.mp4', { range: 'bytes=2-4' })
  expect([part.status, part.headers.get('content-range'), await part.text()]).toEqual([206, 'bytes 2-4/10', '234'])
  expect((await get('bot-1/video.mp4', { range: 'bytes=20-' })).status).toBe(416)
})

test('a report runs its own script in a separate origin, and the list runs no script', async () => {
  const { get } = await serve()
  const policy = async (path: string) => (await get(path)).headers.get('content-security-policy')
  const report = await policy('bot-1/report.html')
  expect(report).toMatch(/^sandbox allow-scripts/)
  expect(report).not.toContain('allow-same-origin')
  expect(await policy('')).toContain("default-src 'none'")
})

test.each([
  ...['page.html', 'page%2Ehtml', '%70age.html', 'page.HTML', 'page.svg', 'page.xhtml', 'link.html'].map(
    (name) => `bot-1/debug/${name}`,
  ),
  'bot-2/report.html',
])('sends the captured page %s as text in a sandbox', async (path) => {
  const { bot, get } = await serve()
  for (const other of ['page.HTML', 'page.svg', 'page.xhtml'])
    writeFileSync(join(bot, 'debug', other), '<script>alert(1)</script>')
  symlinkSync('page.html', join(bot, 'debug', 'link.html'))
  mkdirSync(join(bot, '../bot-2'))
  symlinkSync('../bot-1/debug/page.html', join(bot, '../bot-2/report.html'))
  const { status, headers } = await get(path)
  expect(status).toBe(200)
  expect(Object.fromEntries(headers)).toMatchObject({
    'content-type': 'text/plain; charset=utf-8',
    'x-content-type-options': 'nosniff',
    'content-security-policy': 'sandbox',
  })
})

test('a symbolic link that leaves the folder is refused, also in the list', async () => {
  const { bot, get, list } = await serve()
  const outside = temporaryFolder()
  writeFileSync(join(outside, 'secret.json'), JSON.stringify([{ name: 'Outsider' }]))
  symlinkSync(join(outside, 'secret.json'), join(bot, 'secret.json'))
  symlinkSync(outside, join(bot, 'elsewhere'))
  expect((await get('bot-1/secret.json')).status).toBe(404)
  expect((await get('bot-1/elsewhere/secret.json')).status).toBe(404)
  rmSync(join(bot, 'participants.json'))
  symlinkSync(join(outside, 'secret.json'), join(bot, 'participants.json'))
  expect(await list()).not.toContain('Outsider')
})

test.each([
  '../../etc/passwd',
  'bot-1/%2e%2e/%2e%2e/x',
  '..%2f..%2fetc%2fpasswd',
  'bot-1/x%00',
  'bot-1/%zz',
  'bot-1/.control-link.json',
  'bot-1/',
  'nothing',
])('gives nothing for /%s', async (path) => {
  const { status } = await serve()
  expect([403, 404]).toContain(await status({ path: `/${path}` }))
})

test('answers to its own address only, and to questions only', async () => {
  const { url, status } = await serve()
  const { port } = new URL(url)
  expect(await status({ headers: { host: `localhost:${port}` } })).toBe(200)
  expect(await status({ headers: { host: `evil.example:${port}` } })).toBe(421)
  expect(await status({ headers: { host: 'evil.example' } })).toBe(421)
  expect(await status({ method: 'DELETE' })).toBe(405)
})

test('a folder that is not there is said at once', async () => {
  await expect(serveRecordings('/nonexistent/recordings')).rejects.toThrow('ENOENT')
})
