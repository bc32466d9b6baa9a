/** The context of every part of the page. */
import type { Devices } from '../../shared/page/devices.ts'
import { type Attributes, type Child, h } from '../../shared/page/dom.ts'
import type { Random } from '../../shared/page/random.ts'
import type { FromPage, PageSettings } from './protocol.ts'
import type { Words } from './words.ts'

export interface Context {
  settings: PageSettings
  random: Random
  cls(part: string): string
  words: Words
  say(message: FromPage): void
  devices: Devices
  /** The typed name of the guest. It is kept when the screen changes. */
  name: { value: string }
  /** Where menus, dialogs and toasts lie, beside the app. */
  layers: HTMLElement
}

/** A random id, as the real page makes new ones at each load. */
export function randomId(random: Random, prefix: string): string {
  return `${prefix}-r${random.next().toString(36).slice(2, 6)}`
}

/** An element with the page's attribute for tests, the one mark that survives releases. */
export function part(tid: string, attributes: Attributes = {}, ...children: Child[]): HTMLDivElement {
  return h('div', { 'data-tid': tid, ...attributes }, ...children)
}

/** A button of the page with a class of this load. */
export function button(
  context: Context,
  attributes: Attributes,
  children: Child[] | string,
  onClick?: () => void,
): HTMLButtonElement {
  const content = typeof children === 'string' ? [children] : children
  const element = h(
    'button',
    { type: 'button', class: `fui-Button ${context.cls('button')}`, ...attributes },
    ...content,
  )
  if (onClick) element.addEventListener('click', onClick)
  return element
}
