/** Starts Chromium on the recorder's stage as an ordinary browser, and ends it with everything it left behind. */
import { readdir, readFile, rm, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BrowserContext, chromium, type Page } from 'playwright'
import { systemClock, within } from '../clock.ts'
import type { Logger } from '../logger.ts'
import type { Stage } from '../ports.ts'
import { STAGE_RATE } from '../stage-rate.ts'
import { FEATURES_OFF } from './features-off.ts'
import { makeBrowserHome } from './home.ts'
import { type MappedHost, mappedHostArguments } from './mapped-hosts.ts'
import { withPlugins } from './plugins.ts'
import { canSandboxBrowser } from './sandbox.ts'
import { type BrowserState, copyProfile } from './state.ts'
import { findStoredFile } from './stored-file.ts'

export type { BrowserState, MappedHost }

export interface BrowserOptions {
  /** Default: Debian's Chromium. */
  executablePath?: string
  mappedHosts?: readonly MappedHost[]
  /** Names of `browser-plugins.ts`; default none. */
  plugins?: readonly string[]
  /** Origins that may use camera and microphone without asking. */
  mediaOrigins?: readonly string[]
  /** Runs in every page before its own scripts. */
  initScript?: string
  /** Name of a function that every document has at its start and by which it calls `onCarried`; the script takes it away. */
  carrier?: string
  extraArguments?: readonly string[]
  /** What a page's content security policy forbids its own scripts is allowed; default false. */
  bypassesPagePolicy?: boolean
  /** The session of an account; what was given is copied and never written. */
  state?: BrowserState | null
  logger: Logger
}

export interface BotBrowser {
  context: BrowserContext
  page: Page
  /** Console lines and errors of the page, newest last. */
  console: readonly string[]
  /** Null while it runs; afterwards why it ended, in words. */
  readonly ended: string | null
  /** Resolves when the page crashed or the browser is gone. */
  whenEnded: Promise<string>
  /** Hears what the page hands out by the `carrier`, as it comes. One listener at a time. */
  onCarried(listener: (payload: string) => void): void
  /**
   * Path of the file of so many bytes in the storage of pages (the origin private file system) that begins with `mark`;
   * null where there is none.
   */
  storedFile(mark: Uint8Array, bytes: number): Promise<string | null>
  /** The browser's first process. */
  readonly processId: number | null
  /** Repeatable, never rejects. */
  close(): Promise<void>
}

const DEFAULT_EXECUTABLE = '/usr/bin/chromium'
const LAUNCH_MS = 60_000
const CLOSE_MS = 5000
const CONSOLE_LINES = 500
const CONSOLE_LINE_LENGTH = 2000
/** Chromium writes large shared buffers; less than this aborts renderers. */
const ENOUGH_SHARED_MEMORY = 512 * 1024 * 1024

/**
 * What Playwright adds and an ordinary browser has not: silence (the meeting's sound is recorded), the mark of
 * automation, and temporary files instead of shared memory, which is decided below.
 */
const UNWANTED = ['--mute-audio', '--enable-automation', '--disable-dev-shm-usage']

const ALWAYS = [
  // Without it `navigator.webdriver` is true.
  '--disable-blink-features=AutomationControlled',
  // The wording of the page is a sign, so its language is pinned in every place.
  '--lang=en-US',
  '--accept-lang=en-US,en',
  // Sound starts without a click.
  '--autoplay-policy=no-user-gesture-required',
  '--no-first-run',
  '--no-default-browser-check',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // A window that nobody looks at keeps its timers and its frames.
  '--disable-background-timer-throttling',
  '--disable-backgrounding-occluded-windows',
  '--disable-renderer-backgrounding',
  // A page that is taller than the window would have one beside the picture of the recording.
  '--hide-scrollbars',
  // No line above the page about flags; it would be in the picture.
  '--test-type',
  '--noerrdialogs',
  '--disable-crash-reporter',
  FEATURES_OFF,
]

/** Rejects when the browser does not start; nothing is left behind then. */
export async function openBrowser(stage: Stage, options: BrowserOptions, signal: AbortSignal): Promise<BotBrowser> {
  signal.throwIfAborted()
  const mapped = await mappedHostArguments(options.mappedHosts ?? [], signal)
  const headless = stage.display === null
  const type = await withPlugins(chromium, options.plugins ?? [])
  const home = await makeBrowserHome()
  const profile = join(home, 'profile')
  try {
    if (options.state?.kind === 'profile') await copyProfile(options.state.folder, profile)
    const context = await type.launchPersistentContext(profile, {
      executablePath: options.executablePath ?? DEFAULT_EXECUTABLE,
      headless,
      chromiumSandbox: await canSandboxBrowser(),
      ignoreDefaultArgs: UNWANTED,
      args: [
        ...ALWAYS,
        // One pixel more: Chromium shrinks a window that is as large as the screen, because nobody manages windows there.
        `--window-size=${stage.width + 1},${stage.height + 1}`,
        '--window-position=0,0',
        ...(headless ? [] : ['--kiosk', '--ozone-platform=x11']),
        ...(stage.soundPieceMs === undefined
          ? []
          : [`--audio-buffer-size=${(stage.soundPieceMs * STAGE_RATE) / 1000}`]),
        ...((await sharedMemoryIsSmall()) ? ['--disable-dev-shm-usage'] : []),
        ...mapped,
        ...(options.extraArguments ?? []),
      ],
      env: environment(stage, home),
      bypassCSP: options.bypassesPagePolicy ?? false,
      viewport: headless ? { width: stage.width, height: stage.height } : null,
      // The bot decides what a signal means; Playwright gives the browser a process group of its own.
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
      timeout: LAUNCH_MS,
    })
    if (options.state?.kind === 'storage_state') await context.setStorageState(options.state.state)
    return await wrap(context, home, stage, options)
  } catch (error) {
    await endProcesses(profile)
    await rm(home, { recursive: true, force: true })
    throw error
  }
}

async function wrap(context: BrowserContext, home: string, stage: Stage, options: BrowserOptions): Promise<BotBrowser> {
  const profile = join(home, 'profile')
  for (const origin of options.mediaOrigins ?? []) await context.grantPermissions(['camera', 'microphone'], { origin })
  if (options.initScript !== undefined) await context.addInitScript({ content: options.initScript })
  // Plugins do not reach the page that a persistent context starts with.
  const first = context.pages()[0]
  const page = first && (options.plugins ?? []).length === 0 ? first : await context.newPage()
  if (first && first !== page) await first.close()
  let carried: (payload: string) => void = () => {}
  if (options.carrier !== undefined) await addCarrier(context, page, options.carrier, (payload) => carried(payload))
  if (stage.display !== null) {
    // The page is laid out to the pixel, whatever size the window came to have. Holds as long as the session lives.
    const session = await context.newCDPSession(page)
    const { width, height } = stage
    await session.send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 0, mobile: false })
  }

  const lines: string[] = []
  const keep = (line: string) => {
    lines.push(line.slice(0, CONSOLE_LINE_LENGTH))
    if (lines.length > CONSOLE_LINES) lines.shift()
  }
  page.on('console', (message) => keep(`${new Date().toISOString()} ${message.type()} ${message.text()}`))
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
  const processes = await processesOf(profile)

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
    storedFile: (mark, bytes) => findStoredFile(profile, mark, bytes),
    processId: processes[0] ?? null,
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
      await endProcesses(profile)
      // Chromium's children may still write while they die.
      await rm(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 }).catch((error) =>
        options.logger.warn('The browser profile could not be removed', { error }),
      )
    },
  }
}

/** Playwright's own way out of a page leaves names in it; the protocol's leaves a function that can be taken away. */
async function addCarrier(
  context: BrowserContext,
  page: Page,
  name: string,
  onCarried: (payload: string) => void,
): Promise<void> {
  const session = await context.newCDPSession(page)
  session.on('Runtime.bindingCalled', (call) => {
    if (call.name === name) onCarried(call.payload)
  })
  // New documents get the function where the session follows them; Playwright's own session does so too.
  await session.send('Runtime.enable')
  await session.send('Runtime.addBinding', { name })
}

/** Everything the browser needs and nothing that the bot was told: a job in our environment holds secrets. */
function environment(stage: Stage, home: string): Record<string, string> {
  return {
    PATH: '/usr/local/bin:/usr/bin:/bin',
    HOME: home,
    TMPDIR: tmpdir(),
    LANG: 'en_US.UTF-8',
    LANGUAGE: 'en_US:en',
    // No session bus: nothing of a desktop is asked.
    DBUS_SESSION_BUS_ADDRESS: 'disabled:',
    PULSE_SERVER: stage.pulseServer.startsWith('/') ? `unix:${stage.pulseServer}` : stage.pulseServer,
    PULSE_SINK: stage.pulseSink,
    ...(stage.soundAheadMs === undefined ? {} : { PULSE_LATENCY_MSEC: String(stage.soundAheadMs) }),
    ...(stage.display === null ? {} : { DISPLAY: stage.display }),
  }
}

async function sharedMemoryIsSmall(): Promise<boolean> {
  try {
    const { bsize, bavail } = await statfs('/dev/shm')
    return bsize * bavail < ENOUGH_SHARED_MEMORY
  } catch {
    // There is none.
    return true
  }
}

/** Processes that were started with this profile, the first one first. */
async function processesOf(profile: string): Promise<number[]> {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number)
  const found = await Promise.all(
    ids.map(async (id) => {
      try {
        return (await readFile(`/proc/${id}/cmdline`, 'utf8')).includes(`--user-data-dir=${profile}`) ? [id] : []
      } catch {
        // It ended meanwhile.
        return []
      }
    }),
  )
  return found.flat().sort((one, other) => one - other)
}

async function endProcesses(profile: string): Promise<void> {
  for (const id of await processesOf(profile)) {
    try {
      process.kill(id, 'SIGKILL')
    } catch {
      // It ended by itself.
    }
  }
}
