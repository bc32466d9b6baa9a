/** Runs at the start of every document of the meeting's tab, and leaves no name in the page. */

import { createCurrentSource } from '../../shared/page/audio/current-source.ts'
import { createPageAudioCapture } from '../../shared/page/audio/page-audio-capture.ts'
import { syncPlayout } from '../../shared/page/audio/playout-sync.ts'
import type { Speech } from '../../shared/page/audio/speech.ts'
import { installWebRtcTap } from '../../shared/page/audio/webrtc-tap.ts'
import { CaptionRows } from '../../shared/page/chat/caption-rows.ts'
import { plainContent } from '../../shared/page/chat/chat-content.ts'
import { ChatLog } from '../../shared/page/chat/chat-log.ts'
import { seenAt } from '../../shared/page/chat/chat-time.ts'
import { createUnreadMessages, UnreadMessage } from '../../shared/page/chat/unread-messages.ts'
import { createOwnMedia } from '../../shared/page/devices/own-media.ts'
import { installVirtualDevices } from '../../shared/page/devices/virtual-devices.ts'
import { watchCallControl } from '../../shared/page/dom/call-control.ts'
import { watchChangedNodes } from '../../shared/page/dom/changed-nodes.ts'
import { wrapMethod } from '../../shared/page/dom/patch-native.ts'
import { isVisible } from '../../shared/page/dom/visible-text.ts'
import { answerDriver, createEventQueue } from '../../shared/page/link.ts'
import { createCameras } from '../../shared/page/people/cameras.ts'
import { Hands } from '../../shared/page/people/hands.ts'
import { createComposite } from '../../shared/page/picture/composite.ts'
import { pictureCalls } from '../../shared/page/picture/picture-calls.ts'
import type { PageApi } from '../../shared/page/types.ts'
import { decodeCaptions, readCaptionRegion } from './captions.ts'
import { ownMessages, readPanelMessage } from './chat-panel.ts'
import { decodeCollection, decodeSync } from './collections.ts'
import { createElements } from './elements.ts'
import { receiveNoVideo } from './no-incoming-video.ts'
import { Roster } from './roster.ts'
import { createSnapshotReader } from './snapshot.ts'
import { watchMeetSpeech } from './speech.ts'
import { hearStraight } from './straight-sound.ts'
import { compositeTiles, readRows, readTiles, type SeenTile } from './tiles.ts'
import { createToastReader } from './toasts.ts'
import type { ElementName, PageConfig, PageSnapshot } from './types.ts'

/** Given by the driver, which wraps this script in a function of this parameter. */
declare const standinConfig: PageConfig

/** How often people, chat and pictures are looked at. Milliseconds. */
const POLL_EVERY_MS = 250
/** Messages that are read in one look, and own ones that are shown to the driver. */
const MOST_MESSAGES = 200
const MOST_OWN = 30
const MOST_MISSING = 5000
const MOST_CAPTION_ROWS = 200

if (window.top === window) start(standinConfig)

function start(config: PageConfig): void {
  const isMeeting = config.meetingHosts.includes(location.hostname)
  const { selectors } = config
  const queue = createEventQueue((event) => {
    if (event.type !== 'participant_left') return
    speech?.forget(event.participantId)
    hands.forget(event.participantId)
  })
  const { tell } = queue
  const elements = createElements(config)
  const roster = new Roster(config.botName, tell)
  const chat = new ChatLog()
  const messages = watchChangedNodes(selectors.chatPanel ?? ':not(*)', selectors.chatMessage ?? ':not(*)')
  /** Ids of messages that were counted as missing. */
  const missing = new Set<string>()
  const hands = new Hands(tell)
  const cameras = createCameras(tell)
  /** Versions of the rows that the channel told. */
  const captionVersions = new Map<string, number>()
  const captionRows = new CaptionRows(
    (row) => {
      if (elements.says('you', row.name)) return
      const named = roster.present().filter((person) => person.name === row.name)
      tell({ type: 'caption', ...row, participantId: named.length === 1 ? named[0]!.id : null })
    },
    { mayHaveChannel: true },
  )
  const unread = createUnreadMessages()
  const toasts = createToastReader(config, elements)
  const tap = isMeeting ? installWebRtcTap({ hideEncodedStreams: true }) : null
  let speech: Speech | null = null
  const composite =
    isMeeting && config.recordingMode !== 'audio_only' ? createComposite({ painter: config.painter }) : null
  if (isMeeting && config.recordingMode === 'audio_only') {
    try {
      receiveNoVideo(localStorage)
    } catch (error) {
      console.warn('Pictures will come that nobody sees', error)
    }
  }
  const devices = isMeeting ? installVirtualDevices(config) : null

  if (tap) {
    syncPlayout(tap, config)
    hearStraight(tap)
    let order = Promise.resolve()
    tap.onDataChannel(({ channel, label }) => {
      const take =
        label === 'collections' ? takeCollection : label === 'captions' && config.captions ? takeCaptions : null
      if (take === null) return
      channel.addEventListener('message', ({ data }) => {
        const at = Date.now()
        // Unpacking takes time; messages keep their order.
        order = order
          .then(() => take(data, at))
          .then(
            (hasNews) => unread.note(label, hasNews ? 'read' : 'empty'),
            () => unread.note(label, 'unread'),
          )
      })
    })
    listenToRosterCalls()
    speech = watchMeetSpeech(selectors, tap, roster, (changes) => {
      for (const change of changes) tell({ type: 'speaking', ...change })
    })
    setInterval(look, POLL_EVERY_MS)
  }
  const audioCapture =
    tap && createPageAudioCapture({ tap, config, voices: { ownerOf: sourceOn(), participantOf, certainAfter: 2 } })

  /** A stream carries one of the loudest voices, and its packets say whose. */
  function sourceOn(): (receiver: RTCRtpReceiver) => string | null {
    const currentSource = createCurrentSource()
    return (receiver) => currentSource(receiver)?.toString() ?? null
  }

  /** The people of one room share a source: which of them speaks, nobody knows. */
  function participantOf(source: string): string | null {
    const owners = roster.ownersOfSource(Number(source))
    return owners.length === 1 ? owners[0]! : null
  }

  /** Whether the message holds anything that is known. Rejects for another kind of message. */
  async function takeCollection(data: unknown, at: number): Promise<boolean> {
    const update = await decodeCollection(await bytesOf(data))
    roster.takeOutputs(update.outputs)
    roster.takeUsers(update.users, 'channel', at)
    for (const line of update.chat) {
      const isOwn = line.deviceId !== null && roster.isSelf(line.deviceId)
      const senderName = isOwn ? config.botName : ((line.deviceId && roster.nameOf(line.deviceId)) ?? 'Unknown')
      const message = {
        id: line.id,
        senderId: line.deviceId,
        senderName,
        at: line.at ?? at,
        isOwn,
        ...plainContent(line.text),
      }
      const news = chat.take('channel', message, at)
      if (news) tell(news)
    }
    return update.users.length + update.outputs.length + update.chat.length > 0
  }

  async function takeCaptions(data: unknown, at: number): Promise<boolean> {
    const captions = await decodeCaptions(await bytesOf(data))
    for (const { deviceId, captionId, version, isFinal, text } of captions) {
      const key = `${deviceId}/${captionId}`
      // The channel may overtake itself.
      if (roster.isSelf(deviceId) || version <= (captionVersions.get(key) ?? -1)) continue
      captionVersions.delete(key)
      captionVersions.set(key, version)
      if (captionVersions.size > MOST_CAPTION_ROWS) captionVersions.delete(captionVersions.keys().next().value ?? '')
      captionRows.leaveToChannel()
      tell({ type: 'caption', key, participantId: deviceId, name: roster.nameOf(deviceId) ?? '', text, isFinal, at })
    }
    return captions.length > 0
  }

  /** The first whole roster comes over HTTP; the page's own use of the answer is not touched. */
  function listenToRosterCalls(): void {
    wrapMethod(globalThis, 'fetch', (native, _self, given) => {
      const answer = native(...given) as Promise<Response>
      const [request] = given
      const url = request instanceof Request ? request.url : String(request)
      if (url.includes('SyncMeetingSpaceCollections')) {
        answer
          .then((response) => (response.ok ? response.clone().text() : null))
          .then(takeSync, () => {
            // The page hears of a failed call itself.
          })
      }
      return answer
    })
  }

  function takeSync(text: string | null): void {
    if (text === null) return
    try {
      const users = decodeSync(text)
      roster.takeUsers(users, 'http', Date.now())
      unread.note('roster call', users.length > 0 ? 'read' : 'empty')
    } catch {
      unread.note('roster call', 'unread')
    }
  }

  function look(): void {
    if (!document.body || !tap) return
    const at = Date.now()
    const tiles = readTiles(selectors, elements.says)
    const rows = readRows(selectors, elements.says)
    const seen = [...tiles.filter(({ isScreen }) => !isScreen), ...rows]
    const shares = new Map(tiles.filter(({ isScreen }) => isScreen).map(({ mediaId, id }) => [mediaId, id]))
    if (queue.hasBegun) roster.takePage(seen, shares, elements.peopleCount(), at)
    readChat(at)
    if (config.captions)
      captionRows.take(
        readCaptionRegion(document.querySelector(selectors.captionsRegion ?? ':not(*)'), selectors.icon ?? 'i'),
        at,
      )
    readHandsAndReactions(tiles, at)
    const shown = compositeTiles(tiles, roster, tap, speech?.speaking() ?? new Set())
    if (queue.hasBegun) cameras.look(shown, at)
    composite?.update(shown)
  }

  function readChat(at: number): void {
    for (const element of messages.take(MOST_MESSAGES)) {
      const line = readPanelMessage(element, selectors, elements.says, at)
      if (!line) continue
      const message = {
        id: line.id,
        senderId: line.sender === null ? roster.ownId() : (only(line.sender)?.id ?? null),
        senderName: line.sender ?? config.botName,
        at: seenAt(line.shownAt, at),
        isOwn: line.sender === null,
        ...line.content,
      }
      const news = chat.take('panel', message, at)
      if (news) tell(news)
    }
    countMissing()
  }

  /** A row that was drawn anew is there under the same id, and the channel may have told what the panel lost. */
  function countMissing(): void {
    for (const element of messages.gone()) {
      const id = element.getAttribute('data-message-id')
      if (!id || missing.has(id) || chat.knows(id)) continue
      if (document.querySelector(`[data-message-id="${CSS.escape(id)}"]`)) continue
      missing.add(id)
      if (missing.size > MOST_MISSING) missing.delete(missing.values().next().value ?? '')
      queue.miss(1)
    }
  }

  function readHandsAndReactions(tiles: readonly SeenTile[], at: number): void {
    if (!queue.hasBegun) return
    for (const { id, name, isSelf, isScreen, hasHand } of tiles)
      if (!isSelf && !isScreen && !roster.isSelf(id)) hands.look({ id, name: roster.nameOf(id) ?? name }, hasHand, at)
    for (const toast of toasts()) {
      const person = only(toast.name)
      if (toast.kind === 'reaction') {
        const { name, emoji } = toast
        tell({ type: 'reaction', participantId: person?.id ?? null, name, emoji, at })
      } else if (person) hands.set(person, true, at)
    }
  }

  /** The only one of this name. */
  function only(name: string) {
    const named = roster.present().filter((person) => person.name === name)
    return named.length === 1 ? named[0]! : null
  }

  const snapshot = createSnapshotReader(config, elements, roster, () => tap?.audioReceivers().length ?? 0)
  const callControl = watchCallControl(() => elements.find('leave'))
  const api: PageApi<PageSnapshot, ElementName> = {
    ...createOwnMedia(devices),
    report: (acknowledged) => ({
      snapshot: { ...snapshot.read(), unread: unread.counts(), callGoneAt: callControl.goneAt() },
      ...queue.take(acknowledged),
    }),
    element: (name) => elements.find(name),
    reference: (ref) => snapshot.reference(ref),
    begin(at) {
      if (!queue.begin()) return
      callControl.begin()
      // People first, then what they said and did.
      roster.begin(at)
      queue.release()
      audioCapture?.begin()
      look()
    },
    chat() {
      const box = elements.find('chatBox') as HTMLTextAreaElement | null
      const panels = [...document.querySelectorAll(selectors.chatPanel ?? ':not(*)')]
      return {
        isPanelOpen: box !== null || panels.some(isVisible),
        box: box && { isEnabled: !box.disabled && !box.readOnly, value: box.value },
        own: ownMessages(selectors, elements.says, MOST_OWN),
      }
    },
    ...pictureCalls(composite, config.recordingMode, look),
  }

  answerDriver(config.channel, api)
}

async function bytesOf(data: unknown): Promise<ArrayBuffer> {
  const bytes = data instanceof Blob ? await data.arrayBuffer() : data
  if (bytes instanceof ArrayBuffer) return bytes
  throw new UnreadMessage('A message without bytes')
}
