/**
 * The way back into a meeting whose server was lost. The page loads itself anew and stands in front of the door again;
 * where the network was still gone at that moment, nobody but the driver loads it once more.
 */
import type { MeetingPage } from '../shared/meeting-page.ts'
import type { PageState } from '../shared/page-state.ts'
import type { JoinFlow } from './join-flow.ts'
import type { ElementName, PageSnapshot } from './page/types.ts'
import { PAGE_PHASES, type PageStateKind } from './page-state.ts'

/** A page that is loading may look like another one for a moment, and a server that starts wants no hurry. */
const LOAD_AGAIN_MS = 8000

export class InCallTasks {
  readonly #page: MeetingPage<PageSnapshot, ElementName>
  readonly #url: string
  readonly #newDoor: () => JoinFlow
  #door: JoinFlow | null = null
  /** Since when the page has been none of the meeting's, or when it was last loaded again. */
  #goneAt: number | null = null

  /** @param newDoor what was tried at the door of one document does not count at that of the next */
  constructor(page: MeetingPage<PageSnapshot, ElementName>, url: string, newDoor: () => JoinFlow) {
    this.#page = page
    this.#url = url
    this.#newDoor = newDoor
  }

  /** Each look in the meeting. */
  async look(snapshot: PageSnapshot, state: PageState<PageStateKind>, isNewDocument: boolean): Promise<void> {
    if (isNewDocument) this.#door = null
    const isGone = state.kind === 'unreachable' || state.kind === 'unknown'
    if (isGone) await this.#loadAgain(snapshot.at)
    else this.#goneAt = null
    if (PAGE_PHASES[state.kind] !== 'entrance') return
    this.#door ??= this.#newDoor()
    await this.#door.ask(snapshot, state)
  }

  async #loadAgain(at: number): Promise<void> {
    this.#goneAt ??= at
    const { browser, logger, waits } = this.#page
    if (at - this.#goneAt < LOAD_AGAIN_MS) return
    this.#goneAt = at
    logger.info("Loading the meeting's page again")
    // The next look sees what came of it.
    await browser.page
      .goto(this.#url, { waitUntil: 'commit', timeout: waits.loadMs })
      .catch((error) => logger.info('The page did not load', { error }))
  }
}
