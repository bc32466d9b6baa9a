/** The context of every part of the page, and the two kinds of buttons that parts use. */

import type { Devices } from '../../shared/page/devices.ts'
import { type Attributes, box, h, setAttribute } from '../../shared/page/dom.ts'
import type { Random } from '../../shared/page/random.ts'
import type { Dialogs } from './dialogs.ts'
import type { Media } from './media.ts'
import type { FromPage, PageSettings } from './protocol.ts'
import type { State } from './store.ts'
import type { Words } from './words.ts'

export interface Context {
  settings: PageSettings
  random: Random
  words: Words
  say(message: FromPage): void
  devices: Devices
  media: Media
  state: State
  dialogs: Dialogs
}

/** A toolbar's button: a box with a role, no button element. */
export function toolButton(label: string, glyph: string, onClick: () => void, attributes: Attributes = {}) {
  const icon = box('toolbox-icon', box('jitsi-icon', glyph))
  const root = h(
    'div',
    { class: 'toolbox-button', role: 'button', tabindex: 0, 'aria-label': label, ...attributes },
    h('div', icon),
  )
  pressable(root, onClick)
  return {
    root,
    label: (text: string) => setAttribute(root, 'aria-label', text),
    press: (isPressed: boolean) => {
      setAttribute(root, 'aria-pressed', String(isPressed))
      icon.classList.toggle('toggled', isPressed)
    },
    enable: (isEnabled: boolean) => {
      setAttribute(root, 'aria-disabled', String(!isEnabled))
      icon.classList.toggle('disabled', !isEnabled)
    },
  }
}

export function textButton(text: string, onClick: () => void, attributes: Attributes = {}): HTMLButtonElement {
  const button = h('button', { type: 'button', class: 'button', 'aria-label': text, ...attributes }, h('span', text))
  button.addEventListener('click', onClick)
  return button
}

/** A box that is pressed like a button, by pointer and by key, while nothing says that it is disabled. */
export function pressable(box: HTMLElement, onPress: () => void): void {
  const press = () => {
    if (box.getAttribute('aria-disabled') !== 'true') onPress()
  }
  box.addEventListener('click', press)
  box.addEventListener('keydown', ({ key }) => {
    if (key === 'Enter' || key === ' ') press()
  })
}
