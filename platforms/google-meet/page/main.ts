/** Runs at the start of every document of the meeting's tab, and leaves no name in the page. */

import { createUnreadMessages } from '../../shared/page/chat/unread-messages.ts'
import { type PlatformPage, type SharedPage, startPage } from '../../shared/page/start-page.ts'
import type { PageApi } from '../../shared/page/types.ts'
import { captureMeetAudio } from './audio-capture.ts'
import { createCaptionEvents } from './caption-events.ts'
import { createChat } from './chat.ts'
import { createElements } from './elements.ts'
import { listenToMeetingChannels } from './meeting-channels.ts'
import { receiveNoVideo } from './no-incoming-video.ts'
import { createReactionReader } from './reactions.ts'
import { Roster } from './roster.ts'
import { createSnapshotReader } from './snapshot.ts'
import { watchMeetSpeech } from './speech.ts'
import { playDirectly } from './straight-sound.ts'
import { compositeTiles, readRows, readTiles } from './tiles.ts'
import type { ElementName, PageConfig, PageSnapshot } from './types.ts'

/** Given by the driver, which wraps this script in a function of this parameter. */
declare const standinConfig: PageConfig

if (window.top === window) startPage(standinConfig, createMeetPage, { tap: { hideEncodedStreams: true } })

function createMeetPage(page: SharedPage<PageConfig>): PlatformPage<PageApi<PageSnapshot, ElementName>> {
  const { config, tap, queue, emit, emitSpeech, hands } = page
  const { selectors } = config
  const elements = createElements(config)
  const roster = new Roster(config.botName, emit)
  const chat = createChat({ config, elements, roster, emit, miss: queue.miss })
  const captions = createCaptionEvents({ selectors, elements, roster, emit })
  const readReactions = createReactionReader({ config, elements, roster, hands, emit })
  const unread = createUnreadMessages()
  if (tap && config.recordingMode === 'audio_only') turnOffIncomingVideo()
  if (tap) {
    playDirectly(tap)
    listenToMeetingChannels(tap, {
      unread,
      onCollection({ outputs, users, chat: messages }, at) {
        roster.takeOutputs(outputs)
        roster.takeUsers(users, 'channel', at)
        for (const message of messages) chat.handleRecord(message, at)
      },
      onCaptions: config.captions ? captions.handleRecords : null,
      onRosterCall: (users, at) => roster.takeUsers(users, 'http', at),
    })
  }
  const speech = tap && watchMeetSpeech(selectors, tap, roster, emitSpeech)
  const receivers = () => tap?.audioReceivers().length ?? 0
  const snapshot = createSnapshotReader(config, elements, roster, receivers, speech)

  return {
    elements,
    snapshot: { read: () => ({ ...snapshot.read(), unread: unread.counts() }), reference: snapshot.reference },
    speech,
    audioCapture: tap && captureMeetAudio({ tap, config }, roster),
    poll(at) {
      const tiles = readTiles(selectors, elements.says)
      const seen = [...tiles.filter(({ isScreen }) => !isScreen), ...readRows(selectors, elements.says)]
      const shares = new Map(tiles.filter(({ isScreen }) => isScreen).map(({ mediaId, id }) => [mediaId, id]))
      if (queue.hasBegun) roster.takePage(seen, shares, elements.peopleCount(), at)
      chat.read(at)
      if (config.captions) captions.read(at)
      if (queue.hasBegun) readReactions(tiles, at)
      return tap ? compositeTiles(tiles, roster, tap, speech?.speaking() ?? new Set()) : []
    },
    begin(at) {
      roster.begin(at)
      // The roster has emitted the people who are known, so the held events come before those of the next poll.
      queue.release()
      page.poll()
    },
    chat: chat.state,
    calls: {},
  }
}

function turnOffIncomingVideo(): void {
  try {
    receiveNoVideo(localStorage)
  } catch (error) {
    console.warn('Cannot turn off incoming video', error)
  }
}
