/**
 * One Chromium for the bots of a test worker, a fresh context for each of them: starting one takes longer than joining.
 */
import { rm } from 'node:fs/promises'
import { systemClock, within } from '@standin/wire/time/deadline.ts'
import { type Browser, type BrowserContext, chromium } from 'playwright'
import type { CaptureEnvironment } from '../../packages/core/ports.ts'
import { botBrowserOf } from '../../platforms/browser/bot-browser.ts'
import {
  type BrowserOptions,
  CONTEXT_OPTIONS,
  launchOptions,
  type OpenBrowser,
  openBrowser,
} from '../../platforms/browser/browser.ts'
import { makeBrowserHome } from '../../platforms/browser/home.ts'
import { atWorkerEnd } from '../worker-end.ts'

/** A Chromium that makes no context within this time hangs. */
const HANGS_AFTER_MS = 30_000

interface Running {
  browser: Browser
  processId: number
  home: string
}

class SharedChromium {
  /** By what they were started with. */
  readonly #running = new Map<string, Promise<Running>>()

  /** A bot that needs more than a context gets a separate Chromium. */
  readonly open: OpenBrowser = async (environment, options, signal) => {
    if (needsOwnProcess(environment, options)) return openBrowser(environment, options, signal)
    const context = await this.#newContext(environment, options)
    try {
      signal.throwIfAborted()
      const shared = {
        processId: null,
        storedFile: async () => null,
        cpuWaits: async () => new Map(),
        proxyProblem: () => null,
        cleanUp: async () => {},
      }
      return await botBrowserOf(context, shared, environment, options)
    } catch (error) {
      await context.close()
      throw error
    }
  }

  /** How many contexts are open. */
  async contexts(): Promise<number> {
    const all = await Promise.all(this.#running.values())
    return all.reduce((sum, { browser }) => sum + browser.contexts().length, 0)
  }

  async close(): Promise<void> {
    await Promise.all([...this.#running.keys()].map((key) => this.#end(key)))
  }

  async #newContext(environment: CaptureEnvironment, options: BrowserOptions): Promise<BrowserContext> {
    const key = JSON.stringify([environment, options.executablePath, options.mappedHosts])
    const { state } = options
    const given = {
      ...CONTEXT_OPTIONS,
      ...(state?.kind === 'storage_state' ? { storageState: state.state } : {}),
    }
    for (let isLast = false; ; isLast = true) {
      const starting = this.#running.get(key) ?? this.#launch(key, environment, options)
      const { browser } = await starting
      try {
        const hangs = () => new Error('The Chromium of this test worker hangs')
        return await within(systemClock, HANGS_AFTER_MS, browser.newContext(given), hangs)
      } catch (error) {
        // It has crashed, or hangs: the next one may do better. Another bot may have replaced it already.
        if (this.#running.get(key) === starting) await this.#end(key)
        if (isLast) throw error
      }
    }
  }

  #launch(key: string, environment: CaptureEnvironment, options: BrowserOptions): Promise<Running> {
    const launching = launch(environment, options)
    this.#running.set(key, launching)
    launching.catch(() => this.#running.delete(key))
    return launching
  }

  async #end(key: string): Promise<void> {
    const ending = this.#running.get(key)
    this.#running.delete(key)
    // One that did not start has failed the test that asked for it.
    const running = await ending?.catch(() => null)
    if (!running) return
    const { browser, processId, home } = running
    const closed = browser.close()
    await within(systemClock, HANGS_AFTER_MS, closed, () => new Error('It hangs')).catch(() => {
      // Its other processes end with it.
      process.kill(processId, 'SIGKILL')
      return closed
    })
    await rm(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
  }
}

/** That of this test worker. */
export const sharedChromium = new SharedChromium()
atWorkerEnd(() => sharedChromium.close())

/**
 * Frames are read from the profile's folder, a display shows one window, and plugins, profiles and arguments are the
 * process's.
 */
function needsOwnProcess({ display, frames }: CaptureEnvironment, options: BrowserOptions): boolean {
  const { plugins = [], extraArguments = [], state } = options
  const isOfProcess =
    plugins.length > 0 || extraArguments.length > 0 || state?.kind === 'profile' || Boolean(options.egress)
  return display !== null || frames !== undefined || options.tabMark !== undefined || isOfProcess
}

async function launch(environment: CaptureEnvironment, options: BrowserOptions): Promise<Running> {
  const home = await makeBrowserHome()
  // The first bot may be stopped while it starts. The others continue with the browser.
  const never = new AbortController().signal
  const browser = await chromium.launch(await launchOptions(environment, options, home, never))
  const session = await browser.newBrowserCDPSession()
  const { processInfo } = await session.send('SystemInfo.getProcessInfo')
  await session.detach()
  return { browser, processId: processInfo.find(({ type }) => type === 'browser')!.id, home }
}
