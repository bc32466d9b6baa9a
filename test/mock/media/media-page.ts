import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Browser, chromium, type Page } from 'playwright'
import { readFrameNumber } from '../../../mock/media/bar-code.ts'
import type { MediaSession } from '../../../mock/media/room.ts'
import { HEADLESS_SHELL } from '../../headless-shell.ts'
import { inPage, type PageSide } from './page-side.ts'

declare global {
  interface Window {
    media: PageSide
  }
}

/** A picture as the page shows it. */
export interface Shown {
  width: number
  height: number
  /** RGB of a place given as fractions of the picture. */
  color(x: number, y: number): [number, number, number]
  frameNumber(): number | null
}

/** One blank page in a real Chromium that talks to media sessions the way a meeting page would. */
export class MediaPage {
  readonly page: Page
  readonly #browser: Browser
  readonly #close: () => void
  #session: MediaSession | null = null

  private constructor(page: Page, browser: Browser, close: () => void) {
    this.page = page
    this.#browser = browser
    this.#close = close
  }

  static async open(): Promise<MediaPage> {
    const server = createServer((_request, response) => {
      response.setHeader('content-type', 'text/html')
      response.end('<!doctype html><title>media</title><body></body>')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const browser = await chromium.launch({
      executablePath: HEADLESS_SHELL,
      args: [
        '--no-sandbox',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        '--no-first-run',
        '--allow-loopback-in-peer-connection',
        '--autoplay-policy=no-user-gesture-required',
        '--use-fake-device-for-media-stream',
        '--use-fake-ui-for-media-stream',
      ],
    })
    const page = await browser.newPage()
    const media = new MediaPage(page, browser, () => server.close())
    await page.exposeFunction('answerOffer', (offer: string) => media.#session!.answer(offer))
    await media.load(`http://localhost:${(server.address() as AddressInfo).port}/`)
    return media
  }

  async load(url = this.page.url()): Promise<void> {
    await this.page.goto(url)
    await this.page.evaluate(inPage)
  }

  /** Offers this many receiving lines to the session, and waits for the connection. */
  async join(session: MediaSession, lines: { audio: number; video: number; sends?: boolean }): Promise<void> {
    this.#session = session
    await this.page.evaluate((wanted) => window.media.join(wanted), { sends: false, ...lines })
  }

  async show(mid: string): Promise<Shown | null> {
    const shown = await this.page.evaluate((wanted) => window.media.grab(wanted), mid)
    if (shown === null) return null
    const { width, height } = shown
    const pixels = Buffer.from(shown.pixels, 'base64')
    const color = (x: number, y: number): [number, number, number] => {
      const at = (Math.floor(y * height) * width + Math.floor(x * width)) * 4
      return [pixels[at]!, pixels[at + 1]!, pixels[at + 2]!]
    }
    const brightness = (x: number, y: number) => color(x, y).reduce((sum, value) => sum + value) / 3
    return { width, height, color, frameNumber: () => readFrameNumber(brightness) }
  }

  async close(): Promise<void> {
    await this.#browser.close()
    this.#close()
  }
}
