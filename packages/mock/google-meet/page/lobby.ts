/** The waiting room. It looks like the meeting in many ways: that is its trap. */

import { showTrack } from '../../shared/page/devices.ts'
import { brokenText, h } from '../../shared/page/dom.ts'
import { button, type Context, type Shown } from './context.ts'
import { callControls } from './toolbar.ts'

export function lobbyPage(context: Context, self: string, textDelayMs: number): Shown & { text: HTMLElement } {
  const { cls, words, random, media, devices } = context
  const text = h('div', { class: cls('lobbyText') })
  const timer = setTimeout(() => {
    text.append(
      h('div', { 'aria-live': 'polite' }, brokenText(random, words('Asking to be let in...'))),
      h('div', {}, brokenText(random, words("You'll join the call when someone lets you in"))),
    )
  }, textDelayMs)
  const preview = h('video', { class: cls('video'), playsinline: true, autoplay: true })
  preview.muted = true
  const stopWatching = devices.watch(() => showTrack(preview, devices.track('camera')))
  const root = h(
    'div',
    { class: cls('lobby') },
    h(
      'div',
      { 'data-participant-id': self, class: cls('selfPreview') },
      preview,
      button(context, {
        label: words('Backgrounds and effects'),
        icon: 'visual_effects',
        attributes: { jsname: 'Ac69Jc' },
      }),
    ),
    text,
    button(context, { text: words('Return to home screen'), attributes: { jsname: 'EszDse' } }, () =>
      context.say({ say: 'leave', how: 'toolbar' }),
    ),
    callControls(context, 'lobby').root,
  )
  media.start()
  return {
    root,
    text,
    close: () => {
      clearTimeout(timer)
      stopWatching()
    },
  }
}
