/**
 * Tasks of the guest in the meeting: sound, the panels and the view of the page. An open panel is the only source of
 * messages and of names, and some builds show only one at a time; none is ever in the recording.
 */
import type { RecordingMode } from '@standin/wire/codes.ts'
import type { ZoomPaces } from '../paces.ts'
import type { ElementName, PageSnapshot } from '../page/types.ts'
import type { PageState } from '../page-state.ts'
import { SoundJoin } from '../sound-join.ts'
import type { ChatPanel } from './chat.ts'
import type { ZoomPage } from './page.ts'

/** Attempts in a row of one kind; a control without effect is not pressed again. */
const TRIES = 6

type Chore = 'people' | 'chat' | 'view'

export class InCallTasks {
  readonly #page: ZoomPage
  readonly #paces: ZoomPaces
  readonly #chat: ChatPanel
  readonly #sound: SoundJoin
  readonly #view: 'speaker' | 'gallery'
  readonly #tries: Record<Chore, { count: number; at: number }> = {
    people: { count: 0, at: 0 },
    chat: { count: 0, at: 0 },
    view: { count: 0, at: 0 },
  }

  constructor(page: ZoomPage, mode: RecordingMode, paces: ZoomPaces, chat: ChatPanel) {
    this.#page = page
    this.#paces = paces
    this.#chat = chat
    this.#sound = new SoundJoin(page, paces)
    // The composite can show only people whose tiles the page shows; without a picture the fewest tiles are best.
    this.#view = mode === 'gallery_view' ? 'gallery' : 'speaker'
  }

  /** One poll of the meeting; does at most one task. */
  async afterPoll(snapshot: PageSnapshot, { kind }: PageState): Promise<void> {
    if (kind !== 'in_call') return
    if (await this.#sound.update(snapshot)) return
    if (await this.#openPanel(snapshot)) return
    await this.#chooseView(snapshot)
  }

  /** The chat is open, except while the list of names has to be read. */
  async #openPanel({ peoplePanel, chatPanel, isListDue }: PageSnapshot): Promise<boolean> {
    if (peoplePanel) this.#tries.people.count = 0
    if (chatPanel) this.#tries.chat.count = 0
    if (this.#chat.isInUse) return false
    if (isListDue && !peoplePanel && this.#isDue('people')) {
      await this.#press('people')
      return true
    }
    if (chatPanel || (isListDue && peoplePanel) || !this.#isDue('chat')) return false
    await this.#chat.open()
    return true
  }

  async #chooseView({ view }: PageSnapshot): Promise<void> {
    if (view === null || view === 'other' || view === this.#view || !this.#isDue('view')) return
    await this.#press('view')
    await this.#page.press(this.#view === 'gallery' ? 'galleryView' : 'speakerView')
  }

  /** The toolbar hides while the pointer rests. */
  async #press(name: ElementName): Promise<void> {
    await this.#page.wakePointer()
    await this.#page.press(name)
  }

  #isDue(chore: Chore): boolean {
    const now = this.#page.clock.now()
    const tried = this.#tries[chore]
    if (tried.count >= TRIES || now - tried.at < this.#paces.controlMs) return false
    this.#tries[chore] = { count: tried.count + 1, at: now }
    return true
  }
}
