/**
 * Rejoins a meeting whose server was lost. The page reloads itself and shows its prejoin screen again; where the
 * network was still gone at that moment, only the driver can load the page once more.
 */
import type { MeetingPage } from '../shared/page-access/meeting-page.ts'
import type { PageState } from '../shared/page-state.ts'
import type { JoinFlow } from './join-flow.ts'
import type { ElementName, PageSnapshot } from './page/types.ts'
import { PAGE_PHASES, type PageStateKind } from './page-state.ts'

/** A page that is loading may look like another one for a moment, and a server that starts needs time. Milliseconds. */
const LOAD_AGAIN_MS = 8000

export class InCallTasks {
  readonly #page: MeetingPage<PageSnapshot, ElementName>
  readonly #url: string
  readonly #newJoinFlow: () => JoinFlow
  #joinFlow: JoinFlow | null = null
  /** Since when the page has not been the meeting's, or when it was last loaded again. */
  #goneAt: number | null = null

  /**
   * @param newJoinFlow makes the join flow of a new document; what was tried in the last document does not count in it
   */
  constructor(page: MeetingPage<PageSnapshot, ElementName>, url: string, newJoinFlow: () => JoinFlow) {
    this.#page = page
    this.#url = url
    this.#newJoinFlow = newJoinFlow
  }

  /** To be called at each poll in the meeting. */
  async afterPoll(snapshot: PageSnapshot, state: PageState<PageStateKind>, isNewDocument: boolean): Promise<void> {
    if (isNewDocument) this.#joinFlow = null
    const isGone = state.kind === 'unreachable' || state.kind === 'unknown'
    if (isGone) await this.#loadAgain(snapshot.at)
    else this.#goneAt = null
    if (PAGE_PHASES[state.kind] !== 'entrance') return
    this.#joinFlow ??= this.#newJoinFlow()
    await this.#joinFlow.ask(snapshot, state)
  }

  async #loadAgain(at: number): Promise<void> {
    this.#goneAt ??= at
    const { browser, logger, waits } = this.#page
    if (at - this.#goneAt < LOAD_AGAIN_MS) return
    this.#goneAt = at
    logger.info("Loading the meeting's page again")
    // The next poll shows the result.
    await browser.page
      .goto(this.#url, { waitUntil: 'commit', timeout: waits.loadMs })
      .catch((error) => logger.info('The page did not load', { error }))
  }
}
