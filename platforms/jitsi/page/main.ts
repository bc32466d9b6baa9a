/**
 * Runs at the start of every document of the meeting's tab and answers the driver. It keeps no name in the page and
 * changes nothing of the page's own state, which it only reads.
 */
import { ChatLog } from '../../shared/page/chat-log.ts'
import { createComposite } from '../../shared/page/composite.ts'
import { evenPlayout } from '../../shared/page/even-playout.ts'
import { answerDriver, createEventQueue } from '../../shared/page/link.ts'
import { createRosterTeller } from '../../shared/page/roster-teller.ts'
import { createSound } from '../../shared/page/sound.ts'
import { type Speech, watchSpeech } from '../../shared/page/speech.ts'
import { installVirtualDevices } from '../../shared/page/virtual-devices.ts'
import { installWebRtcTap } from '../../shared/page/webrtc-tap.ts'
import { createWording } from '../../shared/page/wording.ts'
import { chatState, readChat } from './chat.ts'
import { createElements } from './elements.ts'
import { createLevelReader, ownerOfReceiver } from './levels.ts'
import { watchMarks } from './marks.ts'
import { createMediaWatch } from './media-watch.ts'
import { compositeTiles, People, type RosterView } from './people.ts'
import { createSignsReader } from './signs.ts'
import { readStore, type StoreView } from './store.ts'
import { readTiles } from './tiles.ts'
import type { JitsiPageApi, PageConfig } from './types.ts'

/** Given by the driver, which wraps this script in a function of this parameter. */
declare const standinConfig: PageConfig

/** How often people, chat and pictures are looked at. Milliseconds. */
const LOOK_EVERY_MS = 250
/** Servers that keep the chat tell what was said before the bot came; clocks of two machines differ by less than this. */
const CLOCKS_MS = 5000

if (window.top === window) start(standinConfig)

function start(config: PageConfig): void {
  const isMeeting = config.meetingHosts.includes(location.hostname)
  const { selectors } = config
  let speech: Speech | null = null
  const queue = createEventQueue((event) => {
    if (event.type === 'participant_left') speech?.forget(event.participantId)
  })
  const elements = createElements(selectors, createWording(config.labels))
  const people = new People()
  const teller = createRosterTeller(config.botName, queue.tell)
  const chat = new ChatLog()
  const tap = isMeeting ? installWebRtcTap() : null
  const media = createMediaWatch(() => tap?.connections() ?? [])
  const composite = isMeeting && config.recordingMode !== 'audio_only' ? createComposite() : null
  let roster: RosterView = { people: [], sharing: [], selfIsKnown: false, source: null }
  let store: StoreView | null = null
  let joinedAt: number | null = null

  const devices = isMeeting ? installVirtualDevices({ name: config.botName, image: config.botImage }) : null
  devices?.ready.catch((error) => console.warn('The picture could not be decoded', error))

  if (tap) {
    evenPlayout(tap, config.playout)
    const levels = createLevelReader()
    speech = watchSpeech({
      // One track for each person: there are no contributing sources.
      receivers: () => [],
      ownersOfSource: () => [],
      levels: () => {
        const current = readStore()
        const tracks = tap.tracks('audio')
        return levels(tap.audioReceivers(), (receiver) => ownerOfReceiver(receiver, current, tracks))
      },
      tell(changes) {
        // Ours is not told, whatever the page draws around it.
        for (const change of changes)
          if (change.participantId !== store?.selfId) queue.tell({ type: 'speaking', ...change })
      },
    })
    watchMarks(selectors, (id) => speech?.mark(id))
    setInterval(look, LOOK_EVERY_MS)
  }

  function look(): void {
    if (!document.body || !tap) return
    const at = Date.now()
    store = readStore()
    if (store?.isJoined) joinedAt ??= at
    const tiles = readTiles(selectors)
    roster = people.view(store, tiles)
    // What is not known is not told: nobody has left because the page says nothing.
    if (roster.source !== null) teller.update(roster, at)
    takeChat()
    composite?.update(compositeTiles(roster, store, tiles, speech?.speaking() ?? new Set()))
  }

  function takeChat(): void {
    for (const line of readChat(selectors)) {
      if (chat.knows(line.id) || (joinedAt !== null && line.at < joinedAt - CLOCKS_MS)) continue
      const message = line.isOwn ? { ...line, senderName: config.botName } : line
      if (chat.take('channel', message)) queue.tell({ type: 'chat_message', message })
    }
  }

  const signs = createSignsReader(config, {
    elements,
    others: () => (roster.source === null ? null : roster.people.length),
    isMediaLost: () => media.isLost(roster.people.length),
  })
  const api: JitsiPageApi = {
    ...createSound(devices),
    snapshot: (acknowledged) => ({ signs: signs.read(readStore()), ...queue.take(acknowledged) }),
    element: (name) => elements.find(name),
    reference: (ref) => signs.reference(ref),
    begin() {
      if (!queue.begin()) return
      // People first, then what they said and did.
      teller.begin(Date.now())
      look()
      queue.release()
    },
    chat() {
      // The panel may be closed again before the next look.
      takeChat()
      return chatState(selectors, elements.find('chatBox') as HTMLTextAreaElement | null)
    },
    async showComposite() {
      if (!composite || config.recordingMode === 'audio_only') return
      look()
      composite.show(config.recordingMode)
      await composite.painted()
    },
  }
  answerDriver(config.channel, api)
}
