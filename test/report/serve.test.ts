import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { serveRecordings } from '../../report/serve.ts'
import { temporaryFolder } from '../fakes/temporary-folder.ts'

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
  const server = await serveRecordings(folder)
  onTestFinished(() => server.close())
  return { folder, url: server.url }
}

test('lists the recordings that have a report, with the names of people as text', async () => {
  const { url } = await serve()
  const page = await (await fetch(url)).text()
  expect(page).toContain('href="/bot-1/report.html"')
  expect(page).toContain('Ann &lt;b&gt;Berg&lt;/b&gt;')
  expect(page).not.toContain('unfinished')
})

test('a recording is listed with platform, bot, length and picture, and found by them', async () => {
  const { folder, url } = await serve()
  const list = async (search: string) => (await fetch(`${url}?q=${encodeURIComponent(search)}`)).text()
  expect(await list('')).toContain('<b>Recording</b>')
  const report = { type: 'final_report', meeting_platform: 'teams', bot_name: 'Notes <i>', duration_seconds: 3725.4 }
  const lines = [{ event: { type: 'notice' } }, { event: report }, { event: { type: 'notice' } }]
  const events = lines.map((line) => `${JSON.stringify(line)}\n`).join('')
  writeFileSync(join(folder, 'bot-1', 'events.jsonl'), `${'x'.repeat(300_000)}\n${events}{"half`)
  const page = await list('')
  expect(page).toContain('<b>Microsoft Teams · Notes &lt;i&gt;</b> 01:02:05')
  expect(page).toContain('<video muted preload="metadata" src="/bot-1/video.mp4#t=3">')
  for (const found of ['teams', 'NOTES', 'ann', 'bot-1', ' '])
    expect(await list(found)).toContain('href="/bot-1/report.html"')
  const none = await list('"><script>')
  expect(none).toContain('No recording fits the search.')
  expect(none).toContain('value="&quot;&gt;&lt;script&gt;"')
  expect(none).not.toContain('<script')
})

test('serves files whole and in ranges', async () => {
  const { url } = await serve()
  const report = await fetch(`${url}bot-1/report.html`)
  expect(report.headers.get('content-type')).toBe('text/html; charset=utf-8')
  const part = await fetch(`${url}bot-1/video.mp4`, { headers: { range: 'bytes=2-4' } })
  expect(part.status).toBe(206)
  expect(part.headers.get('content-range')).toBe('bytes 2-4/10')
  expect(await part.text()).toBe('234')
  expect((await fetch(`${url}bot-1/video.mp4`, { headers: { range: 'bytes=20-' } })).status).toBe(416)
})

test('a report runs its own script in a separate origin, and the list runs no script', async () => {
  const { url } = await serve()
  const policy = async (path: string) => (await fetch(`${url}${path}`)).headers.get('content-security-policy')
  const report = await policy('bot-1/report.html')
  expect(report).toMatch(/^sandbox allow-scripts/)
  expect(report).not.toContain('allow-same-origin')
  expect(await policy('')).toContain("default-src 'none'")
})

test.each(['page.html', 'page%2Ehtml', '%70age.html', 'page.HTML', 'page.svg', 'page.xhtml', 'link.html'])(
  'sends the captured page debug/%s as text in a sandbox',
  async (name) => {
    const { folder, url } = await serve()
    for (const other of ['page.HTML', 'page.svg', 'page.xhtml'])
      writeFileSync(join(folder, 'bot-1', 'debug', other), '<script>alert(1)</script>')
    symlinkSync('page.html', join(folder, 'bot-1', 'debug', 'link.html'))
    const answer = await fetch(`${url}bot-1/debug/${name}`)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
    expect(answer.headers.get('content-security-policy')).toBe('sandbox')
  },
)

test('a captured page that is linked as a report stays text', async () => {
  const { folder, url } = await serve()
  mkdirSync(join(folder, 'bot-2'))
  symlinkSync(join(folder, 'bot-1', 'debug', 'page.html'), join(folder, 'bot-2', 'report.html'))
  const answer = await fetch(`${url}bot-2/report.html`)
  expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8')
})

test('a symbolic link that leaves the folder is refused, also in the list', async () => {
  const { folder, url } = await serve()
  const outside = temporaryFolder()
  writeFileSync(join(outside, 'secret.json'), JSON.stringify([{ name: 'Outsider' }]))
  symlinkSync(join(outside, 'secret.json'), join(folder, 'bot-1', 'secret.json'))
  symlinkSync(outside, join(folder, 'bot-1', 'elsewhere'))
  expect((await fetch(`${url}bot-1/secret.json`)).status).toBe(404)
  expect((await fetch(`${url}bot-1/elsewhere/secret.json`)).status).toBe(404)
  rmSync(join(folder, 'bot-1', 'participants.json'))
  symlinkSync(join(outside, 'secret.json'), join(folder, 'bot-1', 'participants.json'))
  expect(await (await fetch(url)).text()).not.toContain('Outsider')
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
  const { url } = await serve()
  const answer = await new Promise<number>((resolve, reject) => {
    request(`${url}`, { path: `/${path}` }, (response) => resolve(response.resume().statusCode ?? 0))
      .on('error', reject)
      .end()
  })
  expect(answer).toBeGreaterThanOrEqual(403)
  expect(answer).toBeLessThanOrEqual(404)
})

test('answers to its own address only, and to questions only', async () => {
  const { url } = await serve()
  const status = (options: object) =>
    new Promise<number>((resolve, reject) => {
      request(url, options, (response) => resolve(response.resume().statusCode ?? 0))
        .on('error', reject)
        .end()
    })
  const { port } = new URL(url)
  expect(await status({ headers: { host: `localhost:${port}` } })).toBe(200)
  expect(await status({ headers: { host: `evil.example:${port}` } })).toBe(421)
  expect(await status({ headers: { host: 'evil.example' } })).toBe(421)
  expect(await status({ method: 'DELETE' })).toBe(405)
})

test('a folder that is not there is said at once', async () => {
  await expect(serveRecordings('/nonexistent/recordings')).rejects.toThrow('ENOENT')
})
