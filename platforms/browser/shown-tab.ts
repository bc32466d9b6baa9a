/**
 * A page that a caller named, in a tab of the bot's browser: apart from the meeting's cookies and storage, with the microphone as
 * its one permission, behind a guard of its requests, and watched. What is wrong with it ends this tab and nothing else.
 */
import { readFile } from 'node:fs/promises'
import { setPriority } from 'node:os'
import { systemClock, within } from '@standin/wire/time/deadline.ts'
import type { Browser, BrowserContext, CDPSession, Page, Request } from 'playwright'
import type { Logger } from '../../packages/core/logger.ts'
import { CAPTURE_SAMPLE_RATE } from '../../packages/core/meeting/capture-sample-rate.ts'
import { addCarrier, type ContextOptions, countTraffic, refuseOtherPages } from './bot-browser.ts'
import { openPageGuard, type PageGuard } from './page-guard.ts'

export interface ShownTabParts {
  browser: Browser
  /** Title of the tab while `capture` runs. */
  mark: string
  /** Captures the tab with that title. Rejects if that is not possible. */
  capture(): Promise<void>
  url: string
  /** See `openPageGuard`. */
  isPermitted: (address: string) => boolean
  upstreamProxy: string | null
  /** Runs in every document before its own scripts; `channel` is its function to the driver, and the event that it listens to. */
  script: { channel: string; source: string }
  onCarried(payload: string, tab: ShownTab): void
  /** The tab was ended, for a reason in one sentence. Not called when the browser itself ended. */
  onEnded(reason: string): void
  onTraffic: ContextOptions['onTraffic']
  signal: AbortSignal
  logger: Logger
  limits?: Partial<typeof LIMITS>
}

const SIZE = { width: 1280, height: 720 }
const LIMITS = {
  loadMs: 30_000,
  lookEveryMs: 2000,
  /** A page that does not answer for so long hangs. */
  answerMs: 10_000,
  /** Of its renderers together: memory that they share with no other process. */
  bytes: 600 * 1024 * 1024,
  /** Documents within `loopMs`: a page that loads itself more often is caught in a loop. */
  loads: 10,
  loopMs: 10_000,
  /** Requests, lines of its console and errors a second: each of them is work of the bot's own process. */
  noise: 1000,
  /** Other pages that it opens; each is closed at once. */
  popUps: 10,
}
const CLOSE_MS = 5000
/** Below the meeting and the recorder (`nice`). */
const LOW_PRIORITY = 10
const PAGE_BYTES = 4096
/** Frames of a page whose processes are looked at. */
const MAX_FRAMES = 10
/** Calls of the script that the page has not answered; more of them are dropped. */
const MAX_WAITING = 50
/** Bytes of sound that wait for a page that is busy: 200 ms. Older sound is dropped. */
const MAX_SOUND = (CAPTURE_SAMPLE_RATE / 5) * 2

/** Rejects with a sentence if the page cannot be shown; nothing is left of it then. */
export async function openShownTab(parts: ShownTabParts): Promise<ShownTab> {
  const { browser, mark, isPermitted, upstreamProxy, script, url, signal } = parts
  const guard = await openPageGuard(isPermitted, upstreamProxy)
  const context = await browser
    .newContext({ viewport: SIZE, proxy: guard.proxy, acceptDownloads: false, permissions: ['microphone'] })
    .catch(async (error) => {
      await guard.close()
      throw error
    })
  const tab = new ShownTab(parts, context, guard)
  signal.addEventListener('abort', () => void tab.close(), { once: true })
  try {
    await context.addInitScript({ content: script.source })
    const page = await tab.open()
    // Before the page itself, which must not know the mark.
    await page.setContent(`<title>${mark}</title>`)
    await parts.capture()
    signal.throwIfAborted()
    await tab.load(page, url)
    signal.throwIfAborted()
    return tab
  } catch (error) {
    await tab.close()
    throw error
  }
}

export class ShownTab {
  readonly #parts: ShownTabParts
  readonly #limits: typeof LIMITS
  readonly #context: BrowserContext
  readonly #guard: PageGuard
  /** Processes that the page has or had. */
  readonly #renderers = new Set<number>()
  /** Of the page, and of the browser. */
  #own: CDPSession | null = null
  #whole: CDPSession | null = null
  #page: Page | null = null
  #loads: number[] = []
  #popUps = 0
  #noise = { second: 0, count: 0 }
  #waiting = 0
  #sound: Buffer[] = []
  #isHearing = false
  #isLoaded = false
  #ended: string | null = null
  #closing: Promise<void> | null = null
  readonly #over = new AbortController()

  constructor(parts: ShownTabParts, context: BrowserContext, guard: PageGuard) {
    this.#parts = parts
    this.#limits = { ...LIMITS, ...parts.limits }
    this.#context = context
    this.#guard = guard
  }

  async open(): Promise<Page> {
    const { script, onCarried, onTraffic, logger } = this.#parts
    if (onTraffic !== undefined) countTraffic(this.#context, onTraffic)
    const page = await this.#context.newPage()
    this.#page = page
    this.#own = await this.#context.newCDPSession(page)
    refuseOtherPages(this.#context, logger)
    await addCarrier(this.#context, page, script.channel, (payload) => onCarried(payload, this))
    return page
  }

  /** Rejects with a sentence if there is no document at the address, or its requests are refused. */
  async load(page: Page, url: string): Promise<void> {
    const { popUps } = this.#limits
    for (const event of ['request', 'console', 'pageerror'] as const)
      page.on(event as 'request', () => this.#hearNoise())
    page.on('popup', () => ++this.#popUps > popUps && this.#end('it opened other pages again and again.'))
    page.on('crash', () => this.#end('it crashed.'))
    page.on('close', () => this.#end('its tab was closed.'))
    page.on('request', (request) => this.#countLoad(request))
    page.on('requestfailed', (request) => this.#judge(request))
    page.on('response', (response) => response.status() === 403 && this.#judge(response.request()))
    const host = new URL(url).host
    const answer = await page
      .goto(url, { waitUntil: 'domcontentloaded', timeout: this.#limits.loadMs })
      .catch((error) => {
        throw new Error(this.#ended ?? `The page of ${host} did not load: ${reasonOf(error)}`)
      })
    if (this.#ended !== null) throw new Error(this.#ended)
    if (answer !== null && answer.status() >= 400)
      throw new Error(`The page of ${host} did not load: the server answered ${answer.status()}`)
    this.#isLoaded = true
    void this.#watch(page)
  }

  /** Calls the page's script. What it does not take in time is dropped. */
  call(method: string, ...given: unknown[]): void {
    if (this.#page === null || this.#ended !== null || this.#waiting >= MAX_WAITING) return
    this.#waiting++
    this.#page
      .evaluate(callScript, { channel: this.#parts.script.channel, method, given })
      // Between two documents there is none to call.
      .catch(() => {})
      .finally(() => this.#waiting--)
  }

  /**
   * Hands mono PCM at `CAPTURE_SAMPLE_RATE`, signed 16 bit little-endian, to the page's script. One call at a time: what comes
   * while the page is busy follows in one piece.
   */
  hear(sound: Buffer): void {
    this.#sound.push(sound)
    if (!this.#isHearing) void this.#handSound()
  }

  async #handSound(): Promise<void> {
    this.#isHearing = true
    while (this.#sound.length > 0 && this.#ended === null) {
      const pcm = Buffer.concat(this.#sound.splice(0)).subarray(-MAX_SOUND).toString('base64')
      const detail = JSON.stringify({ method: 'hear', given: [pcm] })
      // Fifty times a second: Playwright's own call takes several times as long.
      const expression = `document.dispatchEvent(new CustomEvent('${this.#parts.script.channel}', { detail: ${detail} }))`
      await this.#own?.send('Runtime.evaluate', { expression }).catch(() => {})
    }
    this.#isHearing = false
  }

  /** Repeatable, never rejects. */
  close(): Promise<void> {
    this.#ended ??= 'It was closed.'
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    this.#over.abort()
    const late = () => new Error('The tab did not close in time')
    await within(systemClock, CLOSE_MS, this.#context.close(), late).catch((error) =>
      this.#parts.logger.warn('A shown page did not close', { error }),
    )
    await this.#whole?.detach().catch(() => {})
    await this.#guard.close()
  }

  #end(reason: string): void {
    if (this.#ended !== null) return
    const { browser, onEnded, logger } = this.#parts
    this.#ended = `The page ended: ${reason}`
    // The meeting's own watch says that the browser is gone.
    if (!browser.isConnected()) return
    logger.warn('A shown page was ended', { reason })
    void this.close()
    // Who loads it gets the reason.
    if (this.#isLoaded) onEnded(reason)
  }

  #hearNoise(): void {
    const second = Math.floor(systemClock.now() / 1000)
    this.#noise = this.#noise.second === second ? { second, count: this.#noise.count + 1 } : { second, count: 1 }
    const { noise } = this.#limits
    if (this.#noise.count > noise)
      this.#end(`it made more than ${noise} requests and lines of its console in a second.`)
  }

  #isDocument(request: Request): boolean {
    return request.isNavigationRequest() && request.frame() === this.#page?.mainFrame()
  }

  #countLoad(request: Request): void {
    if (!this.#isDocument(request)) return
    const { loads, loopMs } = this.#limits
    const now = systemClock.now()
    this.#loads = [...this.#loads.filter((at) => now - at < loopMs), now]
    if (this.#loads.length > loads) this.#end(`it loaded ${this.#loads.length} documents within ${loopMs / 1000} s.`)
  }

  #judge(request: Request): void {
    if (!this.#isDocument(request)) return
    const { hostname } = new URL(request.url())
    if (this.#guard.hasRefused(hostname)) this.#end(`it went to ${hostname}, which a shown page must not reach.`)
  }

  async #watch(page: Page): Promise<void> {
    const { answerMs, lookEveryMs, bytes } = this.#limits
    while (this.#ended === null) {
      try {
        const isHung = await within(systemClock, answerMs, this.#tame(page), () => new Hung()).then(
          () => false,
          (error) => error instanceof Hung,
        )
        if (isHung) return this.#end(`it did not answer for ${answerMs / 1000} s.`)
        const sizes = await Promise.all([...this.#renderers].map(ownBytes))
        const taken = sizes.reduce((sum, size) => sum + size, 0)
        if (taken > bytes) return this.#end(`it takes ${mebibytes(taken)} MiB, and may take ${mebibytes(bytes)} MiB.`)
        await systemClock.sleep(lookEveryMs, this.#over.signal)
      } catch (error) {
        if (this.#ended === null) this.#parts.logger.debug('A shown page could not be looked at', { error })
      }
    }
  }

  /** Asks the page, and finds the processes that it has now; another site, in a frame too, is another process. */
  async #tame(page: Page): Promise<void> {
    const frames = page.frames().slice(1, MAX_FRAMES)
    // A frame of the page's own site has no session of its own.
    const others = await Promise.all(frames.map((frame) => this.#context.newCDPSession(frame).catch(() => null)))
    try {
      for (const session of [this.#own, ...others]) {
        const id = session && (await this.#processOf(session))
        if (id === null || this.#renderers.has(id)) continue
        this.#renderers.add(id)
        lower(id)
      }
    } finally {
      for (const session of others) session?.detach().catch(() => {})
    }
  }

  /**
   * The protocol names no process of a page. But the page's own processor time is that of exactly one process; null while two have
   * the same.
   */
  async #processOf(session: CDPSession): Promise<number | null> {
    await session.send('Performance.enable')
    const before = await this.#processes()
    const { metrics } = await session.send('Performance.getMetrics')
    const after = await this.#processes()
    const time = metrics.find(({ name }) => name === 'ProcessTime')?.value ?? -1
    const fits = [...after].filter(([id, until]) => (before.get(id) ?? until) <= time && time <= until)
    return fits.length === 1 ? fits[0]![0] : null
  }

  /** Processor time of each renderer of the browser. Seconds. */
  async #processes(): Promise<Map<number, number>> {
    this.#whole ??= await this.#parts.browser.newBrowserCDPSession()
    const { processInfo } = await this.#whole.send('SystemInfo.getProcessInfo')
    return new Map(processInfo.flatMap(({ type, id, cpuTime }) => (type === 'renderer' ? [[id, cpuTime]] : [])))
  }
}

class Hung extends Error {}

/** Runs in the page: it can use its argument only. */
function callScript(call: { channel: string; method: string; given: unknown[] }): void {
  document.dispatchEvent(new CustomEvent(call.channel, { detail: call }))
}

/** Zero for a process that ended. */
async function ownBytes(id: number): Promise<number> {
  const text = await readFile(`/proc/${id}/statm`, 'utf8').catch(() => '')
  const [, resident = 0, shared = 0] = text.split(' ').map(Number)
  return (resident - shared) * PAGE_BYTES
}

function lower(id: number): void {
  try {
    setPriority(id, LOW_PRIORITY)
  } catch {
    // It ended meanwhile.
  }
}

const mebibytes = (bytes: number) => Math.round(bytes / 1024 / 1024)

/** Without what Playwright adds. */
const reasonOf = (error: Error) =>
  error.message
    .split('\n')[0]!
    .replace(/^page\.goto: /, '')
    .replace(/ at https?:\/\/\S+$/, '')
