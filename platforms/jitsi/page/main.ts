/**
 * Runs at the start of every document of the meeting's tab and answers the driver. It keeps no name in the page, and it
 * reads the page's own state without changing it.
 */

import { createWording } from '../../shared/page/dom/wording.ts'
import { createRosterReporter } from '../../shared/page/people/roster-reporter.ts'
import { type PlatformPage, type SharedPage, startPage } from '../../shared/page/start-page.ts'
import { captureJitsiAudio } from './audio-capture.ts'
import { createChat } from './chat.ts'
import { createElements } from './elements.ts'
import { createMediaWatch } from './media-watch.ts'
import { compositeTiles, People } from './people.ts'
import { createReactionReader } from './reactions.ts'
import { createSnapshotReader } from './snapshot.ts'
import { watchJitsiSpeech } from './speech.ts'
import { readStore, type StoreView } from './store.ts'
import { readTiles } from './tiles.ts'
import type { JitsiPageApi, PageConfig } from './types.ts'

/** Given by the driver, which wraps this script in a function of this parameter. */
declare const standinConfig: PageConfig

if (window.top === window) startPage(standinConfig, createJitsiPage)

function createJitsiPage(page: SharedPage<PageConfig>): PlatformPage<JitsiPageApi> {
  const { config, tap, queue, emit, emitSpeech, hands } = page
  const { selectors } = config
  let store: StoreView | null = null
  const elements = createElements(selectors, createWording(config.labels))
  const people = new People()
  let roster = people.view(null, [])
  const rosterReporter = createRosterReporter(config.botName, emit)
  const chat = createChat(config, emit)
  const readReactions = createReactionReader(hands, emit)
  const media = createMediaWatch(() => tap?.connections() ?? [])
  const selfId = () => store?.selfId ?? null
  const speech = tap && watchJitsiSpeech({ selectors, tap, selfId, emit: emitSpeech })
  const snapshot = createSnapshotReader(config, {
    elements,
    others: () => (roster.source === null ? null : roster.people.length),
    isMediaLost: () => media.isLost(roster.people.length),
  })

  return {
    elements,
    snapshot: { read: () => snapshot.read(readStore()), reference: snapshot.reference },
    speech,
    audioCapture: tap && captureJitsiAudio({ tap, config }, () => store),
    poll(at) {
      store = readStore()
      const tiles = readTiles(selectors)
      roster = people.view(store, tiles)
      // A page that does not say who is present does not say who left either.
      if (roster.source !== null) rosterReporter.update(roster, at)
      chat.read(at)
      if (queue.hasBegun) readReactions(store, at)
      return compositeTiles(roster, store, tiles, speech?.speaking() ?? new Set())
    },
    begin(at) {
      rosterReporter.begin(at)
      page.poll()
    },
    chat: () => chat.state(elements.find('chatBox') as HTMLTextAreaElement | null),
    isCallOver: () => store?.isJoined === false,
    calls: {},
  }
}
