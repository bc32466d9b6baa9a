/** Small tools for building the page: elements, seeded class names, icons, text that is not one neat node. */

export interface Random {
  /** 0 to below 1. */
  next(): number
  int(from: number, to: number): number
  chance(share: number): boolean
}

/** Mulberry32: same seed, same page. */
export function randomOf(seed: number): Random {
  let state = (seed * 2654435761) >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
  return {
    next,
    int: (from, to) => from + Math.floor(next() * (to - from + 1)),
    chance: (share) => next() < share,
  }
}

/** Class names of the field notes, for the mode that keeps them. */
const KNOWN_CLASSES: Record<string, string> = {
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

const LETTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'

/** Gives every logical part of the page a class name of this seed, whatever order the parts come in. */
export function classNames(seed: number, known: boolean): (part: string) => string {
  const given = new Map<string, string>()
  return (part) => {
    let name = given.get(part)
    if (name === undefined) {
      name = (known && KNOWN_CLASSES[part]) || randomName(randomOf(seed + hashOf(part)))
      given.set(part, name)
    }
    return name
  }
}

/** A number of a text, the same every time. */
export function hashOf(text: string): number {
  return [...text].reduce((sum, letter) => (Math.imul(sum, 31) + letter.charCodeAt(0)) >>> 0, 7)
}

function randomName(random: Random): string {
  let name = ''
  for (let length = random.int(5, 6); name.length < length; ) {
    const letterOrDigit = name.length > 2 && random.chance(0.2) ? String(random.int(0, 9)) : ''
    name += letterOrDigit || LETTERS[random.int(0, LETTERS.length - 1)]
  }
  return name
}

export type Attributes = Record<string, string | boolean | number | undefined>
export type Child = Node | string | null | undefined | false

/** An element; attributes that are true are written empty, false and undefined ones are left out. */
export function h<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) setAttribute(element, name, value)
  for (const child of children) if (child) element.append(child)
  return element
}

export function setAttribute(element: Element, name: string, value: string | boolean | number | undefined): void {
  if (value === undefined || value === false) element.removeAttribute(name)
  else element.setAttribute(name, value === true ? '' : String(value))
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

/**
 * Text as the real page tends to hold it: split over nodes, so that nobody can rely on one element with exactly this
 * text.
 */
export function brokenText(random: Random, text: string): DocumentFragment {
  const fragment = document.createDocumentFragment()
  const cut = text.indexOf(' ', random.int(0, Math.max(0, text.length - 2)))
  if (cut <= 0) fragment.append(h('span', {}, text))
  else if (random.chance(0.5)) fragment.append(document.createTextNode(text.slice(0, cut)), text.slice(cut))
  else fragment.append(text.slice(0, cut), h('span', {}, text.slice(cut)))
  return fragment
}
