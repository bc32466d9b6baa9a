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

/** Text as in real pages: split over nodes, so that no selector can rely on one element with exactly this text. */
export function brokenText(random: Random, text: string): DocumentFragment {
  const fragment = document.createDocumentFragment()
  const cut = text.indexOf(' ', random.int(0, Math.max(0, text.length - 2)))
  if (cut <= 0) fragment.append(h('span', {}, text))
  else if (random.chance(0.5)) fragment.append(document.createTextNode(text.slice(0, cut)), text.slice(cut))
  else fragment.append(text.slice(0, cut), h('span', {}, text.slice(cut)))
  return fragment
}
