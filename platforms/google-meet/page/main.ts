/** Runs at the start of every document of the meeting's tab, and leaves no name in the page. */
import { ChatLog } from '../../shared/page/chat-log.ts'
import { createComposite } from '../../shared/page/composite.ts'
import { evenPlayout } from '../../shared/page/even-playout.ts'
import { answerDriver, createEventQueue } from '../../shared/page/link.ts'
import { wrapMethod } from '../../shared/page/native-look.ts'
import { createSound } from '../../shared/page/sound.ts'
import type { Speech } from '../../shared/page/speech.ts'
import type { PageApi } from '../../shared/page/types.ts'
import { installVirtualDevices } from '../../shared/page/virtual-devices.ts'
import { isVisible } from '../../shared/page/visible-text.ts'
import { installWebRtcTap } from '../../shared/page/webrtc-tap.ts'
import { readChatPanel } from './chat-panel.ts'
import { decodeCollection, decodeSync } from './collections.ts'
import { createElements } from './elements.ts'
import { Roster } from './roster.ts'
import { createSignsReader } from './signs.ts'
import { watchMeetSpeech } from './speech.ts'
import { compositeTiles, readRows, readTiles } from './tiles.ts'
import type { ElementName, PageConfig, PageSigns } from './types.ts'

/** Given by the driver, which wraps this script in a function of this parameter. */
declare const standinConfig: PageConfig

/** How often people, chat and pictures are looked at. Milliseconds. */
const LOOK_EVERY_MS = 250

if (window.top === window) start(standinConfig)

function start(config: PageConfig): void {
  const isMeeting = config.meetingHosts.includes(location.hostname)
  const { selectors } = config
  const queue = createEventQueue((event) => {
    if (event.type === 'participant_left') speech?.forget(event.participantId)
  })
  const { tell } = queue
  const elements = createElements(config)
  const roster = new Roster(config.botName, tell)
  const chat = new ChatLog()
  const tap = isMeeting ? installWebRtcTap({ hideEncodedStreams: true }) : null
  let speech: Speech | null = null
  const composite = isMeeting && config.recordingMode !== 'audio_only' ? createComposite() : null
  const devices = isMeeting ? installVirtualDevices({ name: config.botName, image: config.botImage }) : null
  devices?.ready.catch((error) => console.warn('The picture could not be decoded', error))

  if (tap) {
    evenPlayout(tap, config.playout)
    let order = Promise.resolve()
    tap.onDataChannel(({ channel, label }) => {
      if (label !== 'collections') return
      channel.addEventListener('message', ({ data }) => {
        const at = Date.now()
        // Unpacking takes time; messages keep their order.
        order = order.then(() => takeCollection(data, at)).catch(() => {})
      })
    })
    listenToRosterCalls()
    speech = watchMeetSpeech(selectors, tap, roster, (changes) => {
      for (const change of changes) tell({ type: 'speaking', ...change })
    })
    setInterval(look, LOOK_EVERY_MS)
  }

  async function takeCollection(data: unknown, at: number): Promise<void> {
    const bytes = data instanceof Blob ? await data.arrayBuffer() : data
    if (!(bytes instanceof ArrayBuffer)) return
    const update = await decodeCollection(bytes)
    if (!update) return
    roster.takeOutputs(update.outputs)
    roster.takeUsers(update.users, 'channel', at)
    for (const line of update.chat) {
      const isOwn = line.deviceId !== null && roster.isSelf(line.deviceId)
      const senderName = isOwn ? config.botName : ((line.deviceId && roster.nameOf(line.deviceId)) ?? 'Unknown')
      const message = { id: line.id, senderId: line.deviceId, senderName, text: line.text, at: line.at ?? at, isOwn }
      if (chat.take('channel', message)) tell({ type: 'chat_message', message })
    }
  }

  /** The first whole roster comes over HTTP; the page's own use of the answer is not touched. */
  function listenToRosterCalls(): void {
    wrapMethod(globalThis, 'fetch', (native, _self, given) => {
      const answer = native(...given) as Promise<Response>
      const [request] = given
      const url = request instanceof Request ? request.url : String(request)
      if (url.includes('SyncMeetingSpaceCollections')) {
        answer
          .then((response) => response.clone().text())
          .then((text) => roster.takeUsers(decodeSync(text), 'http', Date.now()))
          .catch(() => {
            // The page hears of a failed call itself.
          })
      }
      return answer
    })
  }

  function look(): void {
    if (!document.body || !tap) return
    const at = Date.now()
    const tiles = readTiles(selectors, elements.says)
    const rows = readRows(selectors, elements.says)
    const seen = [...tiles.filter(({ isScreen }) => !isScreen), ...rows]
    const shares = new Map(tiles.filter(({ isScreen }) => isScreen).map(({ mediaId, id }) => [mediaId, id]))
    if (queue.hasBegun) roster.takePage(seen, shares, elements.peopleCount(), at)
    for (const line of readChatPanel(selectors, elements.says, at)) {
      if (chat.knows(line.id)) continue
      const named = roster.present().filter(({ name }) => name === line.sender)
      const message = {
        id: line.id,
        senderId: line.sender === null ? roster.ownId() : named.length === 1 ? named[0]!.id : null,
        senderName: line.sender ?? config.botName,
        text: line.text,
        // Seen just now, but not later than the end of the minute that is shown.
        at: line.shownAt === null ? at : Math.min(at, line.shownAt + 59_999),
        isOwn: line.sender === null,
      }
      if (chat.take('panel', message)) tell({ type: 'chat_message', message })
    }
    composite?.update(compositeTiles(tiles, roster, tap, speech?.speaking() ?? new Set()))
  }

  const signs = createSignsReader(config, elements, roster, () => tap?.audioReceivers().length ?? 0)
  const api: PageApi<PageSigns, ElementName> = {
    ...createSound(devices),
    snapshot: (acknowledged) => ({ signs: signs.read(), ...queue.take(acknowledged) }),
    element: (name) => elements.find(name),
    reference: (ref) => signs.reference(ref),
    begin() {
      if (!queue.begin()) return
      // People first, then what they said and did.
      roster.begin(Date.now())
      queue.release()
      look()
    },
    chat() {
      const box = elements.find('chatBox') as HTMLTextAreaElement | null
      const messages = readChatPanel(selectors, elements.says, Date.now())
      const panels = [...document.querySelectorAll(selectors.chatPanel ?? ':not(*)')]
      return {
        isPanelOpen: box !== null || panels.some(isVisible),
        box: box && { isEnabled: !box.disabled && !box.readOnly, value: box.value },
        own: messages.filter(({ sender }) => sender === null).map(({ id, text }) => ({ id, text })),
      }
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
