/** A browser that is in the meeting as a plain visitor: no script of ours, no composite, nothing but the page. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { CHILD_PATH } from '@standin/wire/process/child-path.ts'
import { type BrowserContext, chromium, type Page } from 'playwright'
import type { MockMeeting, MockServer } from '../../packages/mock/types.ts'
import { mappedHostArguments } from '../../platforms/browser/mapped-hosts.ts'
import { makeSoundHome, startAudioSink } from '../../recorder/servers/audio-sink.ts'
import { startDisplay } from '../../recorder/servers/display.ts'
import { processesWith } from './process-tree.ts'

export interface Visitor {
  page: Page
  display: string
  displayAuthority: string
  /** Path of the sound server's socket, and the source with the meeting's sound. */
  pulseServer: string
  monitor: string
  folder: string
  /** Browser, display and sound server. */
  roots(): number[]
  /** Repeatable. */
  close(): Promise<void>
}

const READY_MS = 20_000
const IN_CALL_MS = 60_000
const PRESS_MS = 2_000

export async function visit(
  server: MockServer,
  meeting: MockMeeting,
  window: { width: number; height: number },
  extraArguments: readonly string[] = [],
): Promise<Visitor> {
  const folder = mkdtempSync(join(tmpdir(), 'standin-bench-'))
  const { signal } = new AbortController()
  const soundHome = await makeSoundHome(folder)
  const sound = await startAudioSink({ home: soundHome.home, withVoice: false, readyDeadlineMs: READY_MS, signal })
  const display = await startDisplay({ ...window, folder, readyDeadlineMs: READY_MS, signal })
  let context: BrowserContext | null = null
  const close = async () => {
    await context?.close()
    context = null
    await Promise.all([display.process.stop(), sound.process.stop()])
    await soundHome.remove()
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
  }
  try {
    const hosts = server.hosts.map((host) => ({ host, address: server.address }))
    const profile = join(folder, 'profile')
    context = await chromium.launchPersistentContext(profile, {
      executablePath: '/usr/bin/chromium',
      headless: false,
      ignoreDefaultArgs: ['--mute-audio'],
      args: [
        '--kiosk',
        '--window-position=0,0',
        `--window-size=${window.width + 1},${window.height + 1}`,
        '--autoplay-policy=no-user-gesture-required',
        '--lang=en-US',
        ...(await mappedHostArguments(hosts, signal)),
        ...extraArguments,
      ],
      env: {
        PATH: CHILD_PATH,
        HOME: folder,
        DISPLAY: display.name,
        XAUTHORITY: display.authority,
        PULSE_SERVER: `unix:${sound.server}`,
        PULSE_SINK: sound.sink,
        DBUS_SESSION_BUS_ADDRESS: 'disabled:',
      },
      viewport: null,
    })
    const page = context.pages()[0] ?? (await context.newPage())
    await page.goto(meeting.url)
    // A dialog may ignore the first clicks, so its button is clicked until it is gone.
    const inTheWay = page.getByRole('button', { name: /^(Continue without|Got it)/ })
    await page.addLocatorHandler(inTheWay, (button) => button.first().click(), { noWaitAfter: true })
    await page.locator('input[type="text"]').fill('Visitor')
    await joined(page, meeting)
    return {
      page,
      display: display.name,
      displayAuthority: display.authority,
      pulseServer: sound.server,
      monitor: sound.monitor,
      folder,
      roots: () => [...processesWith(`--user-data-dir=${profile}`), display.process.pid, sound.process.pid],
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** The button is pressed until the page is in: a press may close a dialog only, whose own button says the same. */
async function joined(page: Page, meeting: MockMeeting): Promise<void> {
  let isOver = false
  const inCall = meeting.whenState('call', IN_CALL_MS).finally(() => {
    isOver = true
  })
  const press = async () => {
    while (!isOver) {
      const button = page.locator('button', { hasText: 'Join now' }).first()
      // It is gone or covered.
      await button.click({ timeout: PRESS_MS }).catch(() => {})
      await Promise.race([inCall.catch(() => {}), sleep(PRESS_MS)])
    }
  }
  await Promise.all([inCall, press()])
}
