/** The recorder's view for tests: Chromium as a kiosk on a virtual screen of 1280x720, and pictures of that screen. */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { type BrowserContext, chromium, type Page } from 'playwright'
import { silentLogger } from '../../../core/logger.ts'
import { type OwnScript, serveOwnScript } from '../../../platforms/browser/own-script.ts'

const here = dirname(fileURLToPath(import.meta.url))

/** As strict as the real pages, and a little more. */
const STRICT_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "media-src 'self'",
  "worker-src 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

export interface Files {
  [path: string]: { type: string; body: string }
}

export interface Screen {
  /** RGB, three bytes for each pixel. */
  pixel(x: number, y: number): [number, number, number]
}

export interface Kiosk {
  context: BrowserContext
  /** Folder of the browser's profile. */
  profile: string
  display: string
  /** Opens a page of the local server and waits until it has loaded. */
  open(files: Files, query?: string, policy?: string): Promise<Page>
  /** The frame that the recorder gets from the screen now. */
  grab(): Promise<Screen>
  /** The same as a file, to look at. */
  savePng(path: string): Promise<void>
  /** Every picture the screen shows until `stop`, 30 in a second, of one region. */
  film(region: { x: number; y: number; width: number; height: number }): Promise<{ stop(): Promise<Buffer[]> }>
  /** Violations of the content security policy and uncaught errors since the last `open`. */
  complaints: string[]
  close(): Promise<void>
}

export async function openKiosk(
  options: { entry?: string; flags?: string[]; ownScript?: OwnScript } = {},
): Promise<Kiosk> {
  const script = await bundle(options.entry ?? join(here, 'page', 'harness.entry.ts'))
  const screen = await startScreen()
  const profile = await mkdtemp(join(tmpdir(), 'standin-kiosk-'))
  const context = await chromium.launchPersistentContext(profile, {
    viewport: null,
    executablePath: '/usr/bin/chromium',
    headless: false,
    env: { ...process.env, DISPLAY: screen.display } as Record<string, string>,
    ignoreDefaultArgs: ['--enable-automation'],
    args: [
      '--no-sandbox',
      '--test-type',
      '--kiosk',
      '--window-position=0,0',
      '--window-size=1280,720',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--autoplay-policy=no-user-gesture-required',
      '--allow-loopback-in-peer-connection',
      ...(options.flags ?? []),
    ],
  })
  await context.addInitScript(script)
  const first = context.pages()[0] ?? (await context.newPage())
  if (options.ownScript !== undefined) await serveOwnScript(context, first, options.ownScript, silentLogger)
  const complaints: string[] = []
  let files: Files = {}
  let policy = STRICT_POLICY
  const server = createServer((request, response) => {
    const found = files[new URL(request.url ?? '/', 'http://local').pathname]
    if (!found) return void response.writeHead(404).end()
    response.writeHead(200, { 'content-type': found.type, 'content-security-policy': policy }).end(found.body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo

  return {
    context,
    profile,
    display: screen.display,
    complaints,
    async open(wanted, query = '', pagePolicy = STRICT_POLICY) {
      policy = pagePolicy
      files = { '/favicon.ico': { type: 'image/png', body: '' }, ...wanted }
      complaints.length = 0
      // The first page is the one in the kiosk's window.
      const page = context.pages()[0] ?? (await context.newPage())
      page.removeAllListeners()
      page.on('pageerror', (error) => complaints.push(String(error)))
      page.on('console', (message) => {
        if (message.type() === 'error') complaints.push(message.text())
      })
      await page.goto(`http://127.0.0.1:${port}/${query}`)
      return page
    },
    async grab() {
      const raw = await grabFrame(screen.display, ['-f', 'rawvideo', '-pix_fmt', 'rgb24'])
      return {
        pixel(x, y) {
          const at = (y * 1280 + x) * 3
          return [raw[at]!, raw[at + 1]!, raw[at + 2]!]
        },
      }
    },
    async savePng(path) {
      await grabFrame(screen.display, ['-y', '-update', '1', path], true)
    },
    film: (region) => film(screen.display, region),
    async close() {
      await context.close()
      server.closeAllConnections()
      server.close()
      await screen.stop()
      await rm(profile, { recursive: true, force: true, maxRetries: 3 })
    },
  }
}

async function bundle(entry: string): Promise<string> {
  const result = await build({
    entryPoints: [entry],
    bundle: true,
    format: 'iife',
    target: 'chrome120',
    charset: 'utf8',
    write: false,
  })
  return result.outputFiles[0]!.text
}

async function startScreen(): Promise<{ display: string; stop(): Promise<void> }> {
  const server = spawn('Xvfb', ['-displayfd', '3', '-screen', '0', '1280x720x24', '-nolisten', 'tcp'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  })
  const [number] = await once(server.stdio[3]!, 'data')
  return {
    display: `:${String(number).trim()}`,
    async stop() {
      const ended = once(server, 'exit')
      server.kill()
      await ended
    },
  }
}

const input = (display: string, x = 0, y = 0, width = 1280, height = 720) => [
  ...['-loglevel', 'error', '-f', 'x11grab', '-draw_mouse', '0', '-framerate', '30'],
  ...['-video_size', `${width}x${height}`, '-i', `${display}+${x},${y}`],
]

async function grabFrame(display: string, output: string[], toFile = false): Promise<Buffer> {
  const args = [...input(display), '-frames:v', '1', ...output, ...(toFile ? [] : ['-'])]
  const { stdout } = await promisify(execFile)('ffmpeg', args, { encoding: 'buffer', maxBuffer: 16 * 1024 * 1024 })
  return stdout
}

async function film(
  display: string,
  { x, y, width, height }: { x: number; y: number; width: number; height: number },
): Promise<{ stop(): Promise<Buffer[]> }> {
  const args = [...input(display, x, y, width, height), '-f', 'rawvideo', '-pix_fmt', 'rgb24', '-']
  const ffmpeg = spawn('ffmpeg', args, { stdio: ['pipe', 'pipe', 'inherit'] })
  const chunks: Buffer[] = []
  ffmpeg.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
  await once(ffmpeg.stdout, 'data')
  return {
    async stop() {
      const ended = once(ffmpeg, 'close')
      ffmpeg.stdin.end('q')
      await ended
      const all = Buffer.concat(chunks)
      const size = width * height * 3
      return Array.from({ length: Math.floor(all.length / size) }, (_, index) =>
        all.subarray(index * size, (index + 1) * size),
      )
    },
  }
}
