/** Icons, and the class names that captures of the real page have. */
import { h } from '../../shared/page/dom.ts'

/** Class names that were seen (docs/platform-notes/google-meet.md#tiles), for the mode that keeps them. */
export const KNOWN_CLASSES: Record<string, string> = {
  tile: 'oZRSLe',
  tileInner: 'FKJK2b',
  nameCopy: 'ne2Ple',
  silent: 'gjg47c',
  speaking0: 'Oaajhc',
  speaking1: 'HX2H7',
  speaking2: 'wEsLMd',
  speaking3: 'OgVli',
  accountName: 'awLEm',
  endHeading: 'roSPhc',
  primary: 'UywwFc-LgbsSe',
  primaryLabel: 'UywwFc-vQzf8d',
  chatList: 'Ge9Kpc',
  chatGroup: 'Ss4fHf',
  chatOwnGroup: 'ydIQ1d',
  chatHeader: 'HNucUd',
  chatSender: 'poVWob',
  chatTime: 'MuzmKe',
  chatMessage: 'RLrADb',
  captionRow: 'nMcdL',
  captionSpeaker: 'NWpY1d',
  captionText: 'ygicle',
}

let iconClass: (name: string) => string = () => ''

/** Icons look right once their glyphs have class names; the page's start sets them. */
export function useIconClasses(cls: (part: string) => string): void {
  iconClass = (name) => cls(iconPart(name))
}

/** The logical part an icon's class is made for. */
export function iconPart(name: string): string {
  return `icon-${name}`
}

/** An icon is text: its ligature is what a reader of the DOM sees. */
export function icon(name: string): HTMLElement {
  return h('i', { class: `google-symbols ${iconClass(name)}`, 'aria-hidden': 'true' }, name)
}
