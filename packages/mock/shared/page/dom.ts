/** Small tools for building a page: elements, seeded class names, text that is split over nodes. */
import { hashOf, type Random, randomOf } from './random.ts'

const LETTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'

/** Gives every logical part of the page a class name of this seed, independent of the order of the parts. */
export function classNames(seed: number): (part: string) => string {
  const given = new Map<string, string>()
  return (part) => {
    let name = given.get(part)
    if (name === undefined) {
      name = randomName(randomOf(seed + hashOf(part)))
      given.set(part, name)
    }
    return name
  }
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

/** An element; attributes, if it has any, come first. Those that are true are written empty, false and undefined ones are left out. */
export function h<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  ...given: [Attributes, ...Child[]] | Child[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag)
  for (const part of given) {
    if (part instanceof Node || typeof part === 'string') element.append(part)
    else if (part) for (const [name, value] of Object.entries(part)) setAttribute(element, name, value)
  }
  return element
}

/** A `div` of this class. */
export function box(className: string, ...children: Child[]): HTMLDivElement {
  return h('div', { class: className }, ...children)
}

export function setAttribute(element: Element, name: string, value: string | boolean | number | undefined): void {
  if (value === undefined || value === false) element.removeAttribute(name)
  else element.setAttribute(name, value === true ? '' : String(value))
}

/** Text as in real pages: split over nodes, so that no selector can rely on one element with exactly this text. */
export function brokenText(random: Random, text: string): DocumentFragment {
  const fragment = document.createDocumentFragment()
  const cut = text.indexOf(' ', random.int(0, Math.max(0, text.length - 2)))
  if (cut <= 0) fragment.append(h('span', text))
  else if (random.chance(0.5)) fragment.append(document.createTextNode(text.slice(0, cut)), text.slice(cut))
  else fragment.append(text.slice(0, cut), h('span', text.slice(cut)))
  return fragment
}

/** The current content of a page, and how it is closed. */
export interface Shown {
  root: HTMLElement
  close?(): void
}

/** A video of the page, without sound of its own. */
export function mutedVideo(attributes: Attributes): HTMLVideoElement {
  const video = h('video', { playsinline: true, ...attributes })
  video.muted = true
  return video
}

/** Letters on a color of the person's own, as the address of a picture. */
export function avatarOf(id: string, letters: string): string {
  const canvas = Object.assign(document.createElement('canvas'), { width: 96, height: 96 })
  const pen = canvas.getContext('2d')
  if (!pen) return ''
  pen.fillStyle = `hsl(${randomOf(hashOf(id)).int(0, 359)} 45% 40%)`
  pen.fillRect(0, 0, 96, 96)
  Object.assign(pen, { fillStyle: '#fff', font: '44px sans-serif', textAlign: 'center', textBaseline: 'middle' })
  pen.fillText(letters || '?', 48, 52)
  return canvas.toDataURL()
}

/** A page's texts: the English one, its translation if there is one, `{0}` replaced by the first value. Values are never translated. */
export function translated(
  language: Readonly<Record<string, string>>,
  english: string,
  values: readonly unknown[],
  tidy = (text: string) => text,
) {
  return tidy(language[english] ?? english).replace(/\{(\d)\}/g, (_, index) => String(values[Number(index)] ?? ''))
}
