/** The pages that a bot shows in the meeting of one browser: their tabs become camera or screen and voice, and hear the meeting. */
import { randomBytes } from 'node:crypto'
import type { PageTarget } from '@standin/wire/bot-fields.ts'
import { parseMessage } from '@standin/wire/events.ts'
import { problemsOf } from '@standin/wire/job.ts'
import { type PageCall, pageCallSchema } from '@standin/wire/page-bridge.ts'
import { messageOf } from '@standin/wire/text/error-text.ts'
import { inTurn } from '@standin/wire/time/in-turn.ts'
import { problemOfAddress } from '../../../packages/core/network/address-policy.ts'
import type { CapturedAudio, ShownPage, ShownPageListener } from '../../../packages/core/ports.ts'
import type { ShownTab, ShownTabParts } from '../../browser/shown-tab.ts'
import type { DeviceToggles } from '../join/device-toggles.ts'
import type { CommonSnapshot } from '../page/types.ts'
import { scriptSource } from '../page-access/meeting-page.ts'
import { type ScreenShareParts, shareScreen } from './screen-share.ts'

export interface PageStageParts extends Omit<ScreenShareParts, 'words'> {
  devices: DeviceToggles
  /** Null where no screen can be shared. */
  sharingWords: ScreenShareParts['words'] | null
  /** Camera and microphone as they are without a page. */
  usual(): Record<'camera' | 'microphone', 'on' | 'off'>
  isPermitted(address: string): boolean
  upstreamProxy: string | null
  onTraffic: ShownTabParts['onTraffic']
}

/** A call of the page is a line of text. */
const MAX_CALL_LENGTH = 5000
/** Calls that are not answered yet; a page that makes more is refused. */
const MAX_CALLS = 20

interface Shown {
  target: PageTarget
  url: string
  listener: ShownPageListener
  /** Of its tab, in the meeting's page. */
  id: number
  /** Null while it is opened. */
  tab: ShownTab | null
  /** The document of the meeting that shows it; null before. */
  document: AbortController | null
  /** Its document has asked for its microphone. */
  listens: boolean
  /** Aborted with the reason once it is shown no more. */
  over: AbortController
}

export class PageStage {
  readonly #parts: PageStageParts
  readonly #over = new AbortController()
  /** The browser knows a tab by its mark while it is captured, so one at a time. */
  readonly #inTurn = inTurn(1)
  #last = 0
  /** The meeting's document, aborted once another one has replaced it: its tabs end with it. */
  #document = new AbortController()
  #calls = 0
  readonly #shown = new Map<PageTarget, Shown>()
  /** Looks in a row that showed that the meeting does not have the screen it had taken; null while it has to take one. */
  #unsharedLooks: number | null = null

  constructor(parts: PageStageParts) {
    this.#parts = parts
  }

  get isUsed(): boolean {
    return this.#shown.size > 0
  }

  /** As `MeetingDriver.showPage`. */
  async show(target: PageTarget, url: string, listener: ShownPageListener): Promise<ShownPage> {
    const problem = this.#parts.isPermitted(url) ? null : problemOfAddress(url)
    if (problem !== null) throw new Error(`The address of the page ${problem}.`)
    const blank = { id: 0, tab: null, document: null, listens: false }
    const shown: Shown = { ...blank, target, url, listener, over: new AbortController() }
    await this.#inTurn(() => this.#show(shown)).catch(async (error) => {
      await this.#close(shown)
      throw error
    })
    return {
      tell: (news) => shown.tab?.call('tell', [news]),
      close: () => this.#close(shown),
    }
  }

  /** Sound of the meeting, and of the page that is shown. */
  onMeeting({ samples }: CapturedAudio): void {
    for (const { tab, listens } of this.#shown.values()) if (listens) tab?.hear(samples)
  }

  onPage(sound: CapturedAudio): void {
    // A host who muted the bot does not hear it either.
    if (this.#parts.devices.wants('microphone') !== 'on') return
    const [shown] = this.#shown.values()
    shown?.listener.onSound(sound)
  }

  /** The meeting's page was reloaded: it shows no tab. */
  onNewDocument(): void {
    this.#document.abort(new Error('The page of the meeting was loaded anew.'))
    this.#document = new AbortController()
    for (const shown of this.#shown.values()) {
      this.#unsharedLooks = null
      this.#inTurn(() => this.#show(shown)).catch((error) => {
        if (!this.#over.signal.aborted && !shown.over.signal.aborted) void this.#drop(shown, messageOf(error))
      })
    }
  }

  /** The meeting may end the share: a host stops it, or another person takes its place. */
  onSnapshot({ sharesScreen }: Pick<CommonSnapshot, 'sharesScreen'>): void {
    const shown = this.#shown.get('screen')
    if (!shown || this.#unsharedLooks === null) return
    this.#unsharedLooks = sharesScreen === false ? this.#unsharedLooks + 1 : 0
    // The first look may be older than the share.
    if (this.#unsharedLooks > 1) void this.#drop(shown, 'the meeting ended the share.')
  }

  /** Repeatable, never rejects. */
  async close(): Promise<void> {
    this.#over.abort()
    await Promise.all([...this.#shown.values()].map(({ tab }) => tab?.close()))
  }

  /** Opens it in the document that the meeting has now, and once more if that is replaced meanwhile. */
  async #show(shown: Shown): Promise<void> {
    while (shown.document !== this.#document) {
      const document = this.#document
      await this.#open(shown, document.signal).catch((error) => {
        if (document === this.#document) throw error
      })
      shown.document = document
    }
  }

  async #open(shown: Shown, document: AbortSignal): Promise<void> {
    const { page, devices, isPermitted, upstreamProxy, onTraffic } = this.#parts
    const { target } = shown
    const { browser, logger } = page
    const mark = browser.tabMark
    const whole = browser.context.browser()
    if (mark === null || whole === null) throw new Error('This browser cannot show a page.')
    if (page.environment.display !== null)
      throw new Error('A page cannot be shown while the meeting is recorded from a display.')
    const signal = AbortSignal.any([this.#over.signal, shown.over.signal, document])
    signal.throwIfAborted()
    const id = ++this.#last
    const channel = randomBytes(12).toString('hex')
    try {
      // Most bots show no page.
      const { openShownTab } = await import('../../browser/shown-tab.ts')
      const tab = await openShownTab({
        ...{ browser: whole, mark, isPermitted, upstreamProxy, onTraffic, logger, url: shown.url, signal },
        script: { channel, source: scriptSource('page/shared/shown-page', channel) },
        capture: () => this.#capture(id),
        onCarried: (payload, tab) => this.#onCarried(payload, tab, shown),
        onEnded: (reason) => void this.#drop(shown, reason),
      })
      Object.assign(shown, { tab, id })
      this.#shown.set(target, shown)
      await page.ask('showTab', id, target)
      if (target === 'screen') await this.#share(signal)
      await this.#hear()
    } catch (error) {
      await this.#ask('releaseTab', id)
      throw error
    }
    if (this.#shown.get(target) !== shown) return
    if (target === 'camera') devices.want('camera', 'on')
    devices.want('microphone', 'on')
  }

  async #share(signal: AbortSignal): Promise<void> {
    const { page, isInCall, sharingWords: words } = this.#parts
    if (words === null) throw new Error('The bot can share no screen here.')
    await shareScreen({ page, isInCall, words }, signal)
    this.#unsharedLooks = 0
  }

  async #capture(id: number): Promise<void> {
    const problem = await this.#parts.page.ask('captureTab', id)
    if (problem === null) throw new Error('The page of the meeting shows no pages now.')
    if (problem !== '') throw new Error(`The browser cannot show a page: ${problem}`)
  }

  #onCarried(payload: string, tab: ShownTab, shown: Shown): void {
    if (payload !== 'listen' && payload !== 'ready') return void this.#answer(payload, tab, shown.listener)
    // A new document has no microphone yet.
    shown.listens = payload === 'listen'
    if (this.#shown.get(shown.target) === shown) void this.#hear()
    if (payload === 'ready') tab.call('tell', shown.listener.firstNews())
  }

  /** Sound of the meeting that no page listens to is not mixed. */
  #hear(): Promise<void> {
    return this.#ask(
      'hearMeeting',
      [...this.#shown.values()].some(({ listens }) => listens),
    )
  }

  async #answer(payload: string, tab: ShownTab, listener: ShownPageListener): Promise<void> {
    const asked = readCall(payload)
    if (asked === null) return
    const { id, call, problem } = asked
    if (problem !== null || this.#calls >= MAX_CALLS) {
      tab.call('answer', id, { problem: problem ?? 'The page has too many calls that wait for their answers.' })
      return
    }
    this.#calls++
    try {
      tab.call('answer', id, { data: (await listener.onCall(call)) ?? null })
    } catch (error) {
      tab.call('answer', id, { problem: messageOf(error) })
    } finally {
      this.#calls--
    }
  }

  async #drop(shown: Shown, reason: string): Promise<void> {
    await this.#close(shown, reason)
    shown.listener.onEnded(reason)
  }

  async #close(shown: Shown, reason = 'The page was stopped.'): Promise<void> {
    const { target } = shown
    shown.over.abort(new Error(reason))
    if (this.#shown.get(target) === shown) {
      this.#shown.delete(target)
      if (target === 'screen') this.#unsharedLooks = null
      const { devices, usual } = this.#parts
      const { camera, microphone } = usual()
      if (target === 'camera') devices.want('camera', camera)
      if (!this.isUsed) devices.want('microphone', microphone)
      await Promise.all([this.#ask('releaseTab', shown.id), this.#hear()])
    }
    await shown.tab?.close()
  }

  /** Of a page that may be gone. */
  async #ask(...[method, given]: ['releaseTab', number] | ['hearMeeting', boolean]): Promise<void> {
    const { page } = this.#parts
    await page
      .ask(method, given as never)
      .catch((error) =>
        page.logger.debug('The page of the meeting did not answer about a shown page', { method, error }),
      )
  }
}

/** Null for a text that is no call. */
function readCall(
  payload: string,
): { id: number; call: PageCall; problem: null } | { id: number; call: null; problem: string } | null {
  if (payload.length > MAX_CALL_LENGTH) return null
  const { id, ...asked } = (parseMessage(payload) ?? {}) as Record<string, unknown>
  if (typeof id !== 'number') return null
  const read = pageCallSchema.safeParse(asked)
  if (read.success) return { id, call: read.data, problem: null }
  const [first] = problemsOf(read.error)
  return { id, call: null, problem: `${first?.path ?? ''}: ${first?.message ?? 'is no call'}` }
}
