/** The meeting itself: large picture, filmstrip, toolbar, panels. */

import type { Shown } from '../../shared/page/dom.ts'
import { box, h } from '../../shared/page/dom.ts'
import { hideWhenIdle } from '../../shared/page/page-habits.ts'
import { chatPanel } from './chat-panel.ts'
import { type Context, textButton, toolButton } from './context.ts'
import { deviceToggles } from './device-toggles.ts'
import type { PagePerson, ToPage } from './protocol.ts'
import { Filmstrip } from './tiles.ts'

interface Toolbox extends Shown {
  showCount(people: number): void
}

/** @param chat its button, if there is a chat */
function toolbox(context: Context, chat: HTMLElement | null, toggles: { people(): void; layout(): void }): Toolbox {
  const { words, settings, say } = context
  const devices = deviceToggles(context)
  const menu = box(
    'hangup-menu',
    textButton(words('toolbar.endConference'), () => say({ say: 'leave', how: 'end-for-all' })),
    textButton(words('toolbar.leaveConference'), () => say({ say: 'leave', how: 'menu' })),
  )
  menu.hidden = true
  const hangup = toolButton(
    words(settings.labels === 'old' ? 'old.hangup' : 'toolbar.hangup'),
    '☎',
    () => {
      if (settings.isModerator) menu.hidden = !menu.hidden
      else say({ say: 'leave', how: 'button' })
    },
    { class: 'toolbox-button hangup-button' },
  )
  const people = toolButton('', '👥', toggles.people)
  const { screen } = context.media
  const share = toolButton('', '🖥', () => {
    if (screen.track) screen.stop()
    else if (screen.isAllowed) void screen.start()
    else say({ say: 'screenRefused' })
  })
  const stopShowing = screen.watch(() => {
    share.label(words(screen.track ? 'toolbar.stopScreenSharing' : 'toolbar.shareScreen'))
    share.press(screen.track !== null)
  })
  const bar = box(
    'toolbox-content-items',
    devices.root,
    chat,
    share.root,
    toolButton(words('toolbar.raiseHand'), '✋', () => {}).root,
    people.root,
    toolButton('Toggle tile view', '▦', toggles.layout).root,
    toolButton(words('toolbar.moreActions'), '⋯', () => {}).root,
    box('hangup-place', menu, hangup.root),
  )
  return {
    root: h(
      'div',
      { id: 'new-toolbox', class: 'new-toolbox visible' },
      box('toolbox-background', box('toolbox-content', bar)),
    ),
    showCount: (count) => people.label(words('toolbar.participants', count)),
    close() {
      devices.close?.()
      stopShowing()
    },
  }
}

export interface CallPage extends Shown {
  receive(message: ToPage): void
  /** The conference is over; its frame stays. */
  empty(): void
}

export function callPage(context: Context, people: PagePerson[]): CallPage {
  const { settings, state, media, words } = context
  const filmstrip = new Filmstrip(context)
  const chat = chatPanel(context)
  const roster = h('div', { id: 'participants-pane', hidden: true })
  const page = h('div', { id: 'videoconference_page', class: settings.tileView ? 'tile-view' : '' })
  const tools = toolbox(context, chat.button, {
    people: () => {
      roster.hidden = !roster.hidden
    },
    layout: () => page.classList.toggle('tile-view'),
  })
  page.append(
    box('subject', h('span', { class: 'subject-text' }, settings.room)),
    h('div', { id: 'videospace' }, filmstrip.largePicture, filmstrip.root),
    tools.root,
    media.players,
  )
  const root = h('div', { id: 'layout_wrapper' }, chat.place, page, roster)
  const stopHiding = hideWhenIdle([tools.root], settings.toolboxHideMs)

  const show = (next: PagePerson[]) => {
    state.people = next
    filmstrip.show(next)
    tools.showCount(next.length + 1)
    const entries = next.map(({ endpoint, name }) =>
      h('div', { id: `participant-item-${endpoint}`, class: 'list-item' }, name || words('remote.defaultName')),
    )
    roster.replaceChildren(h('h2', words('toolbar.participantsTitle', next.length + 1)), ...entries)
  }
  show(people)
  return {
    root,
    receive(message) {
      if (message.do === 'people') show(message.people)
      else if (message.do === 'speaking') filmstrip.setSpeaking(message.endpoint, message.speaking)
      else if (message.do === 'chat') chat.add(message.line)
      else if (message.do === 'chatChange') chat.change(message.line)
      else if (message.do === 'chatAllowed') chat.setAllowed(message.allowed)
    },
    empty: () => show([]),
    close() {
      stopHiding()
      tools.close?.()
      filmstrip.close()
    },
  }
}
