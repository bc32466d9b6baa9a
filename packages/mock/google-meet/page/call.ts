/** The meeting itself: grid, toolbar, panels, notices. */

import type { Shown } from '../../shared/page/dom.ts'
import { box, h } from '../../shared/page/dom.ts'
import { hideWhenIdle } from '../../shared/page/page-habits.ts'
import { captionsOf } from './captions.ts'
import { chatPanel } from './chat-panel.ts'
import { button, type Context } from './context.ts'
import { heavyOrnaments } from './heavy.ts'
import { peoplePanel } from './people-panel.ts'
import type { PagePerson, ToPage } from './protocol.ts'
import { TileGrid } from './tiles.ts'
import { callControls } from './toolbar.ts'

/** Whether the person turned off all incoming video. */
function wantsAudioOnly(): boolean {
  try {
    const preferences: unknown = JSON.parse(JSON.parse(localStorage.getItem('meet-preferences') ?? '"[]"'))
    return (preferences as unknown[][])[8]?.[5] === 1
  } catch {
    return false // Settings of an older version can look like this.
  }
}

export interface CallPage extends Shown {
  receive(message: ToPage): void
}

export function callPage(context: Context, people: PagePerson[]): CallPage {
  const { cls, words, settings, media } = context
  const grid = new TileGrid(context)
  const captions = captionsOf(context)
  const openPanels = new Set<HTMLElement>()
  const toggle = (panel: HTMLElement) => {
    const opening = panel.hidden === true
    for (const other of openPanels) other.hidden = true
    openPanels.add(panel)
    panel.hidden = !opening
    grid.root.classList.toggle(cls('besidePanel'), opening)
  }
  const chat = chatPanel(context, toggle)
  const roster = peoplePanel(context, toggle)
  const toolbar = callControls(context, 'call', (on) => {
    captions.setOn(on)
    toolbar.setCaptions(on)
  })
  const side = h(
    'nav',
    { class: cls('sideNav') },
    button(context, { label: words('Meeting details'), icon: 'info' }),
    !settings.peopleBadge && roster.opener,
    chat.opener,
    button(context, { label: words('Meeting tools'), icon: 'category' }),
  )
  const isAudioOnly = wantsAudioOnly()
  if (isAudioOnly) context.say({ say: 'incomingVideo', on: false })
  const banner = h('div', { class: cls('banner'), 'aria-live': 'assertive' })
  const pill = box(cls('pill'))
  const root = box(
    cls('call'),
    grid.root,
    settings.peopleBadge && roster.opener,
    pill,
    isAudioOnly && box(cls('pill'), words('Incoming video is set to audio only')),
    banner,
    captions.place,
    roster.panel,
    chat.panel,
    toolbar.root,
    side,
    settings.heavy && heavyOrnaments(context),
  )
  const stopHiding = hideWhenIdle([toolbar.root, side], settings.toolbarHideMs)
  const show = (next: PagePerson[]) => {
    grid.show(next)
    roster.show(next)
    toolbar.setPresented(next.some(({ shareDevice, isSelf }) => shareDevice !== null && !isSelf))
  }
  show(people)
  media.start()
  return {
    root,
    close() {
      stopHiding()
      toolbar.close()
      chat.close()
      roster.close()
      grid.close()
    },
    receive(message) {
      if (message.do === 'people') show(message.people)
      else if (message.do === 'speaking') grid.setSpeaking(message.device, message.speaking)
      else if (message.do === 'chat') chat.add(message.line)
      else if (message.do === 'chatEnabled') chat.setEnabled(message.enabled)
      else if (message.do === 'caption') captions.update(message.row, message.name, message.text)
      else if (message.do === 'replaceCaptions') captions.replace()
      else if (message.do === 'banner') banner.textContent = message.text
      else if (message.do === 'pill') pill.textContent = words(message.text)
    },
  }
}
