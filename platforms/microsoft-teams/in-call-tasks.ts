/**
 * Tasks of the bot in the meeting beside watching it: choose a layout that shows people, open the chat, and turn
 * captions on if nothing else shows who speaks.
 */
import type { RecordingMode } from '@standin/wire/codes.ts'
import type { PageState } from '../shared/page-state.ts'
import type { TeamsChat } from './chat.ts'
import type { ElementName, PageSnapshot } from './page/types.ts'
import type { TeamsPage } from './page-script.ts'
import type { PageStateKind } from './page-state.ts'

/** While the pointer rests for long, the page stops receiving chat (docs/platform-notes/microsoft-teams.md#chat). */
const STIR_EVERY_MS = 4 * 60_000
/** After so much sound without a known speaker, neither sources nor marks show who speaks in this meeting. */
const UNATTRIBUTED_MS = 8000
const CAPTION_TRIES = 3
const CAPTIONS_EVERY_MS = 15_000
const LAYOUT_TRIES = 3
/** Opening the chat closes the menu of views, and takes some seconds after joining. Milliseconds. */
const LAYOUT_EVERY_MS = 10_000
/** A menu opens a moment after the click. */
const MENU_MS = 3000
const POLL_MS = 100

export class InCallTasks {
  readonly #page: TeamsPage
  readonly #chat: TeamsChat
  readonly #recordingMode: RecordingMode
  #stirredAt: number
  #layoutTries = 0
  #layoutAt = Number.NEGATIVE_INFINITY
  #captionTries = 0
  #captionsAt = Number.NEGATIVE_INFINITY

  constructor(page: TeamsPage, chat: TeamsChat, recordingMode: RecordingMode) {
    this.#page = page
    this.#chat = chat
    this.#recordingMode = recordingMode
    this.#stirredAt = page.clock.now()
  }

  async afterPoll(snapshot: PageSnapshot, { kind }: PageState<PageStateKind>, isNewDocument: boolean): Promise<void> {
    const { clock } = this.#page
    if (isNewDocument) this.#layoutTries = 0
    if (kind !== 'in_call') return
    await this.#chat.keepOpen(snapshot.chatPane)
    const isLayoutDue = this.#layoutTries < LAYOUT_TRIES && clock.now() - this.#layoutAt >= LAYOUT_EVERY_MS
    if (snapshot.viewControl && isLayoutDue) await this.#layOut()
    if (snapshot.unattributedMs >= UNATTRIBUTED_MS && !snapshot.captionsShown) await this.#askForCaptions()
    if (clock.now() - this.#stirredAt < STIR_EVERY_MS) return
    this.#stirredAt = clock.now()
    await this.#page.wakePointer()
  }

  /** More people on the page give the recording more pictures; in the speaker view the speaker has the large one. */
  async #layOut(): Promise<void> {
    this.#layoutTries++
    this.#layoutAt = this.#page.clock.now()
    await this.#page.wakePointer()
    await this.#page.press('view')
    if (await this.#chooseView()) this.#layoutTries = LAYOUT_TRIES
    else await this.#page.browser.page.keyboard.press('Escape')
  }

  /**
   * Works in the open menu. Where pictures are not recorded, they need not be sent or decoded
   * (docs/platform-notes/microsoft-teams.md#layouts-banners-and-incoming-video).
   */
  async #chooseView(): Promise<boolean> {
    if (this.#recordingMode === 'gallery_view') return (await this.#pressSoon(['galleryView'])) !== null
    if (this.#recordingMode === 'speaker_view') return (await this.#pressSoon(['speakerView'])) !== null
    return this.#pressItem('incomingVideo', 'viewMore')
  }

  async #askForCaptions(): Promise<void> {
    const { clock, logger } = this.#page
    if (this.#captionTries >= CAPTION_TRIES || clock.now() - this.#captionsAt < CAPTIONS_EVERY_MS) return
    this.#captionTries++
    this.#captionsAt = clock.now()
    logger.info('Neither sources nor marks show who speaks; turning on captions, which do')
    await this.turnOnCaptions()
  }

  /** Uses the client's own object where it has one, else the menu. True if either accepted it. */
  async turnOnCaptions(): Promise<boolean> {
    if (await this.#page.ask('startCaptions')) return true
    await this.#page.wakePointer()
    await this.#page.press('more')
    if (await this.#pressItem('captionsItem', 'captionsMenu')) return true
    await this.#page.browser.page.keyboard.press('Escape')
    return false
  }

  /** Presses an item of the open menu, which may be in a submenu. */
  async #pressItem(item: ElementName, submenu: ElementName): Promise<boolean> {
    const pressed = await this.#pressSoon([item, submenu])
    return pressed === submenu ? (await this.#pressSoon([item])) !== null : pressed !== null
  }

  /** Presses the first of these that appears; null if none does. */
  async #pressSoon(names: readonly ElementName[]): Promise<ElementName | null> {
    const { clock } = this.#page
    const deadline = clock.now() + MENU_MS
    while (clock.now() < deadline) {
      for (const name of names) if (await this.#page.press(name)) return name
      await clock.sleep(POLL_MS)
    }
    return null
  }
}
