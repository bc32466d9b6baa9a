/** The context of every part of the page. */
import type { Devices } from '../../shared/page/devices.ts'
import { type Attributes, type Child, h } from '../../shared/page/dom.ts'
import type { Random } from '../../shared/page/random.ts'
import { icon } from './icons.ts'
import type { Media } from './media.ts'
import type { DialogKind, FromPage, PageSettings } from './protocol.ts'
import type { Words } from './words.ts'

export interface Context {
  settings: PageSettings
  random: Random
  cls(part: string): string
  words: Words
  say(message: FromPage): void
  devices: Devices
  media: Media
  /** The app's wrapper and the dialog layer, its sibling. */
  wrapper: HTMLElement
  dialogLayer: HTMLElement
  openDialog(kind: DialogKind): void
  toast(text: string, forMs?: number): void
}

export interface ButtonLook {
  label?: string
  icon?: string
  text?: string
  attributes?: Attributes
  tag?: 'button' | 'div'
  cls?: string
}

/** A button of the page; its text sits in a labelled span as in the real one. */
export function button(context: Context, look: ButtonLook, onClick?: () => void): HTMLElement {
  const { cls } = context
  const children: Child[] = []
  if (look.icon) children.push(icon(look.icon))
  if (look.text) {
    children.push(h('span', { jsname: 'V67aGc', class: cls('primaryLabel') }, look.text))
  }
  const tag = look.tag ?? 'button'
  const role = tag === 'div' ? { role: 'button', tabindex: '0' } : {}
  const element = h(
    tag,
    { class: `${cls('control')} ${cls(look.cls ?? 'plain')}`, 'aria-label': look.label, ...role, ...look.attributes },
    ...children,
  )
  if (onClick) element.addEventListener('click', onClick)
  if (tag === 'div' && onClick) {
    element.addEventListener('keydown', (event) => {
      if ((event as KeyboardEvent).key === 'Enter' || (event as KeyboardEvent).key === ' ') onClick()
    })
  }
  return element
}
