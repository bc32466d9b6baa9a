/** Every page that ends a visit: refused, denied, removed, ended, left. All count down and then leave the site. */

import { brokenText, h } from '../../shared/page/dom.ts'
import { button, type Context, type Shown } from './context.ts'
import type { View } from './protocol.ts'

export function finalPage(
  context: Context,
  view: Extract<View, { name: 'final' }>,
  lobbyText: HTMLElement | null,
): Shown {
  const { cls, words, random, settings } = context
  const timer = h('div', { role: 'timer', class: cls('timer') })
  let secondsLeft = 60
  const tick = () => {
    timer.replaceChildren(words('{0} seconds left', String(secondsLeft)))
    if (secondsLeft === 0 && view.countdownTo) location.assign(view.countdownTo)
    secondsLeft--
  }
  const interval = view.countdownTo ? setInterval(tick, settings.secondMs) : undefined
  const root = h(
    'main',
    { class: cls('page'), 'data-call-ended': view.callEnded ? 'true' : undefined },
    h('h1', { jsname: 'r4nke', class: cls('endHeading') }, brokenText(random, words(view.heading))),
    ...view.body.map((line) => h('div', {}, brokenText(random, words(line)))),
    view.countdownTo !== null && h('div', {}, words('Returning to home screen')),
    view.countdownTo !== null && timer,
    h(
      'div',
      { class: cls('joinRow') },
      ...view.buttons.map((label) => {
        const attributes =
          label === 'Return to home screen'
            ? { jsname: 'dqt8Pb', 'data-mdc-dialog-action': 'returnToHomePage' }
            : { jsname: 'oI7Fj' }
        return button(context, { text: words(label), attributes }, () => context.say({ say: 'final', choice: label }))
      }),
    ),
  )
  if (lobbyText && view.lobbyText !== 'gone') {
    if (view.lobbyText === 'hidden') lobbyText.style.display = 'none'
    root.append(lobbyText)
  }
  if (view.countdownTo) tick()
  return { root, close: () => clearInterval(interval) }
}
