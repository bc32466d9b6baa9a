/** The recorder's view for tests: Chromium as a kiosk on a virtual screen of 1280x720, and pictures of that screen. */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { chromium, type Page } from 'playwright'
import { silentLogger } from '../../../packages/core/logger.ts'
import { type OwnScript, serveOwnScript } from '../../../platforms/browser/own-script.ts'

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

export type Rgb = [red: number, green: number, blue: number]

export const near = (one: Rgb, other: Rgb, by = 40) =>
  one.every((value, index) => Math.abs(value - other[index]!) <= by)

export interface Screen {
  pixel(x: number, y: number): Rgb
}

interface Region {
  x: number
  y: number
  width: number
  height: number
}
const WHOLE: Region = { x: 0, y: 0, width: 1280, height: 720 }

export interface Kiosk {
  /** Folder of the browser's profile. */
  profile: string
  /** Opens a page of the local server and waits until it has loaded. */
  open(files: Files, query?: string, policy?: string): Promise<Page>
  /** The frame that the recorder gets from the screen now. */
  grab(): Promise<Screen>
  /** Every picture the screen shows until `stop`, 30 in a second, of one region. */
  film(region: Region): Promise<{ stop(): Promise<Buffer[]> }>
  /** Violations of the content security policy and uncaught errors since the last `open`. */
  complaints: string[]
  close(): Promise<void>
}

/** @param entry the script at document start of every page */
export async function openKiosk(entry: string, ownScript?: OwnScript): Promise<Kiosk> {
  const script = await bundle(entry)
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
    ],
  })
  await context.addInitScript(script)
  const first = context.pages()[0] ?? (await context.newPage())
  if (ownScript !== undefined) await serveOwnScript(context, first, ownScript, silentLogger)
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
    profile,
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
    grab: () => grab(screen.display),
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

export async function startScreen(): Promise<{ display: string; stop(): Promise<void> }> {
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

const RAW = ['-f', 'rawvideo', '-pix_fmt', 'rgb24', '-']
const input = (display: string, { x, y, width, height }: Region) => [
  ...['-loglevel', 'error', '-f', 'x11grab', '-draw_mouse', '0', '-framerate', '30'],
  ...['-video_size', `${width}x${height}`, '-i', `${display}+${x},${y}`],
]

export async function grab(display: string): Promise<Screen> {
  const args = [...input(display, WHOLE), '-frames:v', '1', ...RAW]
  const { stdout } = await promisify(execFile)('ffmpeg', args, { encoding: 'buffer', maxBuffer: 16 * 1024 * 1024 })
  return { pixel: pixelsOf(stdout, WHOLE.width) }
}

export function pixelsOf(frame: Buffer, width: number): Screen['pixel'] {
  return (x, y) => [...frame.subarray((y * width + x) * 3, (y * width + x + 1) * 3)] as Rgb
}

async function film(display: string, region: Region): Promise<{ stop(): Promise<Buffer[]> }> {
  const ffmpeg = spawn('ffmpeg', [...input(display, region), ...RAW], { stdio: ['pipe', 'pipe', 'inherit'] })
  const chunks: Buffer[] = []
  ffmpeg.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
  await once(ffmpeg.stdout, 'data')
  return {
    async stop() {
      const ended = once(ffmpeg, 'close')
      ffmpeg.stdin.end('q')
      await ended
      const all = Buffer.concat(chunks)
      const size = region.width * region.height * 3
      return Array.from({ length: Math.floor(all.length / size) }, (_, index) =>
        all.subarray(index * size, (index + 1) * size),
      )
    },
  }
}
