/** Runs at the start of every document of the meeting's tab, and leaves no name in the page. */

import { createPageAudioCapture } from '../../shared/page/audio/page-audio-capture.ts'
import { syncPlayout } from '../../shared/page/audio/playout-sync.ts'
import { installWebRtcTap, type TappedTrack } from '../../shared/page/audio/webrtc-tap.ts'
import { CaptionRows } from '../../shared/page/chat/caption-rows.ts'
import { createUnreadMessages } from '../../shared/page/chat/unread-messages.ts'
import { createOwnMedia } from '../../shared/page/devices/own-media.ts'
import { installVirtualDevices } from '../../shared/page/devices/virtual-devices.ts'
import { watchCallControl } from '../../shared/page/dom/call-control.ts'
import { createDialogReader } from '../../shared/page/dom/dialogs.ts'
import { createWording } from '../../shared/page/dom/wording.ts'
import { answerDriver, createEventQueue } from '../../shared/page/link.ts'
import { createCameras } from '../../shared/page/people/cameras.ts'
import { Hands } from '../../shared/page/people/hands.ts'
import { createRosterReporter } from '../../shared/page/people/roster-reporter.ts'
import { createComposite } from '../../shared/page/picture/composite.ts'
import { pictureCalls } from '../../shared/page/picture/picture-calls.ts'
import { readCall, startCaptions } from './call-object.ts'
import { createCaptionReader } from './captions.ts'
import { createChat } from './chat.ts'
import { listenToChat } from './chat-push.ts'
import { createElements } from './elements.ts'
import { type ChannelCaption, readChannelMessage } from './main-channel.ts'
import { isOwnName, nameOf } from './names.ts'
import { People } from './people.ts'
import { listenToRosterCalls } from './roster-calls.ts'
import { blockForeignSchemes } from './schemes.ts'
import { readFrame, type SignallingMessage } from './signalling.ts'
import { createSnapshotReader } from './snapshot.ts'
import { listenToSockets } from './sockets.ts'
import { createMarkReader, watchMotion } from './speaking-marks.ts'
import { type TeamsSpeech, watchTeamsSpeech } from './speech.ts'
import { compositeTiles, ownerOf, readRows, readTiles, type SeenTile } from './tiles.ts'
import type { EndNotice, PageConfig, TeamsPageApi } from './types.ts'

/** Given by the driver, which wraps this script in a function of this parameter. */
declare const standinConfig: PageConfig

/** How often people, chat and pictures are looked at. Milliseconds. */
const POLL_EVERY_MS = 250

const isMeeting = standinConfig.meetingHosts.some(
  (host) => location.hostname === host || location.hostname.endsWith(`.${host}`),
)
if (isMeeting) blockForeignSchemes()
if (window.top === window) start(standinConfig)

function start(config: PageConfig): void {
  const { selectors } = config
  const queue = createEventQueue((event) => {
    if (event.type !== 'participant_left') return
    speech?.forget(event.participantId)
    hands.forget(event.participantId)
  })
  const { tell } = queue
  const wording = createWording(config.labels)
  const elements = createElements(config, wording)
  const people = new People({
    nameOf: (shown) => nameOf(shown, wording.says),
    isOwn: (name) => isOwnName(name, config.botName, wording.says),
  })
  const rosterReporter = createRosterReporter(config.botName, tell)
  const chat = createChat({ config, people, wording, tell })
  const hands = new Hands(tell)
  const cameras = createCameras(tell)
  const tap = isMeeting ? installWebRtcTap() : null
  const composite =
    isMeeting && config.recordingMode !== 'audio_only' ? createComposite({ painter: config.painter }) : null
  const devices = isMeeting ? installVirtualDevices(config) : null
  const marks = createMarkReader(wording.says)
  const captions = createCaptionReader(selectors)
  /** Rows of the channel that go on, by their speaker. */
  const channelRows = new Map<string, number>()
  let captionRowCount = 0
  const captionRows = new CaptionRows(
    ({ name: shown, ...row }) => {
      const name = nameOf(shown, wording.says)
      if (isOwnName(shown, config.botName, wording.says)) return
      tell({ type: 'caption', ...row, participantId: people.idOfName(name), name })
    },
    { mayHaveChannel: true },
  )
  const unread = createUnreadMessages()
  const dialogs = createDialogReader({
    dialog: elements.select('dialog'),
    clickable: elements.select('clickable'),
    icon: elements.select('icon'),
    label: elements.label,
    inFrames: true,
  })
  let speech: TeamsSpeech | null = null
  let tiles: SeenTile[] = []
  let callId: string | null = null
  let endNotice: EndNotice | null = null

  if (tap) {
    syncPlayout(tap, config)
    tap.onDataChannel(({ channel, label }) => {
      if (label !== 'main-channel') return
      channel.addEventListener('message', ({ data }) => {
        void bytesOf(data)
          .then(takeChannelMessage)
          .then(
            () => unread.note(label, 'read'),
            () => unread.note(label, 'unread'),
          )
      })
    })
    let order = Promise.resolve()
    listenToSockets((frame) => {
      // Unpacking takes time; messages keep their order.
      order = order
        .then(async () => takeSignalling(await readFrame(frame)))
        .catch(() => unread.note('signalling', 'unread'))
    })
    listenToRosterCalls(
      (records) => people.takePush(records),
      () => unread.note('roster call', 'unread'),
    )
    listenToChat(
      (messages) => chat.take(messages),
      () => unread.note('chat', 'unread'),
    )
    speech = watchTeamsSpeech(tap, people, (changes) => {
      for (const change of changes) tell({ type: 'speaking', ...change })
    })
    watchMotion(elements.select('outline'), (outline) => {
      const tile = tiles.find((seen) => seen.outline === outline)
      if (tile) mark(tile)
    })
    setInterval(look, POLL_EVERY_MS)
  }
  // One mix for all: nobody's voice can be had apart. After a reconnect it comes by another track.
  const isMix = (tapped: TappedTrack | null) => tapped?.streams.some(({ id }) => id.includes('mainAudio')) ?? false
  const audioCapture = tap && createPageAudioCapture({ tap, config, isMeeting: isMix })

  function takeSignalling(message: SignallingMessage | null): void {
    // Several calls may share the socket; before the call is known, all are ours.
    if (!message || (callId !== null && message.callId !== null && message.callId !== callId)) return
    if (message.kind === 'roster') {
      people.takePush(message.people)
      unread.note('signalling', message.people.length > 0 ? 'read' : 'empty')
    } else {
      const { subCode, senderMri } = message
      endNotice = { subCode, isByOther: senderMri !== null && senderMri !== people.selfMri }
    }
  }

  function takeChannelMessage(data: ArrayBuffer | string): void {
    const message = readChannelMessage(data)
    if (!message) return
    if (message.dominant) speech?.dominates(message.dominant)
    for (const caption of message.captions) {
      const id = people.idOfMri(caption.mri)
      if (id !== null) speech?.caption(id)
      tellCaption(caption, id)
    }
  }

  /** Rows of the channel have no name: a speaker's next one begins when the last is final. */
  function tellCaption({ mri, text, isFinal, startedAt }: ChannelCaption, participantId: string | null): void {
    if (!config.captions || mri === people.selfMri) return
    captionRows.leaveToChannel()
    const row = channelRows.get(mri) ?? ++captionRowCount
    if (isFinal) channelRows.delete(mri)
    else channelRows.set(mri, row)
    const name = participantId === null ? '' : (people.present().find(({ id }) => id === participantId)?.name ?? '')
    const common = { key: `channel-${row}`, participantId, name, text, isFinal, at: Date.now() }
    tell({ type: 'caption', ...common, ...(startedAt === null ? {} : { startedAt }) })
  }

  function mark(tile: SeenTile): void {
    const id = tile.isScreen || tile.isSelf ? null : ownerOf(tile, people)
    if (id !== null) speech?.mark(id)
  }

  function look(): void {
    if (!document.body || !tap) return
    const at = Date.now()
    tiles = readTiles(config, wording)
    const call = readCall()
    callId = call?.callId ?? callId
    people.takeCall(call)
    const faces = tiles.filter(({ isScreen, isSelf }) => !isScreen && !isSelf)
    const view = {
      tiles: faces.map(({ name }) => name),
      rows: readRows(config, wording),
      hasOwnMark: tiles.some(({ isMarked }) => isMarked),
      count: snapshot.peopleCount(),
    }
    people.takePage(view, at)
    const shown = tiles
      .filter(({ isScreen, isSelf }) => isScreen && !isSelf)
      .flatMap((tile) => ownerOf(tile, people) ?? [])
    rosterReporter.update(
      { people: people.present(), selfIsKnown: people.selfIsKnown, sharing: [...people.sharing(), ...shown] },
      at,
    )
    for (const tile of marks.read(tiles)) mark(tile)
    for (const author of captions.read()) {
      const id = people.idOfName(nameOf(author, wording.says))
      if (id !== null) speech?.caption(id)
    }
    if (config.captions) captionRows.take(captions.rows(), at)
    chat.read(at)
    readHands(at)
    const pictures = compositeTiles(tiles, people, speech?.speaking() ?? new Set())
    if (queue.hasBegun) cameras.look(pictures, at)
    composite?.update(pictures)
  }

  function readHands(at: number): void {
    if (!queue.hasBegun) return
    const present = new Map(people.present().map((person) => [person.id, person]))
    for (const tile of tiles) {
      const id = tile.isScreen || tile.isSelf ? null : ownerOf(tile, people)
      const person = id === null ? null : present.get(id)
      if (person) hands.look(person, tile.hasHand, at)
    }
  }

  const snapshot = createSnapshotReader(elements, wording, {
    people,
    dialogs,
    endNotice: () => endNotice,
    unattributedMs: () => speech?.unattributedMs() ?? 0,
    audioReceivers: () => tap?.audioReceivers().length ?? 0,
  })
  const callControl = watchCallControl(() => elements.find('leave'))
  const api: TeamsPageApi = {
    ...createOwnMedia(devices),
    report: (acknowledged) => ({
      snapshot: { ...snapshot.read(), unread: unread.counts(), callGoneAt: callControl.goneAt() },
      ...queue.take(acknowledged),
    }),
    element: (name) => elements.find(name),
    reference: (ref) => dialogs.reference(ref),
    begin(at) {
      if (!queue.begin()) return
      callControl.begin()
      // People first, then what they said and did.
      rosterReporter.begin(at)
      look()
      queue.release()
      audioCapture?.begin()
    },
    chat: () =>
      chat.state(elements.find('chatBox'), {
        isOpen: elements.has('chatList') || elements.has('chatOff'),
        isOff: elements.has('chatOff'),
      }),
    ...pictureCalls(composite, config.recordingMode, look),
    async warmUpDevices() {
      const stream = await navigator.mediaDevices.getUserMedia({ audio: true, video: true })
      for (const track of stream.getTracks()) track.stop()
    },
    startCaptions,
  }
  answerDriver(config.channel, api)
}

async function bytesOf(data: unknown): Promise<ArrayBuffer | string> {
  if (data instanceof Blob) return data.arrayBuffer()
  return data instanceof ArrayBuffer || typeof data === 'string' ? data : ''
}
