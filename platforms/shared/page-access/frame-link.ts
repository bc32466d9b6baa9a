/**
 * Decides whether the picture is painted into a file of the browser or on the display, and links the file for the recorder. A
 * page that cannot paint the file is opened again, in a browser on a display.
 */
import { rename, rm, symlink } from 'node:fs/promises'
import { BotError, DISPLAY_STEP } from '../../../packages/core/errors.ts'
import type { CaptureEnvironment } from '../../../packages/core/ports.ts'
import { pageScript } from '../../../packages/core/process/page-scripts.ts'
import { browserBroke, type MeetingPage } from './meeting-page.ts'

export const PAINTER = 'page/shared/frame-painter'
/** A reloaded page may need a while before it paints. */
const TRIES_AGAIN = 20
const RETRY_MS = 1000
const CHECK_EVERY_MS = 5000

export class FrameLink {
  readonly #page: Pick<MeetingPage, 'browser' | 'environment' | 'clock' | 'logger' | 'ask'>
  /** The file to which the link leads: null for the display, undefined before it is decided. */
  #path: string | null | undefined
  /** A file that was found by its mark: the mark is gone once the file shows a picture. */
  #found: { mark: string; path: string } | null = null
  #aheadPath: string | null = null
  #refusal: BotError | null = null
  #checkedAt = 0
  #turn: Promise<void> = Promise.resolve()

  constructor(page: Pick<MeetingPage, 'browser' | 'environment' | 'clock' | 'logger' | 'ask'>) {
    this.#page = page
  }

  /** The picture is not on the display. */
  get isUsed(): boolean {
    return typeof this.#path === 'string'
  }

  /** Why this browser cannot record the page, known before anybody was asked to let the bot in; null if it can. */
  get refusal(): BotError | null {
    return this.#refusal
  }

  /**
   * Before it is known whether there is a meeting: links the frames of this document, if it can paint frames. If not,
   * nothing is decided yet. Never rejects.
   */
  prepareAhead(): Promise<boolean> {
    const prepared = this.#turn.then(() => this.#prepareAhead())
    this.#turn = prepared.then(() => {})
    return prepared
  }

  /**
   * Before the composite is shown. The first document decides between display and frames, since a running recorder
   * reads one of the two. Rejects with a BotError if a later document cannot do the same, and with the signal's
   * reason.
   */
  prepare(signal: AbortSignal): Promise<void> {
    const prepared = this.#turn.then(() => this.#prepare(signal))
    this.#turn = prepared.catch(() => {})
    return prepared
  }

  /** The frames that the standby recorder reads are those that are painted. */
  get isAsAhead(): boolean {
    return this.#aheadPath !== null && this.#aheadPath === this.#path
  }

  /** To be called often. Rejects with a BotError if the page does not paint any more: the recording would freeze. */
  async check(): Promise<void> {
    const { clock } = this.#page
    if (!this.isUsed || clock.now() - this.#checkedAt < CHECK_EVERY_MS) return
    this.#checkedAt = clock.now()
    const fault = await this.#page.ask('framesFault').catch(() => null)
    if (fault === null) return
    // The next document may fail in the same way.
    this.#page.environment.needDisplay?.()
    throw browserBroke(`The page does not paint its picture any more: ${fault}`)
  }

  async #prepareAhead(): Promise<boolean> {
    const { environment, logger } = this.#page
    if (environment.frames === undefined || this.#path === null) return false
    const path = await this.#open(() => {
      this.#refusal = needsDisplay(environment)
    })
    if (path === null) return false
    try {
      await lead(environment.frames, path)
    } catch (error) {
      logger.warn('The recorder cannot be led to the frames', { error })
      return false
    }
    this.#aheadPath ??= path
    return true
  }

  async #prepare(signal: AbortSignal): Promise<void> {
    const { environment, logger, clock } = this.#page
    if (environment.frames === undefined || this.#path === null) return
    if (this.#path === undefined) {
      const path = await this.#open()
      const refusal = path === null ? needsDisplay(environment) : null
      if (refusal !== null) throw refusal
      this.#path = path
      logger.info('The picture is painted', { on: this.#path === null ? 'the display' : 'frames' })
      if (this.#path === null) {
        await this.#page.ask('closeFrames')
        await rm(environment.frames, { force: true })
      } else await lead(environment.frames, this.#path)
      return
    }
    for (let attempt = 1; (await this.#open()) !== this.#path; attempt++) {
      if (attempt >= TRIES_AGAIN) throw browserBroke('The page was reloaded and does not paint its picture any more.')
      await clock.sleep(RETRY_MS, signal)
    }
  }

  /** `onRefused`: browser or page do not allow it. */
  async #open(onRefused = () => {}): Promise<string | null> {
    const { browser, environment, logger } = this.#page
    const { width, height } = environment
    try {
      const mark = await this.#page.ask('openFrames', pageScript(PAINTER), { width, height })
      if (mark === null) {
        onRefused()
        return null
      }
      if (mark === this.#found?.mark) return this.#found.path
      const path = await browser.storedFile(Buffer.from(mark, 'hex'), (width * height * 3) / 2)
      if (path === null) logger.warn('The file that the page paints is not in the folder of its browser')
      else if (path === (this.#path ?? path)) this.#found = { mark, path }
      return path
    } catch (error) {
      logger.warn('The page cannot paint frames', { error })
      return null
    }
  }
}

/** Null where the display is there. */
function needsDisplay({ needDisplay }: CaptureEnvironment): BotError | null {
  if (needDisplay === undefined) return null
  needDisplay()
  const message = 'The page cannot paint its picture as frames, so it is opened again on a display.'
  return new BotError('INTERNAL_ERROR', message, { step: DISPLAY_STEP, canRetry: true })
}

/** Replaces the link in one step: there may be one from an earlier browser. */
async function lead(link: string, path: string): Promise<void> {
  const fresh = `${link}.new`
  await rm(fresh, { force: true })
  await symlink(path, fresh)
  await rename(fresh, link)
}
