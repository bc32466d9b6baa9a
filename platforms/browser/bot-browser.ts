/** A Chromium context for one bot: its page, its console, the reason of its end, and the data that its scripts send. */
import { systemClock, within } from '@standin/wire/time/deadline.ts'
import type { BrowserContext, Page, Request, WebSocket } from 'playwright'
import type { Logger } from '../../packages/core/logger.ts'
import type { CaptureEnvironment } from '../../packages/core/ports.ts'
import type { CpuWaits } from './cpu-waits.ts'
import { type OwnScript, serveOwnScript } from './own-script.ts'

export interface BotBrowser {
  context: BrowserContext
  page: Page
  /** Console lines and errors of the page, newest last. */
  console: readonly string[]
  /** Null while it runs; afterwards why it ended, in words. */
  readonly ended: string | null
  /** Resolves when the page crashed or the browser is gone. */
  whenEnded: Promise<string>
  /** The listener gets the data that the page sends by the `carrier`, as it comes. One listener at a time. */
  onCarried(listener: (payload: string) => void): void
  /**
   * Path of the file of `bytes` bytes in the storage of pages (the origin private file system) that begins with `mark`;
   * null if there is none.
   */
  storedFile(mark: Uint8Array, bytes: number): Promise<string | null>
  /** CPU waits of the browser's renderers; empty if they are unknown. Never rejects. */
  cpuWaits(): Promise<CpuWaits>
  /** A clause about the latest request that the operator's proxy did not pass on; null without such a request. */
  proxyProblem(): string | null
  /** A tab with this in its title is the one that a page gets which captures a tab; null if none is. */
  readonly tabMark: string | null
  /** The browser's first process; null if other bots share it. */
  readonly processId: number | null
  /** Repeatable, never rejects. */
  close(): Promise<void>
}

/** The part of `BrowserOptions` that a context needs, in a new browser as well as in a shared one. */
export interface ContextOptions {
  /** Names of `plugins.ts`; default none. */
  plugins?: readonly string[]
  /** Origins that may use camera and microphone without asking. */
  mediaOrigins?: readonly string[]
  /**
   * Whether pages of these origins may reach private addresses from public ones (Chromium's Local Network Access). If not,
   * Chromium refuses it, and the log says so once for each host. Default: they may.
   */
  mayReachPrivate?: boolean
  /** Runs in every page before its own scripts. */
  initScript?: string
  /**
   * Name of a function that every document has at its start and that calls the listener of `onCarried`; the script
   * removes it.
   */
  carrier?: string
  /** `BotBrowser.tabMark`; default none. */
  tabMark?: string | undefined
  /** The script from which workers of the init script start. */
  ownScript?: OwnScript
  /** Bytes of HTTP and WebSockets since the last call. Default: they are not counted. */
  onTraffic?: NoteTraffic | undefined
  logger: Logger
}

/** The process behind a context. */
export interface BrowserProcess extends Pick<BotBrowser, 'processId' | 'storedFile' | 'cpuWaits' | 'proxyProblem'> {
  /** Runs once, after the context was closed or did not close in time. Never rejects. */
  cleanUp(): Promise<void>
}

const CLOSE_MS = 5000
const CONSOLE_LINES = 500
const CONSOLE_LINE_LENGTH = 2000

/** Rejects when the browser breaks meanwhile; then the caller has to close the context. */
export async function botBrowserOf(
  context: BrowserContext,
  { processId, storedFile, cpuWaits, proxyProblem, cleanUp }: BrowserProcess,
  environment: CaptureEnvironment,
  options: ContextOptions,
): Promise<BotBrowser> {
  const { mayReachPrivate = true, mediaOrigins = [] } = options
  const permissions = ['camera', 'microphone', ...(mayReachPrivate ? ['local-network-access'] : [])]
  // What is not granted to an origin is refused then, without a question to the person that is not there.
  for (const origin of mediaOrigins) await context.grantPermissions(permissions, { origin })
  if (options.initScript !== undefined) await context.addInitScript({ content: options.initScript })
  if (options.onTraffic !== undefined) countTraffic(context, options.onTraffic)
  // The first page of a persistent context does not get plugins.
  const first = context.pages()[0]
  const page = first && (options.plugins ?? []).length === 0 ? first : await context.newPage()
  if (first && first !== page) await first.close()
  if (environment.display === null) await nameCompletely(context, page)
  refuseOtherPages(context, options.logger)
  let carried: (payload: string) => void = () => {}
  if (options.carrier !== undefined) await addCarrier(context, page, options.carrier, (payload) => carried(payload))
  if (options.ownScript !== undefined) await serveOwnScript(context, page, options.ownScript, options.logger)
  // The page is laid out to the pixel, independent of the window's size. Holds as long as the session lives.
  const session = await context.newCDPSession(page)
  const { width, height } = environment
  await session.send('Emulation.setDeviceMetricsOverride', {
    ...{ width, height, screenWidth: width, screenHeight: height, deviceScaleFactor: 0, mobile: false },
  })

  const lines: string[] = []
  const keep = (line: string) => {
    lines.push(line.slice(0, CONSOLE_LINE_LENGTH))
    if (lines.length > CONSOLE_LINES) lines.shift()
  }
  const explain = explainPrivateAddresses(options.logger)
  page.on('console', (message) => {
    keep(`${new Date().toISOString()} ${message.type()} ${message.text()}`)
    explain(message.text())
  })
  page.on('pageerror', (error) => keep(`${new Date().toISOString()} uncaught ${error.message}`))

  let ended: string | null = null
  let isClosing = false
  const whenEnded = new Promise<string>((resolve) => {
    const end = (reason: string) => {
      ended ??= reason
      resolve(ended)
    }
    page.on('crash', () => end('The page crashed.'))
    page.on('close', () => end('The page was closed.'))
    context.on('close', () => end('The browser ended.'))
  })
  whenEnded.then((reason) => {
    if (!isClosing) options.logger.warn('The browser ended by itself', { reason })
  })

  return {
    context,
    page,
    console: lines,
    whenEnded,
    get ended() {
      return ended
    },
    onCarried(listener) {
      carried = listener
    },
    storedFile,
    cpuWaits,
    proxyProblem,
    tabMark: options.tabMark ?? null,
    processId,
    async close() {
      if (isClosing) {
        await whenEnded
        return
      }
      isClosing = true
      try {
        await within(systemClock, CLOSE_MS, context.close(), () => new Error('Chromium did not close in time'))
      } catch (error) {
        options.logger.warn('Chromium had to be killed', { error })
      }
      await cleanUp()
    },
  }
}

/** A page of ours at an address that no server has. */
const OWN_PAGE = 'https://standin.invalid/'

/**
 * With `--user-agent` Chromium leaves all client hints empty but its major version, as no ordinary browser does. Sites of Google
 * and Microsoft ask for them. The page itself is asked for its short ones: another one would take its time to open. Holds as long
 * as the session lives.
 */
async function nameCompletely(context: BrowserContext, page: Page): Promise<void> {
  await page.route(OWN_PAGE, (route) => route.fulfill({ contentType: 'text/html', body: '' }))
  await page.goto(OWN_PAGE)
  const { userAgent, brands } = await page.evaluate(() => {
    const { userAgentData } = navigator as unknown as {
      userAgentData: { brands: { brand: string; version: string }[] }
    }
    // The shell without windows has one more.
    const brands = userAgentData.brands.filter(({ brand }) => brand !== 'HeadlessChrome')
    return { userAgent: navigator.userAgent, brands }
  })
  await page.unroute(OWN_PAGE)
  const fullVersion = context.browser()!.version()
  const isOwn = (version: string) => fullVersion.startsWith(`${version}.`)
  const session = await context.newCDPSession(page)
  // As of a page that has just opened: the meeting's comes second.
  await session.send('Page.resetNavigationHistory')
  await session.send('Emulation.setUserAgentOverride', {
    userAgent,
    userAgentMetadata: {
      brands,
      fullVersionList: brands.map(({ brand, version }) => ({
        brand,
        version: isOwn(version) ? fullVersion : `${version}.0.0.0`,
      })),
      ...{ fullVersion, platform: 'Linux', platformVersion: '', model: '', mobile: false, wow64: false },
      ...{ architecture: process.arch === 'arm64' ? 'arm' : 'x86', bitness: '64', formFactors: ['Desktop'] },
    },
  })
}

/** Closes every page that a page opens: a bot has one, and others only use memory. Logs the first one only. */
export function refuseOtherPages(context: BrowserContext, logger: Logger): void {
  let count = 0
  context.on('page', (popUp) => {
    if (++count === 1) logger.warn('The meeting page opened another page, which was closed', { url: popUp.url() })
    // The page or the browser may be gone already.
    popUp.close().catch(() => {})
  })
}

/** Chromium's words for a request that Local Network Access refuses; the address is in quotation marks before them. */
const REFUSED_AS_PRIVATE = /'(\w+:\/\/[^'/]+)[^']*'.*(?:the `\w+` address space|LOCAL_NETWORK_ACCESS)/s

function explainPrivateAddresses(logger: Logger): (text: string) => void {
  const explained = new Set<string>()
  return (text) => {
    const address = REFUSED_AS_PRIVATE.exec(text)?.[1]
    if (address === undefined || explained.has(address)) return
    explained.add(address)
    logger.warn(
      'The meeting page may not reach a private address; STANDIN_PRIVATE_ADDRESSES with the host of the meeting permits it',
      { address },
    )
  }
}

/**
 * Playwright's own binding leaves names in the page; the protocol's binding is a function that the script can remove.
 */
export async function addCarrier(
  context: BrowserContext,
  page: Page,
  name: string,
  onCarried: (payload: string) => void,
): Promise<void> {
  const session = await context.newCDPSession(page)
  session.on('Runtime.bindingCalled', (call) => {
    if (call.name === name) onCarried(call.payload)
  })
  // New documents get the function if the session observes them; Playwright's own session does so too.
  await session.send('Runtime.enable')
  await session.send('Runtime.addBinding', { name })
}

/** Bytes of the HTTP requests and WebSockets of a browser. WebRTC has its own count, `shared/in-call/webrtc-traffic.ts`. */
type NoteTraffic = (received: number, sent: number) => void

/** Counts finished requests of all frames and workers, and every message of a WebSocket; data: and blob: URLs need no network. */
export function countTraffic(context: BrowserContext, note: NoteTraffic): void {
  context.on('requestfinished', (request) => void countRequest(request, note))
  for (const page of context.pages()) page.on('websocket', (socket) => countSocket(socket, note))
  context.on('page', (page) => page.on('websocket', (socket) => countSocket(socket, note)))
}

async function countRequest(request: Request, note: NoteTraffic): Promise<void> {
  if (!request.url().startsWith('http')) return
  try {
    const sizes = await request.sizes()
    note(
      atLeastZero(sizes.responseBodySize) + atLeastZero(sizes.responseHeadersSize),
      atLeastZero(sizes.requestBodySize) + atLeastZero(sizes.requestHeadersSize),
    )
  } catch {
    // The page is gone, and the sizes with it.
  }
}

function countSocket(socket: WebSocket, note: NoteTraffic): void {
  socket.on('framereceived', ({ payload }) => note(Buffer.byteLength(payload), 0))
  socket.on('framesent', ({ payload }) => note(0, Buffer.byteLength(payload)))
}

/** The browser says -1 for a size that it does not know. */
const atLeastZero = (bytes: number) => (Number.isFinite(bytes) ? Math.max(0, bytes) : 0)
