/** Puts the page's readers together: who is there, who speaks, what is written, and the picture that is recorded. */
import { ChatLog } from '../../shared/page/chat-log.ts'
import { createComposite } from '../../shared/page/composite.ts'
import { evenPlayout } from '../../shared/page/even-playout.ts'
import { answerDriver, createEventQueue } from '../../shared/page/link.ts'
import { createRosterTeller } from '../../shared/page/roster-teller.ts'
import { createSound } from '../../shared/page/sound.ts'
import { type Speech, watchSpeech } from '../../shared/page/speech.ts'
import type { LevelSample } from '../../shared/page/speech-detector.ts'
import { installVirtualDevices } from '../../shared/page/virtual-devices.ts'
import { installWebRtcTap } from '../../shared/page/webrtc-tap.ts'
import { createChatReader, type PanelMessage } from './chat-panel.ts'
import { createElements } from './elements.ts'
import { createPeoplePanel } from './people-panel.ts'
import { watchPictures } from './pictures.ts'
import { type Person, Roster } from './roster.ts'
import { createSignsReader } from './signs.ts'
import { watchSound } from './sound.ts'
import { MarkJudge, SoundOwners } from './speakers.ts'
import { compositeTiles, readTiles, type SeenTile, userOf } from './tiles.ts'
import type { PageConfig, ZoomPageApi } from './types.ts'

/** How often people, chat and pictures are looked at. Milliseconds. */
const LOOK_EVERY_MS = 250
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
    owners.forget(event.participantId)
  })
  const { tell } = queue
  const devices = isMeeting ? installVirtualDevices({ name: config.botName, image: config.botImage }) : null
  devices?.ready.catch((error) => console.warn('The picture could not be decoded', error))
  const tap = isMeeting ? installWebRtcTap() : null
  const sound = tap && watchSound(tap)
  // Before the composite, whose own shadow tree is none of the meeting's pictures.
  const pictures = isMeeting ? watchPictures() : null
  const composite = isMeeting && config.recordingMode !== 'audio_only' ? createComposite() : null

  const roster = new Roster(config.botName)
  const teller = createRosterTeller(config.botName, tell)
  const panel = createPeoplePanel(elements)
  const chat = new ChatLog()
  const chatReader = createChatReader(elements)
  const marks = new MarkJudge()
  const owners = new SoundOwners()
  let speech: Speech | null = null
  let unread: PanelMessage[] = []
  let sharesNameless = false
  let tiles: SeenTile[] = []
  let tileOwners: (Person | null)[] = []

  if (tap) {
    evenPlayout(tap, config.playout)
    speech = watchSpeech({
      // Sources of the client's own loop-back connection name nobody.
      receivers: () => [],
      ownersOfSource: () => [],
      levels: levelsOfPeople,
      tell: (changes) => {
        for (const change of changes) tell({ type: 'speaking', ...change })
      },
    })
    setInterval(look, LOOK_EVERY_MS)
  }

  function levelsOfPeople(): LevelSample[] | null {
    const present = roster.present()
    const [only] = present
    const count = elements.peopleCount()
    if (only && present.length === 1 && (count === null || count === 2) && told.has(only.id)) {
      // With one other person in the meeting whatever is heard is said by that person.
      const level = sound?.mix() ?? null
      return level === null ? null : [{ participantIds: [only.id], level }]
    }
    const heard = sound?.people() ?? null
    if (heard === null) return null
    return heard.flatMap(({ userId, level }) => {
      const person = roster.ofUser(userId)
      return person && told.has(person.id) ? [{ participantIds: [person.id], level }] : []
    })
  }

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
      teller.update({ people, selfIsKnown: roster.selfIsKnown(count), sharing }, at)
      lookForSpeakers(at)
    }
    readChat(at)
    composite?.update(
      compositeTiles(roster.present().map(shownOf), screen, pictures ?? { streamIn: () => null }, speakingNow()),
    )
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
    const marked = [...active, ...talking.map(({ id }) => ({ id, isMuted: false }))]
    const speaking = marks.speaking(marked, sound?.mix() ?? null, at)
    for (const id of new Set(speaking)) if (told.has(id)) speech?.mark(id)
    const certain = owners.observe(sound?.people() ?? [], speaking)
    if (certain) roster.takeOwner(certain.userId, certain.id)
  }

  /** Every page of the list that is turned back goes before those that were read already. */
  function readChat(at: number): void {
    const inList = chatReader.read(at)
    const ids = new Set(unread.map(({ id }) => id))
    unread = [...inList.filter(({ id }) => !ids.has(id)), ...unread]
    if (queue.hasBegun && !chatReader.catchUp((id) => chat.knows(id))) return
    for (const line of unread.splice(0)) {
      if (line.userId !== null && line.userId > 1) {
        if (line.sender === null) roster.takeOwn(line.userId)
        else roster.takeSender(line.userId, line.sender)
      }
      if (chat.knows(line.id)) continue
      const known = line.userId === null ? null : roster.ofUser(line.userId)
      const sender = line.sender === null ? null : (known ?? roster.named(line.sender))
      const message = {
        id: line.id,
        senderId: sender?.id ?? null,
        senderName: line.sender ?? config.botName,
        text: line.text,
        // Seen just now, but not later than the end of the minute that is shown.
        at: line.shownAt === null ? at : Math.min(at, line.shownAt + 59_999),
        isOwn: line.sender === null,
      }
      if (chat.take('panel', message)) tell({ type: 'chat_message', message })
    }
  }

  /** A host may leave only messages to single people; what the bot says is not for one of them. */
  function goesToEveryone(): boolean {
    const receiver = elements.drawn('chatReceiverButton')
    const isEnglish = /^en\b/i.test(document.documentElement.lang)
    return !receiver || !isEnglish || elements.says('everyone', elements.label(receiver))
  }

  const signs = createSignsReader(config, elements, {
    others(count) {
      if (count !== null) return Math.max(0, count - 1)
      const present = roster.present().length
      // People of whom something is seen prove themselves; their absence proves nothing.
      return present > 0 ? present : null
    },
    hears: () => (sound?.mix() ?? null) !== null,
    isListDue: () => roster.isListDue(elements.peopleCount(), Date.now()),
  })

  const api: ZoomPageApi = {
    ...createSound(devices),
    snapshot: (acknowledged) => ({ signs: signs.read(), ...queue.take(acknowledged) }),
    element: (name) => elements.find(name),
    reference: signs.reference,
    begin() {
      if (!queue.begin()) return
      teller.begin(Date.now())
      // People first, then what they said and did.
      look()
      queue.release()
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
          .map(({ id, text }) => ({ id, text })),
      }
    },
    async showComposite() {
      if (!composite || config.recordingMode === 'audio_only') return
      fillWindow()
      look()
      composite.show(config.recordingMode)
      await composite.painted()
    },
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
