/** The bar at the bottom, with the leave menu of those who may end the meeting for all. */
import { h } from '../../shared/page/dom.ts'
import { box, type Context, type Shown, textButton, toolButton } from './context.ts'
import { deviceToggles } from './device-toggles.ts'

export interface Toolbox extends Shown {
  showCount(people: number): void
}

/** @param chat its button, if there is a chat */
export function toolbox(
  context: Context,
  chat: HTMLElement | null,
  toggles: { people(): void; layout(): void },
): Toolbox {
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
  const bar = box(
    'toolbox-content-items',
    devices.root,
    chat,
    toolButton(words('toolbar.shareScreen'), '🖥', () => {}).root,
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
    close: devices.close,
  }
}
