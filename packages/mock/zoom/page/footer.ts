/**
 * The bar at the bottom of the meeting (docs/platform-notes/zoom.md#footer). Drivers read the state of the devices from
 * its labels.
 */
import { box, h, setAttribute } from '../../shared/page/dom.ts'
import { svgIcon, type UiContext, zmButton } from './context.ts'
import { CLASS, ID, LABEL, TEXT } from './table.ts'

export type Panel = 'participants' | 'chat'

export interface FooterActions {
  joinAudio(): void
  toggleParticipants(): void
  toggleChat(): void
  toggleCaptions(): void
  leave(): void
}

export interface Footer {
  root: HTMLElement
  setCount(count: number): void
  setOpen(panels: ReadonlySet<Panel>): void
  setAudioJoined(joined: boolean): void
  /** A host's bar says "End" and manages participants. */
  setHost(isHost: boolean): void
  setRooms(areOpen: boolean): void
  setCaptions(on: boolean): void
  close(): void
}

export function meetingFooter(context: UiContext, actions: FooterActions): Footer {
  const { words, devices, settings } = context
  let joined = false
  let isHost = false
  let count = 0
  let open: ReadonlySet<Panel> = new Set()

  const level = h('div', { class: CLASS.audioLevel, style: 'height:0px' })
  const audio = zmButton({ class: `${CLASS.footerButton} ${CLASS.audioButton}` }, () => {
    if (!joined) actions.joinAudio()
    else void devices.set('microphone', !devices.isOn('microphone'))
  })
  const showAudio = () => {
    const on = devices.isOn('microphone')
    const label = joined ? (on ? LABEL.microphoneOff : LABEL.microphoneOn) : LABEL.microphoneJoin
    const text = joined ? (on ? TEXT.mute : TEXT.unmute) : TEXT.joinAudio
    const isUnknown = settings.audio === 'unknown'
    setAttribute(audio, 'aria-label', words(isUnknown ? LABEL.microphoneUnknown : label))
    const icon = isUnknown ? 'SvgAudio' : !joined ? 'SvgAudioJoin' : on ? 'SvgAudioMute' : 'SvgAudioUnmute'
    audio.replaceChildren(svgIcon(icon), level, h('span', isUnknown ? 'Audio' : words(text)))
    level.style.height = joined && on ? '6px' : '0px'
  }
  const stopAudio = devices.watch(showAudio)
  const video = zmButton({ class: `${CLASS.footerButton} ${CLASS.videoButton}` }, () => {
    void devices.set('camera', !devices.isOn('camera'))
  })
  const stopVideo = devices.watch(() => {
    const on = devices.isOn('camera')
    setAttribute(video, 'aria-label', words(on ? LABEL.cameraOff : LABEL.cameraOn))
    video.replaceChildren(
      svgIcon(on ? 'SvgVideoOn' : 'SvgVideoOff'),
      h('span', words(on ? TEXT.stopVideo : TEXT.startVideo)),
    )
  })

  const wrapped = (type: string, button: HTMLElement, ...more: HTMLElement[]) =>
    h('div', { class: CLASS.footerWrap, 'feature-type': type }, button, ...more)
  const plain = (icon: string, text: string, onClick: () => void, label?: string) =>
    zmButton(
      { class: CLASS.footerButton, 'aria-label': label === undefined ? undefined : words(label) },
      onClick,
      svgIcon(icon),
      h('span', words(text)),
    )
  const counter = h('span', { class: CLASS.counter })
  const participants = plain('SvgParticipants', TEXT.participants, actions.toggleParticipants)
  participants.append(counter)
  const chat = plain('SvgChat', TEXT.chat, actions.toggleChat)
  const caret = h('button', { type: 'button', class: 'footer-caret', 'aria-label': words(LABEL.chatSettings) })
  const captions = plain('SvgCaptions', TEXT.showCaptions, actions.toggleCaptions)
  // Captions are in the menu until they were used once.
  const captionsPlace = wrapped('captions', captions)
  const captionsItem = h(
    'a',
    { class: CLASS.dropdownItem, href: '#', role: 'menuitem', 'aria-label': words(TEXT.showCaptions) },
    svgIcon('SvgCaptions'),
    words(TEXT.showCaptions),
  )
  captionsItem.addEventListener('click', (event) => {
    event.preventDefault()
    menu.classList.remove('show')
    actions.toggleCaptions()
  })
  const menu = moreMenu(context, captionsItem)
  const more = plain('SvgMore', TEXT.more, () => menu.classList.toggle('show'), LABEL.more)
  const moreFrame = wrapped('more', more, menu)
  const rooms = wrapped(
    'bo',
    plain('SvgBreakoutRooms', TEXT.breakoutRooms, () => {}),
  )
  const leave = zmButton({ class: CLASS.footerButton }, actions.leave)

  const showPanels = () => {
    const label = open.has('participants') ? LABEL.participantsClose : LABEL.participantsOpen
    // A host sees those who wait in the number, and is told how many they are.
    const waiting = isHost ? settings.waiting : 0
    const asHost = words(LABEL.participantsManage, count + waiting)
    const spoken = isHost && !open.has('participants') ? asHost : words(label, count + waiting)
    setAttribute(participants, 'aria-label', spoken + (waiting > 0 ? words(LABEL.peopleWaiting, waiting) : ''))
    setAttribute(chat, 'aria-label', words(open.has('chat') ? LABEL.chatClose : LABEL.chatOpen))
    counter.textContent = String(count + waiting)
  }
  const showLeave = () => {
    setAttribute(leave, 'aria-label', words(isHost ? LABEL.end : LABEL.leave))
    leave.replaceChildren(h('span', words(isHost ? TEXT.end : TEXT.leave)))
  }
  showPanels()
  showLeave()
  const section = (place: 'left' | 'mid' | 'right', ...children: (HTMLElement | false)[]) =>
    h('div', { 'footer-section': place }, ...children)
  const root = h(
    'footer',
    { id: ID.footer, class: `${CLASS.footer} ${CLASS.footerMain}` },
    h(
      'div',
      { id: ID.footBar, class: CLASS.footerInner },
      section('left', box(CLASS.audioContainer, audio), box(CLASS.videoContainer, video)),
      section(
        'mid',
        wrapped('participant', participants),
        wrapped('chat', chat, caret),
        wrapped(
          'react',
          plain('SvgReact', TEXT.react, () => {}),
        ),
        moreFrame,
      ),
      section('right', box(CLASS.leaveContainer, leave)),
    ),
  )
  return {
    root,
    setCount(next) {
      count = next
      showPanels()
    },
    setOpen(panels) {
      open = panels
      showPanels()
    },
    setAudioJoined(next) {
      joined = next
      showAudio()
    },
    setHost(next) {
      isHost = next
      showPanels()
      showLeave()
    },
    setRooms(areOpen) {
      if (areOpen) moreFrame.before(rooms)
      else rooms.remove()
    },
    setCaptions(on) {
      if (on && !captionsPlace.isConnected) {
        captionsItem.remove()
        moreFrame.before(captionsPlace)
      }
      const text = captions.querySelector('span')
      if (text) text.textContent = words(on ? TEXT.hideCaptions : TEXT.showCaptions)
    },
    close() {
      stopAudio()
      stopVideo()
    },
  }
}

/** Other buttons have labels about muting too. */
function moreMenu({ words }: UiContext, captions: HTMLElement): HTMLElement {
  const items = ['Raise Hand', 'Audio Settings', 'Mute All', 'Settings']
  return h(
    'ul',
    { class: `${CLASS.darkDropdown} ${CLASS.moreMenu}`, role: 'menu' },
    captions && h('li', captions),
    ...items.map((text) => h('li', h('a', { class: CLASS.dropdownItem, href: '#', role: 'menuitem' }, words(text)))),
  )
}
