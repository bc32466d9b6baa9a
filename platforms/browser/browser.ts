/**
 * Starts Chromium in the capture environment as an ordinary browser, and ends it together with its leftover processes.
 */

import { execFile } from 'node:child_process'
import { mkdir, readdir, readFile, rm, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify, stripVTControlCharacters } from 'node:util'
import type { Egress } from '@standin/wire/egress.ts'
import { CHILD_PATH } from '@standin/wire/process/child-path.ts'
import { executableOf } from '@standin/wire/process/chromium.ts'
import { sandboxObstacle } from '@standin/wire/process/chromium-sandbox.ts'
import { socketParent } from '@standin/wire/process/socket-folder.ts'
import { messageOf } from '@standin/wire/text/error-text.ts'
import type { BrowserContextOptions, LaunchOptions } from 'playwright'
import { CAPTURE_SAMPLE_RATE } from '../../packages/core/meeting/capture-sample-rate.ts'
import type { CaptureEnvironment } from '../../packages/core/ports.ts'
import { type BotBrowser, type BrowserProcess, botBrowserOf, type ContextOptions } from './bot-browser.ts'
import { rendererWaits } from './cpu-waits.ts'
import { FEATURES } from './features.ts'
import { makeBrowserHome } from './home.ts'
import { type MappedHost, mappedHostArguments } from './mapped-hosts.ts'
import { withPlugins } from './plugins.ts'
import { type BrowserState, copyProfile } from './state.ts'
import { findStoredFile } from './stored-file.ts'

export type { BotBrowser, BrowserState, MappedHost }

export interface BrowserOptions extends ContextOptions {
  /** Default: Debian's Chromium. */
  executablePath?: string
  mappedHosts?: readonly MappedHost[]
  extraArguments?: readonly string[]
  /** The proxy of everything that the browser requests; default none. */
  egress?: Egress | null
  /** The session of an account; it is copied, and the original is never written. */
  state?: BrowserState | null
}

/** Rejects when the browser does not start; then it leaves no process and no file behind. */
export type OpenBrowser = (
  environment: CaptureEnvironment,
  options: BrowserOptions,
  signal: AbortSignal,
) => Promise<BotBrowser>

const LAUNCH_MS = 60_000
/** Chromium writes large shared buffers; less than this aborts renderers. */
const ENOUGH_SHARED_MEMORY = 512 * 1024 * 1024

/**
 * Switches that Playwright adds and that an ordinary browser does not have: silence (the meeting's sound is recorded),
 * the sign of automation, and temporary files instead of shared memory, which is decided below.
 */
const UNWANTED = ['--mute-audio', '--enable-automation', '--disable-dev-shm-usage']

const ALWAYS = [
  // Without it `navigator.webdriver` is true.
  '--disable-blink-features=AutomationControlled',
  // The page's wording is a sign, so its language is set to English everywhere.
  '--lang=en-US',
  '--accept-lang=en-US,en',
  // Sound starts without a click.
  '--autoplay-policy=no-user-gesture-required',
  '--no-first-run',
  '--no-default-browser-check',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // A window in the background keeps its timers and its frames.
  '--disable-background-timer-throttling',
  '--disable-backgrounding-occluded-windows',
  '--disable-renderer-backgrounding',
  // A page that is taller than the window would have a scroll bar in the recorded picture.
  '--hide-scrollbars',
  // No bar above the page about flags; it would be in the picture.
  '--test-type',
  '--noerrdialogs',
  '--disable-crash-reporter',
  ...FEATURES,
]

/** Takes as long as all other modules of a bot together (bench/notes/2026-11-28-start-of-a-bot.md). */
export const loadPlaywright = () => import('playwright')

/** What takes its time before a browser without a display can start, all at once. Rejects if the library cannot be loaded. */
export async function prepareBrowser(chromium: string | null): Promise<void> {
  // If it fails, so does `openBrowser`.
  userAgentOf(executableOf(chromium, false)).catch(() => {})
  await loadPlaywright()
}

/** A separate Chromium with a fresh profile. */
export const openBrowser: OpenBrowser = async (environment, options, signal) => {
  signal.throwIfAborted()
  const { chromium } = await loadPlaywright()
  const type = await withPlugins(chromium, options.plugins ?? [])
  const home = await makeBrowserHome()
  const profile = join(home, 'profile')
  const { logger, state } = options
  // Loaded for those who use a proxy: its library takes memory.
  const egress = options.egress ? await (await import('./egress.ts')).openEgress(options.egress) : null
  try {
    if (state?.kind === 'profile') await copyProfile(state.folder, profile)
    const extraArguments = [...(options.extraArguments ?? []), ...(egress?.arguments ?? [])]
    const launch = await launchOptions(environment, { ...options, extraArguments }, home, signal)
    const context = await type
      .launchPersistentContext(profile, {
        ...launch,
        ...CONTEXT_OPTIONS,
        ...(egress && { proxy: egress.proxy }),
      })
      .catch((error: unknown) => Promise.reject(launchFailure(error)))
    if (state?.kind === 'storage_state') await context.setStorageState(state.state)
    const [processId = null] = await processesOf(profile)
    const browserProcess: BrowserProcess = {
      processId,
      storedFile: (mark, bytes) => findStoredFile(profile, mark, bytes),
      cpuWaits: async () => (processId === null ? new Map() : rendererWaits(processId)),
      proxyProblem: () => egress?.problem() ?? null,
      async cleanUp() {
        await endProcesses(profile)
        await egress?.close()
        // Chromium's children may still write while they exit.
        await rm(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 }).catch((error) =>
          logger.warn('The browser profile could not be removed', { error }),
        )
      },
    }
    return await botBrowserOf(context, browserProcess, environment, options)
  } catch (error) {
    await endProcesses(profile)
    await egress?.close()
    await rm(home, { recursive: true, force: true })
    throw error
  }
}

/** Chromium's complaints about parts of a desktop that bots do without. */
const NOISE = /the bus:|unexpected operator|vaapi|gpu|gcm|font/i

/** One line: Playwright's reason, and the last that Chromium wrote about itself. */
function launchFailure(error: unknown): Error {
  const lines = stripVTControlCharacters(messageOf(error)).split('\n')
  const said = lines
    .flatMap((line) => /\[err\] (?:\[[^\]]*\] ?)?(.*)/.exec(line)?.[1] ?? [])
    .findLast((line) => !NOISE.test(line))
  const reason = lines[0]!.replace(/^[\w.]+: /, '')
  return new Error(said === undefined ? reason : `${reason} Chromium wrote: ${said.slice(0, 300)}`, { cause: error })
}

/** Options to start Chromium in this capture environment, with its temporary files below `home`. */
export async function launchOptions(
  environment: CaptureEnvironment,
  options: Pick<BrowserOptions, 'executablePath' | 'mappedHosts' | 'extraArguments' | 'tabMark' | 'logger'>,
  home: string,
  signal: AbortSignal,
): Promise<LaunchOptions> {
  const headless = environment.display === null
  const executablePath = executableOf(options.executablePath, !headless)
  const artifactsDir = join(home, 'artifacts')
  await mkdir(artifactsDir, { recursive: true })
  const obstacle = await sandboxObstacle()
  if (obstacle !== null) options.logger.warn('Chromium runs without its own sandbox', { reason: obstacle })
  return {
    executablePath,
    headless,
    chromiumSandbox: obstacle === null,
    ignoreDefaultArgs: UNWANTED,
    args: [
      ...ALWAYS,
      // One pixel more: without a window manager, Chromium shrinks a window that is as large as the screen.
      `--window-size=${environment.width + 1},${environment.height + 1}`,
      '--window-position=0,0',
      ...(headless ? [`--user-agent=${await userAgentOf(executablePath)}`] : ['--kiosk', '--ozone-platform=x11']),
      ...(environment.soundPieceMs === undefined
        ? []
        : [`--audio-buffer-size=${(environment.soundPieceMs * CAPTURE_SAMPLE_RATE) / 1000}`]),
      ...((await sharedMemoryIsSmall()) ? ['--disable-dev-shm-usage'] : []),
      ...(await mappedHostArguments(options.mappedHosts ?? [], signal)),
      ...(options.tabMark === undefined ? [] : [`--auto-select-tab-capture-source-by-title=${options.tabMark}`]),
      ...(options.extraArguments ?? []),
    ],
    env: processEnvironment(environment, home),
    // After a kill of this process the files in Playwright's own folder could not be found; those in the home can.
    artifactsDir,
    // The bot decides what a signal means; Playwright puts the browser into a separate process group.
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
    timeout: LAUNCH_MS,
  }
}

export const CONTEXT_OPTIONS: BrowserContextOptions = {
  // `botBrowserOf` sets the size.
  viewport: null,
  // A bot needs no files from a meeting page, and a large download would fill the disk.
  acceptDownloads: false,
}

/** The variables that the browser needs, without the bot's own: a job in our environment holds secrets. */
function processEnvironment(environment: CaptureEnvironment, home: string): Record<string, string> {
  return {
    PATH: CHILD_PATH,
    HOME: home,
    TMPDIR: socketParent('org.chromium.Chromium.XXXXXX/SingletonSocket'),
    LANG: 'en_US.UTF-8',
    LANGUAGE: 'en_US:en',
    // No session bus: the browser asks no desktop service.
    DBUS_SESSION_BUS_ADDRESS: 'disabled:',
    PULSE_SERVER: environment.pulseServer.startsWith('/') ? `unix:${environment.pulseServer}` : environment.pulseServer,
    PULSE_SINK: environment.pulseSink,
    ...(environment.soundAheadMs === undefined ? {} : { PULSE_LATENCY_MSEC: String(environment.soundAheadMs) }),
    ...(environment.display === null ? {} : { DISPLAY: environment.display }),
    ...(environment.displayAuthority === undefined ? {} : { XAUTHORITY: environment.displayAuthority }),
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

const run = promisify(execFile)

const VERSION_MS = 20_000
const found = new Map<string, Promise<string>>()

/**
 * Without a display Chromium calls itself `HeadlessChrome` to every site; its client hints do not. As of Chromium 110
 * the major version is the only part of the user agent that differs between machines
 * (https://www.chromium.org/updates/ua-reduction/). Rejects if the program does not report its version.
 */
function userAgentOf(executable: string): Promise<string> {
  const known = found.get(executable)
  if (known) return known
  const asked = askVersion(executable).then(
    (major) =>
      `Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${major}.0.0.0 Safari/537.36`,
  )
  found.set(executable, asked)
  // The version is read again where the program was just being replaced by a newer one.
  asked.catch(() => found.delete(executable))
  return asked
}

async function askVersion(executable: string): Promise<string> {
  const env = { PATH: CHILD_PATH, HOME: '/nonexistent' }
  const { stdout } = await run(executable, ['--version'], { env, timeout: VERSION_MS })
  const major = /\b(\d+)\.\d+\.\d+\.\d+\b/.exec(stdout)?.[1]
  if (major === undefined) throw new Error(`${executable} --version says no version: ${stdout.slice(0, 200)}`)
  return major
}
