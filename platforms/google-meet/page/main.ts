/**
 * Runs at the start of every document of the meeting's tab. It keeps no name in the page: the driver reaches it by an
 * event whose name only it knows, and gets its answer in the event's own object.
 */
import { createComposite } from '../../shared/page/composite.ts'
import { evenPlayout } from '../../shared/page/even-playout.ts'
import { wrapMethod } from '../../shared/page/native-look.ts'
import { installVirtualDevices } from '../../shared/page/virtual-devices.ts'
import { installWebRtcTap } from '../../shared/page/webrtc-tap.ts'
import { ChatLog } from './chat-log.ts'
import { readChatPanel } from './chat-panel.ts'
import { decodeCollection, decodeSync } from './collections.ts'
import { createElements } from './elements.ts'
import { Roster } from './roster.ts'
import { createSignsReader } from './signs.ts'
import { type Speech, watchSpeech } from './speech.ts'
import { compositeTiles, readRows, readTiles } from './tiles.ts'
import type { NumberedPageEvent, PageApi, PageConfig, PageEvent } from './types.ts'
import { isVisible } from './visible-text.ts'

/** Given by the driver, which wraps this script in a function of this parameter. */
declare const standinConfig: PageConfig

/** How often people, chat and pictures are looked at. Milliseconds. */
const LOOK_EVERY_MS = 250
/** More events than this wait for a driver that does not ask; the oldest are dropped. */
const MOST_EVENTS = 5000

if (window.top === window) start(standinConfig)

function start(config: PageConfig): void {
  const isMeeting = config.meetingHosts.includes(location.hostname)
  const { selectors } = config
  const events: NumberedPageEvent[] = []
  // Grows over documents too, so that the driver's acknowledgement never hides events of a newer one.
  let lastNumber = Date.now()
  let hasBegun = false
  /** What was said between the true admission and the driver's certainty of it. */
  let held: PageEvent[] = []
  const tell = (event: PageEvent) => {
    if (!hasBegun) {
      held = [...held.slice(-MOST_EVENTS), event]
      return
    }
    events.push({ number: ++lastNumber, event })
    if (events.length > MOST_EVENTS) events.shift()
    if (event.type === 'participant_left') speech?.forget(event.participantId)
  }

  const elements = createElements(config)
  const roster = new Roster(config.botName, tell)
  const chat = new ChatLog()
  const tap = isMeeting ? installWebRtcTap({ hideEncodedStreams: true }) : null
  let speech: Speech | null = null
  const composite = isMeeting && config.recordingMode !== 'audio_only' ? createComposite() : null
  if (isMeeting) {
    const devices = installVirtualDevices({ name: config.botName, image: config.botImage })
    devices.ready.catch((error) => console.warn('The picture could not be decoded', error))
  }

  if (tap) {
    evenPlayout(tap)
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
    speech = watchSpeech(selectors, tap, roster, (changes) => {
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
    if (hasBegun) roster.takePage(seen, shares, elements.peopleCount(), at)
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
  const api: PageApi = {
    snapshot(acknowledged) {
      while (events[0] && events[0].number <= acknowledged) events.shift()
      return { signs: signs.read(), events: [...events] }
    },
    element: (name) => elements.find(name),
    reference: (ref) => signs.reference(ref),
    begin() {
      if (hasBegun) return
      hasBegun = true
      // People first, then what they said and did.
      roster.begin(Date.now())
      for (const event of held.splice(0)) tell(event)
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
    clickElement(name) {
      const element = elements.find(name)
      if (element instanceof HTMLElement) element.click()
      return element !== null
    },
  }

  document.addEventListener(config.channel, (event) => {
    event.stopImmediatePropagation()
    const call = (event as CustomEvent<{ method: keyof PageApi; given: unknown[]; answer: unknown }>).detail
    const method = api[call.method] as (...given: unknown[]) => unknown
    call.answer = method(...call.given)
  })
}
