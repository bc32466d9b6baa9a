/**
 * Takes the pictures of the documentation: `npm run pictures` starts a service, sends a bot into the built-in mock meeting and
 * photographs the dashboard. `docs/pictures/meeting.webp` is a moving picture of the same meeting, `terminal.webp` one of
 * `standin demo`. The word `terminal` or `dashboard` makes only these. Needs Chromium and ffmpeg.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium, type Page } from 'playwright'
import { filmTerminal } from './film-terminal.ts'

const root = join(import.meta.dirname, '..')
const pictures = join(root, 'docs', 'pictures')
const WIDE = { width: 1400, height: 860 }
/** Seconds of the meeting that the moving picture shows, and its pictures a second. */
const [MOVING_SECONDS, RATE] = [24, 2]
const LONG = { timeout: 180_000 }

const folder = mkdtempSync(join(tmpdir(), 'standin-pictures-'))
// PostgreSQL runs as another user if root starts the service.
chmodSync(folder, 0o755)
try {
  mkdirSync(pictures, { recursive: true })
  if (process.argv[2] !== 'dashboard') await takeTerminal()
  if (process.argv[2] !== 'terminal') await takeDashboard()
} finally {
  rmSync(folder, { recursive: true, force: true })
}

async function takeTerminal(): Promise<void> {
  const browser = await launchBrowser()
  try {
    const frames = mkdtempSync(join(folder, 'terminal-'))
    const film = { command: 'standin demo', run: `${join(root, 'bin', 'standin')} demo`, cwd: folder, folder: frames }
    const { rate } = await filmTerminal(browser, film)
    // Letters on one ground are smallest without loss.
    movingPicture(join(frames, 'film-%03d.png'), rate, 'terminal.webp', '-lossless', '1', '-compression_level', '6')
  } finally {
    await browser.close()
  }
}

async function takeDashboard(): Promise<void> {
  const service = spawn(join(root, 'bin', 'standin'), ['service', '--port', '0'], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  try {
    await photograph(await signInLink(service))
  } finally {
    service.kill()
    if (service.exitCode === null) await once(service, 'exit')
  }
}

function launchBrowser() {
  return chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] })
}

async function signInLink({ stderr }: ChildProcess): Promise<string> {
  let text = ''
  for await (const piece of stderr!) {
    text += piece
    if (text.includes('Service ready')) break
  }
  if (!text.includes('Service ready')) throw new Error(`The service did not start: ${text}`)
  stderr!.resume()
  const words = ['service', 'people', 'link', '--json']
  const made = JSON.parse(execFileSync(join(root, 'bin', 'standin'), words, { cwd: folder, encoding: 'utf8' }))
  return made.sign_in_link
}

async function photograph(link: string): Promise<void> {
  const browser = await launchBrowser()
  try {
    const context = await browser.newContext({ viewport: WIDE, colorScheme: 'light' })
    const page = await context.newPage()
    await page.goto(link)
    await page.getByRole('heading', { name: 'First steps' }).waitFor(LONG)
    await savePicture(page, 'first-steps')
    const dashboard = new URL('/dashboard', page.url()).href
    const bot = await sendBot(dashboard)
    await page.goto(`${dashboard}/bots/${bot}`)
    // The badge of the state, and the same word in the milestones.
    await page.getByText('Recording', { exact: true }).first().waitFor(LONG)
    await page.locator('img').first().waitFor(LONG)
    // The second person in the transcript: by then the picture shows the meeting.
    await page.locator('main').getByText('Bob Berg').nth(1).waitFor(LONG)
    await savePicture(page, 'live')
    await film(page)
    await page.getByText('Completed', { exact: true }).first().waitFor(LONG)
    await page.reload()
    await page.waitForFunction(() => (document.querySelector('video')?.readyState ?? 0) > 1, undefined, LONG)
    await settle(page)
    await savePicture(page, 'meeting')
    for (const [name, path] of [
      ['meetings', '/bots'],
      ['usage', '/usage'],
    ] as const) {
      await page.goto(`${dashboard}${path}`)
      await settle(page)
      await savePicture(page, name)
    }
  } finally {
    await browser.close()
  }
}

async function sendBot(dashboard: string): Promise<string> {
  const key = readFileSync(join(folder, 'service-data', 'api-key'), 'utf8').trim()
  const answer = await fetch(new URL('/v2/bots', dashboard), {
    method: 'POST',
    headers: { 'x-service-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify({
      meeting_url: 'https://meet.google.com/dem-omee-tin',
      bot_name: 'Notes for Ann',
      entry_message: 'Hello, I take notes for Ann.',
      transcription_enabled: true,
      transcription_config: { provider: 'captions' },
    }),
  })
  if (!answer.ok) throw new Error(`The bot was refused: ${await answer.text()}`)
  return ((await answer.json()) as { data: { bot_id: string } }).data.bot_id
}

/** A page keeps its connection for live updates, so its network is never idle. */
async function settle(page: Page): Promise<void> {
  await page.locator('main h1').first().waitFor(LONG)
  await page.waitForFunction(() => document.querySelector('.skeleton') === null, undefined, LONG)
  await page.waitForTimeout(1000)
}

/** Lossless, and as small as PNG gets with 256 colors. */
async function savePicture(page: Page, name: string): Promise<void> {
  const taken = join(folder, `${name}.png`)
  await page.screenshot({ path: taken })
  const palette = 'split[a][b];[a]palettegen=max_colors=255[p];[b][p]paletteuse=dither=none'
  ffmpeg('-i', taken, '-vf', palette, join(pictures, `${name}.png`))
}

async function film(page: Page): Promise<void> {
  for (let index = 0; index < MOVING_SECONDS * RATE; index += 1) {
    await page.screenshot({ path: join(folder, `film-${String(index).padStart(3, '0')}.png`) })
    await page.waitForTimeout(1000 / RATE)
  }
  movingPicture(join(folder, 'film-%03d.png'), RATE * 2, 'meeting.webp', '-vf', 'scale=1000:-1', '-quality', '70')
}

function movingPicture(frames: string, rate: number, name: string, ...options: string[]): void {
  const input = ['-framerate', String(rate), '-i', frames]
  ffmpeg(...input, ...options, '-loop', '0', join(pictures, name))
}

function ffmpeg(...options: string[]): void {
  execFileSync('ffmpeg', ['-v', 'error', '-y', ...options], { stdio: 'inherit' })
}
