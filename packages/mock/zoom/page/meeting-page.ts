/**
 * The meeting itself (docs/platform-notes/zoom.md#structure-of-the-meeting-page): header, pictures, footer, and a panel
 * at the right.
 */

import type { Shown } from '../../shared/page/dom.ts'
import { box, h } from '../../shared/page/dom.ts'
import { captionOverlay } from './captions.ts'
import { ChatPanel } from './chat-panel.ts'
import { type UiContext, zmButton } from './context.ts'
import { meetingFooter, type Panel } from './footer.ts'
import { participantsPanel } from './participants-panel.ts'
import type { PagePerson, ToPage } from './protocol.ts'
import { CLASS, ID, LABEL, TEXT } from './table.ts'
import { TileArea } from './tile-area.ts'
import { viewMenu } from './view-menu.ts'

interface LeaveBar {
  root: HTMLElement
  toggle(): void
  setHost(isHost: boolean): void
}

function leaveBar({ words, say }: UiContext): LeaveBar {
  let isHost = false
  const options = box(CLASS.leaveOptions)
  const root = h('div', { class: CLASS.leaveBar, hidden: true }, options)
  const hide = () => {
    root.hidden = true
  }
  const fill = () => {
    const end = zmButton({ class: CLASS.leaveDanger, 'aria-label': '' }, () => say({ say: 'leave', how: 'end' }))
    end.append(words(TEXT.endForAll))
    const kind = isHost ? CLASS.leaveDefault : CLASS.leaveDanger
    const leave = zmButton({ class: kind, 'aria-label': '' }, () => say({ say: 'leave', how: 'leave' }))
    leave.append(words(TEXT.leaveMeeting))
    const cancel = zmButton({ class: CLASS.leaveCancel }, hide, words(TEXT.cancel))
    options.replaceChildren(...(isHost ? [end, leave] : [leave]), cancel)
  }
  return {
    root,
    toggle() {
      fill()
      root.hidden = !root.hidden
    },
    setHost(next) {
      isHost = next
      fill()
    },
  }
}

/** Pointer moves are handled this often at most. */
const MOVE_SECONDS = 1
const AUTO_AUDIO_SECONDS = 1

export interface MeetingPage extends Shown {
  receive(message: ToPage): void
  joinAudio(): void
}

export function meetingPage(context: UiContext, toasts: HTMLElement, first: PagePerson[]): MeetingPage {
  const { words, settings, say, devices, sound, access } = context
  let people = first
  const open = new Set<Panel>()
  let audioJoined = false
  const tileArea = new TileArea(context)
  const captions = captionOverlay(context)
  const leave = leaveBar(context)
  const chat = new ChatPanel(context, () => togglePanel('chat'))
  const participants = participantsPanel(context, () => togglePanel('participants'))
  const menu = viewMenu(context, tileArea)
  const right = h('div', { id: ID.right })

  const joinAudio = () => {
    if (audioJoined) return
    audioJoined = true
    context.access.microphone = true
    sound.join()
    // Joining audio turns the microphone on, independent of the choice on the pre-join page.
    void devices.set('microphone', true)
    footer.setAudioJoined(true)
    show(people)
    say({ say: 'audio', joined: true })
  }
  const togglePanel = (panel: Panel) => {
    const isOpening = !open.has(panel)
    if (!settings.stackedPanels) open.clear()
    if (isOpening) open.add(panel)
    else open.delete(panel)
    // Panels that stay are left alone: a removed panel loses its scroll position.
    if (!open.has('participants')) participants.root.remove()
    else if (!participants.root.isConnected) right.prepend(participants.root)
    if (!open.has('chat')) chat.root.remove()
    else if (!chat.root.isConnected) right.append(chat.root)
    if (open.size === 0) right.remove()
    else if (!right.isConnected) content.append(right)
    if (isOpening && panel === 'chat') chat.opened()
    if (isOpening && panel === 'participants') participants.show(people)
    footer.setOpen(open)
  }
  const footer = meetingFooter(context, {
    joinAudio: () => (settings.audio === 'dialog' ? context.openDialog('join-audio') : joinAudio()),
    toggleParticipants: () => togglePanel('participants'),
    toggleChat: () => togglePanel('chat'),
    toggleCaptions: () => captions.toggle((on) => footer.setCaptions(on)),
    leave: () => leave.toggle(),
  })
  const header = box(
    CLASS.header,
    zmButton({ id: ID.information, 'aria-label': words(LABEL.information) }, () => {}, settings.topic),
    menu.root,
  )
  const left = h(
    'div',
    { id: ID.left },
    toasts,
    header,
    h('div', { id: ID.captionSplit }, tileArea.root, captions.root),
    footer.root,
    leave.root,
  )
  const content = h('div', { id: ID.content }, left)
  const inner = box(CLASS.clientInner, content)
  const root = h('div', { id: ID.app, class: CLASS.app }, box(CLASS.client, inner))

  /** The page knows its own devices best. */
  const withOwnDevices = (person: PagePerson): PagePerson => ({
    ...person,
    camera: devices.isOn('camera'),
    muted: !devices.isOn('microphone'),
    audio: audioJoined ? 'computer' : 'none',
  })
  const addJoinAndLeaveLines = (before: PagePerson[], now: PagePerson[]) => {
    const has = (list: PagePerson[], { node }: PagePerson) => list.some((other) => other.node === node)
    for (const person of now) if (!has(before, person)) chat.addSystemLine(words(TEXT.chatJoined, person.name))
    for (const person of before) if (!has(now, person)) chat.addSystemLine(words(TEXT.chatLeft, person.name))
  }
  const show = (next: PagePerson[]) => {
    addJoinAndLeaveLines(people, next)
    people = next.map((person) => (person.isSelf ? withOwnDevices(person) : person))
    tileArea.show(people)
    footer.setCount(people.length)
    if (open.has('participants')) participants.show(people)
    menu.setSharing(people.some(({ sharing }) => sharing))
    const isHost = people.some(({ isSelf, role }) => isSelf && role === 'host')
    footer.setHost(isHost)
    leave.setHost(isHost)
  }
  show(first)
  const stopWatching = devices.watch(() => show(people))
  const stopHiding = slideAway(settings.secondMs * MOVE_SECONDS, settings.footerHideMs, (hidden) => {
    header.classList.toggle(CLASS.headerHidden, hidden)
    footer.root.classList.toggle(CLASS.footerHidden, hidden)
    footer.root.style.transform = hidden ? 'translateY(52px)' : ''
  })
  const autoAudio = setTimeout(() => {
    if (settings.audio === 'dialog') context.openDialog('join-audio')
    else if (access.microphone && devices.exists('microphone')) joinAudio()
  }, AUTO_AUDIO_SECONDS * settings.secondMs)

  return {
    root,
    joinAudio,
    close() {
      clearTimeout(autoAudio)
      stopHiding()
      stopWatching()
      footer.close()
      participants.close()
      chat.close()
      tileArea.close()
    },
    receive(message) {
      if (message.do === 'people') show(message.people)
      else if (message.do === 'speaking') {
        for (const person of people) if (person.node === message.node) person.speaking = message.speaking
        tileArea.setSpeaking(message.node, message.speaking)
      } else if (message.do === 'chat') chat.add(message.line)
      else if (message.do === 'chatChange') chat.change(message.line)
      else if (message.do === 'chatPolicy') chat.setPolicy(message.chat)
      else if (message.do === 'rooms') footer.setRooms(message.areOpen)
      else if (message.do === 'caption') {
        const speaker = people.find(({ node }) => node === message.node)
        captions.update(message.row, speaker, message.text)
      }
    },
  }
}

/**
 * Header and footer slide away when the pointer has been idle. Moves are handled once a second only, so that the first
 * move after idle time can be ignored for a moment.
 */
function slideAway(lookMs: number, afterMs: number, onHidden: (hidden: boolean) => void): () => void {
  let hide: ReturnType<typeof setTimeout> | undefined
  let lookedAt = Number.NEGATIVE_INFINITY
  const awake = () => {
    if (performance.now() - lookedAt < lookMs) return
    lookedAt = performance.now()
    onHidden(false)
    clearTimeout(hide)
    hide = setTimeout(() => onHidden(true), afterMs)
  }
  document.addEventListener('mousemove', awake)
  awake()
  return () => {
    clearTimeout(hide)
    document.removeEventListener('mousemove', awake)
  }
}
