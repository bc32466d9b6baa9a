/** Puts the page's readers together: who is there, who speaks, what is written, and the picture that is recorded. */

import { syncPlayout } from '../../shared/page/audio/playout-sync.ts'
import { installWebRtcTap } from '../../shared/page/audio/webrtc-tap.ts'
import { CaptionRows, type ShownCaption } from '../../shared/page/chat/caption-rows.ts'
import { ChatLog } from '../../shared/page/chat/chat-log.ts'
import { seenAt } from '../../shared/page/chat/chat-time.ts'
import { createOwnMedia } from '../../shared/page/devices/own-media.ts'
import { installVirtualDevices } from '../../shared/page/devices/virtual-devices.ts'
import { watchCallControl } from '../../shared/page/dom/call-control.ts'
import { answerDriver, createEventQueue } from '../../shared/page/link.ts'
import { createCameras } from '../../shared/page/people/cameras.ts'
import { createRosterReporter } from '../../shared/page/people/roster-reporter.ts'
import { createComposite } from '../../shared/page/picture/composite.ts'
import { pictureCalls } from '../../shared/page/picture/picture-calls.ts'
import { captureZoomAudio } from './audio-capture.ts'
import { ChatBacklog } from './chat-backlog.ts'
import { createChatReader, type PanelMessage } from './chat-panel.ts'
import { createElements } from './elements.ts'
import { createPeoplePanel } from './people-panel.ts'
import { watchPictures } from './pictures.ts'
import { type Person, Roster } from './roster.ts'
import { createSnapshotReader } from './snapshot.ts'
import { watchSound } from './sound.ts'
import { watchZoomSpeech, type ZoomSpeech } from './speech.ts'
import { compositeTiles, readTiles, type SeenTile, userOf } from './tiles.ts'
import type { PageConfig, ZoomPageApi } from './types.ts'

/** How often people, chat and pictures are looked at. Milliseconds. */
const POLL_EVERY_MS = 250
/** How often a page of the chat is turned back while there is something to catch up with. Milliseconds. */
const TURN_EVERY_MS = 60
/** Stands under a screen of which nobody knows whose it is. */
const SHARED_SCREEN = 'Shared screen'

export function start(config: PageConfig): void {
  const isMeeting = config.meetingHosts.includes(location.hostname)
  const elements = createElements(config)
  /** People the driver has heard of: nobody else can speak. */
  const told = new Set<string>()
  const queue = createEventQueue((event) => {
    if (event.type === 'participant_joined') told.add(event.participant.id)
    if (event.type !== 'participant_left') return
    told.delete(event.participantId)
    speech?.forget(event.participantId)
  })
  const { tell } = queue
  const devices = isMeeting ? installVirtualDevices(config) : null
  const tap = isMeeting ? installWebRtcTap() : null
  const sound = tap && watchSound(tap)
  // Before the composite, whose own shadow tree is none of the meeting's pictures.
  const pictures = isMeeting ? watchPictures() : null
  const composite =
    isMeeting && config.recordingMode !== 'audio_only' ? createComposite({ painter: config.painter }) : null

  const roster = new Roster(config.botName, `${Date.now().toString(36)}-`)
  const rosterReporter = createRosterReporter(config.botName, tell)
  const panel = createPeoplePanel(elements)
  const cameras = createCameras(tell)
  const chat = new ChatLog()
  const chatReader = createChatReader(elements)
  const captionRows = new CaptionRows((row) => {
    tell({ type: 'caption', participantId: null, ...row })
  })
  let speech: ZoomSpeech | null = null
  let turning: ReturnType<typeof setTimeout> | undefined
  const backlog = new ChatBacklog<PanelMessage>()
  let sharesNameless = false
  let tiles: SeenTile[] = []
  let tileOwners: (Person | null)[] = []

  if (tap && sound) {
    syncPlayout(tap, config)
    speech = watchZoomSpeech({
      sound,
      roster,
      peopleCount: () => elements.peopleCount(),
      isTold: (id) => told.has(id),
      emit: (changes) => {
        for (const change of changes) tell({ type: 'speaking', ...change })
      },
    })
    setInterval(look, POLL_EVERY_MS)
  }
  // The list of participants names no numbers of streams; some are found out while people speak.
  const audioCapture = tap && captureZoomAudio({ tap, config }, (userId) => roster.ofUser(userId)?.id ?? null)

  function look(): void {
    if (!document.body) return
    const at = Date.now()
    const count = elements.peopleCount()
    const list = panel.look(count)
    if (list) roster.takeList(list, count, at)
    tiles = readTiles(elements)
    tileOwners = roster.takeTiles(tiles, count, at)
    const screen = readScreen()
    if (queue.hasBegun) {
      const sharing = screen?.sharerId ? [screen.sharerId] : []
      const people = roster.present().map(({ id, name, isHost }) => ({ id, name, isHost }))
      tellNamelessScreen(screen !== null && screen.sharerId === null, at)
      rosterReporter.update({ people, selfIsKnown: roster.selfIsKnown(count), sharing }, at)
      lookForSpeakers(at)
    }
    readChat(at)
    if (config.captions) captionRows.take(shownCaptions(), at)
    const people = roster.present().map(shownOf)
    const shown = compositeTiles(people, screen, pictures ?? { streamIn: () => null }, speakingNow())
    if (queue.hasBegun) cameras.look(shown, at)
    composite?.update(shown)
  }

  /** Rows come with initials only: who speaks is known from elsewhere. */
  function shownCaptions(): ShownCaption[] {
    return elements.all('captionText').map((element) => ({ element, name: '', text: element.textContent ?? '' }))
  }

  const speakingNow = () => speech?.speaking() ?? new Set<string>()

  function shownOf(person: Person) {
    const index = tileOwners.findIndex((owner) => owner?.id === person.id)
    return { id: person.id, name: person.name, tile: tiles[index] ?? null }
  }

  /** Whose screen it is, only the number of its stream tells. */
  function readScreen() {
    const view = elements.drawn('shareView')
    if (!view) return null
    const player = elements.first('player', view)
    const userId = player && userOf(player)
    if (roster.isSelf(userId)) return null
    const others = roster.present()
    const sharer = userId === null ? (others.length === 1 ? others[0]! : null) : roster.ofUser(userId)
    return { element: view, sharerId: sharer?.id ?? null, name: sharer?.name ?? SHARED_SCREEN }
  }

  function tellNamelessScreen(isSharing: boolean, at: number): void {
    if (isSharing === sharesNameless) return
    sharesNameless = isSharing
    tell({ type: 'screen_share', participantId: null, isSharing, at })
  }

  function lookForSpeakers(at: number): void {
    const talking = elements
      .all('talking')
      .flatMap((label) => (label.textContent ?? '').replace(/^[^:]*:/, '').split(','))
      .flatMap((name) => roster.named(name.trim()) ?? [])
    const active = tiles.flatMap(({ isActive, isMuted }, index) => {
      const owner = tileOwners[index]
      return isActive && owner ? [{ id: owner.id, isMuted }] : []
    })
    speech?.look([...active, ...talking.map(({ id }) => ({ id, isMuted: false }))], at)
  }

  function readChat(at: number): void {
    if (!chatReader.isDrawn()) return
    backlog.add(chatReader.read(at))
    const isOver = elements.first('chatPanel') === null
    if (queue.hasBegun && !isOver && !chatReader.catchUp((id) => chat.knows(id))) {
      // Between two looks a flood brings more rows than one page has.
      clearTimeout(turning)
      turning = setTimeout(() => readChat(Date.now()), TURN_EVERY_MS)
      return
    }
    queue.miss(chatReader.missed())
    for (const { message: line, notAfter } of backlog.drain((id) => chat.toldAt(id))) {
      if (line.userId !== null && line.userId > 1) {
        if (line.sender === null) roster.takeOwn(line.userId)
        else roster.takeSender(line.userId, line.sender)
      }
      const known = line.userId === null ? null : roster.ofUser(line.userId)
      const sender = line.sender === null ? null : (known ?? roster.named(line.sender))
      const message = {
        id: line.id,
        senderId: sender?.id ?? null,
        senderName: line.sender ?? config.botName,
        at: Math.min(seenAt(line.shownAt, at), notAfter ?? at),
        isOwn: line.sender === null,
        ...line.content,
        ...(line.isDirect && { isDirect: true }),
        ...(line.isEdited && { isEdited: true }),
      }
      const news = chat.take('panel', message, at)
      if (news) tell(news)
    }
    for (const id of chatReader.deleted()) {
      const news = chat.delete(id, at)
      if (news) tell(news)
    }
  }

  /** A host may leave only messages to single people; what the bot says is not for one of them. */
  function goesToEveryone(): boolean {
    const receiver = elements.drawn('chatReceiverButton')
    const isEnglish = /^en\b/i.test(document.documentElement.lang)
    return !receiver || !isEnglish || elements.says('everyone', elements.label(receiver))
  }

  const snapshot = createSnapshotReader(config, elements, {
    others(count) {
      if (count !== null) return Math.max(0, count - 1)
      const present = roster.present().length
      // People of whom something is seen prove themselves; their absence proves nothing.
      return present > 0 ? present : null
    },
    hears: () => (sound?.mix() ?? null) !== null,
    isListDue: () => roster.isListDue(elements.peopleCount(), Date.now()),
  })

  const callControl = watchCallControl(
    () => elements.find('leave'),
    // An end is a dialog with a name, over a meeting that stays in the page.
    () => elements.drawn('namedDialog') !== null,
  )
  const api: ZoomPageApi = {
    ...createOwnMedia(devices),
    report: (acknowledged) => ({
      snapshot: { ...snapshot.read(), callGoneAt: callControl.goneAt() },
      ...queue.take(acknowledged),
    }),
    element: (name) => elements.find(name),
    reference: snapshot.reference,
    begin(at) {
      if (!queue.begin()) return
      callControl.begin()
      rosterReporter.begin(at)
      // People first, then what they said and did.
      look()
      queue.release()
      audioCapture?.begin()
    },
    chat() {
      const box = elements.find('chatBox') as HTMLElement | null
      const isTextArea = box instanceof HTMLTextAreaElement
      const takesText = isTextArea ? !box.disabled && !box.readOnly : box?.isContentEditable === true
      const isEnabled = takesText && goesToEveryone()
      const value = isTextArea ? box.value : (box?.textContent ?? '')
      return {
        isPanelOpen: elements.drawn('chatPanel') !== null,
        box: box && { isEnabled, value },
        own: chatReader
          .read(Date.now())
          .filter(({ sender }) => sender === null)
          .map(({ id, content }) => ({ id, text: content.text })),
      }
    },
    ...pictureCalls(composite, config.recordingMode, () => {
      fillWindow()
      look()
    }),
    setDevicesPresent: (arePresent) => devices?.setPresent(arePresent),
    holds: (name, text) => (elements.find(name) as HTMLInputElement | null)?.value === text,
    progress() {
      const { body } = document
      return [location.href, document.readyState, body?.querySelectorAll('*').length, body?.textContent?.length].join()
    },
  }
  answerDriver(config.channel, api)
}

/** In the app's shell the meeting is in a frame; the picture is as large as the frame, so the frame fills the window. */
function fillWindow(): void {
  const frame = window.frameElement as HTMLElement | null
  if (!frame) return
  const style = { position: 'fixed', inset: '0', width: '100vw', height: '100vh', border: '0', 'z-index': '2147483647' }
  for (const [name, value] of Object.entries(style)) frame.style.setProperty(name, value, 'important')
}
