/** The context that the parts of the meeting's page share. */
import type { Devices } from '../../shared/page/devices.ts'
import { type Attributes, type Child, h } from '../../shared/page/dom.ts'
import type { DialogKind } from './dialog-kinds.ts'
import type { FromPage, UiSettings } from './protocol.ts'
import { CLASS } from './table.ts'
import type { Words } from './words.ts'

/** Where pictures come from. A source is a node id, or that of a shared screen (`shareNode`), as text. */
export interface Pictures {
  pictureOf(source: string): MediaStreamTrack | null
  /** Calls back after every change; returns how to stop. */
  watch(callback: () => void): () => void
}

/** The sound of the meeting, from the moment the page joins audio. */
export interface Sound {
  join(): void
}

export interface UiContext {
  settings: UiSettings
  words: Words
  say(message: FromPage): void
  devices: Devices
  pictures: Pictures
  sound: Sound
  /** The devices that the visitor allowed in the page's own dialogs. */
  access: { microphone: boolean }
  openDialog(kind: DialogKind): void
  toast(text: string, forMs?: number): void
}

/** A button as the real page has them: its class, its label, what is inside. */
export function zmButton(attributes: Attributes, onClick: (event: MouseEvent) => void, ...children: Child[]) {
  const { class: cls, ...rest } = attributes
  const button = h('button', { type: 'button', class: `${CLASS.button} ${cls ?? ''}`.trim(), ...rest }, ...children)
  button.addEventListener('click', onClick)
  return button
}

/** Icons are drawings without text; the class names what they show. */
export function svgIcon(cls: string): SVGSVGElement {
  const icon = document.createElementNS('http://www.w3.org/2000/svg', 'svg')
  icon.setAttribute('class', cls)
  icon.setAttribute('aria-hidden', 'true')
  icon.setAttribute('viewBox', '0 0 24 24')
  const shape = document.createElementNS('http://www.w3.org/2000/svg', 'path')
  shape.setAttribute('d', ICONS[cls.replace(/^Svg/, '').replace(/\d$/, '')] ?? 'M4 12h16')
  icon.append(shape)
  return icon
}

const ICONS: Record<string, string> = {
  AudioMute: 'M9 4h6v9H9zM12 16v4M5 4l14 16',
  AudioUnmute: 'M9 4h6v9H9zM6 11v2h12v-2M12 16v4',
  VideoOn: 'M3 7h12v10H3zM16 10l5-3v10l-5-3z',
  VideoOff: 'M3 7h12v10H3zM16 10l5-3v10l-5-3zM4 4l16 16',
  Participants: 'M9 5h5v5H9zM5 19c0-9 14-9 14 0z',
  Chat: 'M4 5h16v11H10l-4 4v-4H4z',
  Captions: 'M3 6h18v12H3zM6 12h5M13 12h5',
  More: 'M5 12h1M12 12h1M19 12h1',
  SpeakerView: 'M3 5h18v14H3zM7 5v4h10V5',
  React: 'M12 20c-16-10-4-20 0-12 4-8 16 2 0 12z',
}
