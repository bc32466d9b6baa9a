/** The bar at the bottom, nearly the same in the waiting room and in the call, and the menu behind "More options". */

import { h, setAttribute } from '../../shared/page/dom.ts'
import { button, type Context } from './context.ts'
import { deviceToggle } from './device-toggle.ts'

export interface Toolbar {
  root: HTMLElement
  /** Where the call puts its caption button state. */
  setCaptions(on: boolean): void
  /** Whether another person presents. */
  setPresented(isPresented: boolean): void
  close(): void
}

export function callControls(
  context: Context,
  place: 'lobby' | 'call',
  captions: (on: boolean) => void = () => {},
): Toolbar {
  const { cls, words, settings, say, media } = context
  const inCall = place === 'call'
  const { screen } = media
  let isPresented = false
  const shareButton = button(context, { icon: 'computer_arrow_up' }, () => {
    if (screen.track) screen.stop()
    else if (isPresented) context.openDialog('take-over')
    else void screen.start()
  })
  const stopShowing = screen.watch(() => {
    setAttribute(shareButton, 'aria-label', words(screen.track ? 'Stop presenting' : 'Share screen'))
    setAttribute(shareButton, 'disabled', screen.isAllowed ? undefined : '')
  })
  const captionsButton = button(
    context,
    {
      label: words(settings.captionsMenu ? 'Captions and translation' : 'Turn on captions'),
      icon: 'closed_caption_off',
    },
    () => (settings.captionsMenu ? toggleMenu(captionsMenu) : captions(!captionsOn)),
  )
  let captionsOn = false
  const captionsMenu = menu(context, [
    {
      text: () => words(captionsOn ? 'Turn off captions' : 'Turn on captions'),
      run: () => captions(!captionsOn),
    },
    { text: () => words('Translated captions'), run: () => {} },
  ])
  const options = menu(context, [
    { text: () => words('Adjust view'), run: () => {} },
    { text: () => words('Full screen'), run: () => {} },
    { text: () => words('Backgrounds and effects'), run: () => {} },
    { text: () => words('Report a problem'), run: () => {} },
    { text: () => words('Settings'), run: () => {} },
  ])
  const root = h(
    'div',
    { role: 'region', 'aria-label': words('Call controls'), class: cls('toolbar') },
    deviceToggle(context, 'microphone', 'call'),
    deviceToggle(context, 'camera', 'call'),
    inCall && shareButton,
    button(context, { label: words('Send a reaction'), icon: 'mood' }),
    inCall && captionsButton,
    button(context, { label: words('Raise hand (Ctrl + alt + h)'), icon: 'back_hand' }),
    button(
      context,
      { label: words('More options'), icon: 'more_vert', attributes: { jsname: 'NakZHc', 'aria-haspopup': 'menu' } },
      () => inCall && toggleMenu(options),
    ),
    !inCall && button(context, { label: words('Chat with everyone'), icon: 'chat' }),
    button(
      context,
      { label: words('Leave call'), icon: 'call_end', cls: 'leave', attributes: { jsname: 'CQylAd' } },
      () => leave(context, inCall),
    ),
    captionsMenu.root,
    options.root,
  )
  const byKey = (event: KeyboardEvent) => {
    const typing = event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement
    if (inCall && event.key === 'c' && !typing && !event.ctrlKey && !event.altKey) captions(!captionsOn)
  }
  document.addEventListener('keydown', byKey)
  return {
    root,
    setCaptions(on) {
      captionsOn = on
      if (!settings.captionsMenu) {
        setAttribute(captionsButton, 'aria-label', words(on ? 'Turn off captions' : 'Turn on captions'))
      }
      say({ say: 'captions', on })
    },
    setPresented(presented) {
      isPresented = presented
    },
    close() {
      document.removeEventListener('keydown', byKey)
      stopShowing()
    },
  }
}

function leave(context: Context, inCall: boolean): void {
  if (inCall && context.settings.leaveDialog) context.openDialog('leave-host')
  else context.say({ say: 'leave', how: 'toolbar' })
}

interface Menu {
  root: HTMLElement
  fill(): void
}

function menu(context: Context, items: { text: () => string; run: () => void }[]): Menu {
  const root = h('ul', { role: 'menu', class: context.cls('menu'), hidden: true })
  const fill = () => {
    root.replaceChildren(
      ...items.map((item) => {
        const entry = h('li', { role: 'menuitem', tabindex: 0, class: context.cls('menuItem') }, h('span', item.text()))
        entry.addEventListener('click', () => {
          root.hidden = true
          item.run()
        })
        return entry
      }),
    )
  }
  return { root, fill }
}

/** Menus have no nodes before they are opened, and stay as they are afterwards. */
function toggleMenu({ root, fill }: Menu): void {
  if (root.hidden) fill()
  root.hidden = !root.hidden
}
