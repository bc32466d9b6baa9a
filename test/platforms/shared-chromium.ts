/**
 * One Chromium for the bots of a test file, a fresh context for each of them: starting one takes longer than joining.
 */
import { rm } from 'node:fs/promises'
import { type Browser, chromium } from 'playwright'
import type { CaptureEnvironment } from '../../core/ports.ts'
import { botBrowserOf } from '../../platforms/browser/bot-browser.ts'
import {
  type BrowserOptions,
  contextOptions,
  launchOptions,
  type OpenBrowser,
  openBrowser,
} from '../../platforms/browser/browser.ts'
import { makeBrowserHome } from '../../platforms/browser/home.ts'

interface Running {
  browser: Browser
  home: string
}

export class SharedChromium {
  /** By what they were started with. */
  readonly #running = new Map<string, Promise<Running>>()

  /** A bot that needs more than a context gets a separate Chromium. */
  readonly open: OpenBrowser = async (stage, options, signal) => {
    if (needsOwnProcess(stage, options)) return openBrowser(stage, options, signal)
    const { browser } = await this.#browserFor(stage, options)
    signal.throwIfAborted()
    const { state } = options
    const context = await browser.newContext({
      ...contextOptions(stage),
      ...(state?.kind === 'storage_state' ? { storageState: state.state } : {}),
    })
    try {
      const shared = {
        processId: null,
        storedFile: async () => null,
        cpuWaits: async () => new Map(),
        cleanUp: async () => {},
      }
      return await botBrowserOf(context, shared, stage, options)
    } catch (error) {
      await context.close()
      throw error
    }
  }

  async close(): Promise<void> {
    for (const running of this.#running.values()) {
      // One that did not start has failed the test that asked for it.
      const started = await running.catch(() => null)
      await started?.browser.close()
      if (started) await rm(started.home, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
    }
    this.#running.clear()
  }

  #browserFor(stage: CaptureEnvironment, options: BrowserOptions): Promise<Running> {
    const key = JSON.stringify([stage, options.executablePath, options.mappedHosts, options.extraArguments])
    const known = this.#running.get(key) ?? launch(stage, options)
    this.#running.set(key, known)
    return known
  }
}

/**
 * Frames are read from the profile's folder, a display shows one window, and plugins and profiles are the process's.
 */
function needsOwnProcess({ display, frames }: CaptureEnvironment, { plugins = [], state }: BrowserOptions): boolean {
  return display !== null || frames !== undefined || plugins.length > 0 || state?.kind === 'profile'
}

async function launch(stage: CaptureEnvironment, options: BrowserOptions): Promise<Running> {
  const home = await makeBrowserHome()
  // The first bot may be stopped while it starts. The others continue with the browser.
  const never = new AbortController().signal
  return { browser: await chromium.launch(await launchOptions(stage, options, home, never)), home }
}
