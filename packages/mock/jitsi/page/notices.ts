/** Notifications in a corner, and the overlay of a page that is about to reload. */
import { h } from '../../shared/page/dom.ts'
import { box, textButton } from './context.ts'
import type { Notice } from './protocol.ts'
import { isTextName, type Words } from './words.ts'

/** Seconds. Notifications without an error disappear after this time. */
const SHOWN_SECONDS = 5

export function noticeArea(words: Words, secondMs: number) {
  const root = h('div', { id: 'notifications-container', 'aria-live': 'polite' })
  const textOf = (name: string, value = '') => (isTextName(name) ? words(name, value) : name)
  return {
    root,
    show({ title, description, name = '', isError = false }: Notice): void {
      const close = h('button', { class: 'close-icon', 'aria-label': words('dialog.dismiss') }, '×')
      const notice = h(
        'div',
        { class: isError ? 'notification error' : 'notification', role: isError ? 'alert' : 'status' },
        h('span', { class: 'title', 'data-testid': title }, textOf(title, name)),
        description !== undefined &&
          h('div', { class: 'description', 'data-testid': description }, textOf(description)),
        close,
      )
      close.addEventListener('click', () => notice.remove())
      root.append(notice)
      if (!isError) setTimeout(() => notice.remove(), SHOWN_SECONDS * secondMs)
    },
  }
}

/** Counts down, then reloads the page. */
export function showOverlay(words: Words, kind: 'network' | 'error', forMs: number): void {
  const isNetwork = kind === 'network'
  const title = words(isNetwork ? 'dialog.conferenceDisconnectTitle' : 'dialog.conferenceReloadTitle')
  const text = h('div', { id: 'reload_overlay_text' })
  const bar = h('div', { id: 'reloadProgressBar' })
  const reload = () => location.reload()
  const overlay = h(
    'div',
    { id: 'overlay', class: isNetwork ? 'overlay__container-light' : 'overlay__container' },
    box(
      'overlay__content',
      h('div', { id: 'reload_overlay_title', class: 'reload_overlay_title' }, title),
      text,
      bar,
      isNetwork && textButton(words('dialog.rejoinNow'), reload),
    ),
  )
  const endsAt = performance.now() + forMs
  const tick = () => {
    const left = Math.max(0, endsAt - performance.now())
    bar.style.width = `${100 - (100 * left) / forMs}%`
    text.textContent = words(
      isNetwork ? 'dialog.conferenceDisconnectMsg' : 'dialog.conferenceReloadMsg',
      Math.ceil(left / 1000),
    )
    if (left === 0) reload()
    else setTimeout(tick, Math.min(left, 250))
  }
  document.body.append(overlay)
  tick()
}
