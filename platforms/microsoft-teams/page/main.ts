/** Runs at the start of every document of the meeting's tab, and leaves no name in the page. */

import { createUnreadMessages } from '../../shared/page/chat/unread-messages.ts'
import { createDialogReader } from '../../shared/page/dom/dialogs.ts'
import { createWording } from '../../shared/page/dom/wording.ts'
import { type PlatformPage, type SharedPage, startPage } from '../../shared/page/start-page.ts'
import { captureTeamsAudio } from './audio-capture.ts'
import { startCaptions } from './call-object.ts'
import { createCaptionEvents } from './caption-events.ts'
import { createChat } from './chat.ts'
import { createElements } from './elements.ts'
import { createEndNotice } from './end-notice.ts'
import { watchMarks } from './marks.ts'
import { listenToMeetingChannels } from './meeting-channels.ts'
import { createReactionReader } from './reactions.ts'
import { createRosterReader } from './roster-reader.ts'
import { blockForeignSchemes } from './schemes.ts'
import { createSnapshotReader } from './snapshot.ts'
import { watchTeamsSpeech } from './speech.ts'
import { compositeTiles, readTiles } from './tiles.ts'
import type { PageConfig, TeamsPageApi } from './types.ts'
import { warmUpDevices } from './warm-up-devices.ts'

/** Given by the driver, which wraps this script in a function of this parameter. */
declare const standinConfig: PageConfig

const isMeeting = standinConfig.meetingHosts.some(
  (host) => location.hostname === host || location.hostname.endsWith(`.${host}`),
)
if (isMeeting) blockForeignSchemes()
if (window.top === window) startPage(standinConfig, createTeamsPage, { isMeeting })

function createTeamsPage(page: SharedPage<PageConfig>): PlatformPage<TeamsPageApi> {
  const { config, tap, queue, emit, emitSpeech, hands } = page
  const endNotice = createEndNotice()
  const wording = createWording(config.labels)
  const elements = createElements(config, wording)
  const { select } = elements
  const roster = createRosterReader({ config, wording, peopleCount: () => snapshot.peopleCount(), emit })
  const { people } = roster
  const chat = createChat({ config, people, wording, emit })
  const captions = createCaptionEvents({ config, people, wording, emit, onSpeaker: (id) => speech?.caption(id) })
  const readReactions = createReactionReader(hands, people)
  const unread = createUnreadMessages()
  const dialogs = createDialogReader(select, elements.label, true)
  const speech = tap && watchTeamsSpeech(tap, people, emitSpeech)
  const snapshot = createSnapshotReader(elements, wording, {
    people,
    dialogs,
    endNotice: endNotice.read,
    unattributedMs: () => speech?.unattributedMs() ?? 0,
    audioReceivers: () => tap?.audioReceivers().length ?? 0,
  })

  if (tap)
    listenToMeetingChannels(tap, {
      unread,
      callId: roster.callId,
      onChannelMessage({ dominant, captions: records }) {
        if (dominant) speech?.dominates(dominant)
        captions.handleRecords(records)
      },
      onRoster: (records) => people.takePush(records),
      onEnd({ subCode, senderMri }) {
        endNotice.take({ subCode, isByOther: senderMri !== null && senderMri !== people.selfMri })
      },
      onChat: (messages) => chat.addPushed(messages),
    })
  const readMarks = tap && watchMarks({ outline: select('outline'), wording, people, mark: (id) => speech?.mark(id) })

  return {
    elements,
    snapshot: { read: () => ({ ...snapshot.read(), unread: unread.counts() }), reference: dialogs.reference },
    speech,
    audioCapture: tap && captureTeamsAudio({ tap, config }),
    poll(at) {
      const tiles = readTiles(config, wording)
      roster.read(tiles, at)
      readMarks?.(tiles)
      captions.read(at)
      chat.read(at)
      if (queue.hasBegun) readReactions(tiles, at)
      return compositeTiles(tiles, people, speech?.speaking() ?? new Set())
    },
    begin(at) {
      roster.begin(at)
      page.poll()
    },
    chat() {
      const isOff = elements.has('chatOff')
      return chat.state(elements.find('chatBox'), { isOpen: elements.has('chatList') || isOff, isOff })
    },
    calls: { warmUpDevices, startCaptions },
  }
}
