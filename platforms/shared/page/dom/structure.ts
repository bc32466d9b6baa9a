/**
 * The page without people's content, as HTML: tags, roles, ids, classes and test ids; texts of buttons, headings and
 * notices and known wording. Letters of every other text are replaced, so that only its form is left. A maintainer mends
 * words and selectors by it, and the mock meetings can show it (`standin mock --replay`).
 */
import { plain } from './visible-text.ts'

const MAX_ELEMENTS = 4000
const MAX_TEXT = 160
/** Names of selectors whose elements hold names, messages and pictures of people. */
const PLACES_OF_PEOPLE = [
  ...['tile', 'remoteTile', 'tileHolder', 'shareView', 'talking', 'meetingTitle', 'peoples'],
  ...['sidePanel', 'sidePane', 'rightPanels', 'personRow', 'absentRow', 'peopleList', 'participantsPane'],
  ...['chatPanel', 'chatList', 'chatItem', 'chatGroup', 'chatMessage', 'chatEditor', 'captions', 'captionsRegion'],
  ...['toasts', 'notices', 'banner', 'disclaimer'],
]
/** Topics and names of a meeting, for which no selector is needed otherwise. */
const TOPICS = '.meeting-header, .wr-topic, .wr-schedule-date, [data-meeting-title], .subject'
const LEFT_OUT = new Set(['SCRIPT', 'STYLE', 'LINK', 'META', 'NOSCRIPT', 'TEMPLATE', 'BASE'])
/** Their inside says nothing about the page. */
const WITHOUT_CHILDREN = new Set(['SVG', 'VIDEO', 'AUDIO', 'CANVAS', 'IFRAME', 'OBJECT', 'SELECT', 'TEXTAREA'])
const VOID = new Set(['INPUT', 'IMG', 'BR', 'HR'])
const CONTROL =
  'button, input, label, h1, h2, h3, [role="button"], [role="heading"], [role="alert"], [role="menuitem"], [role="radio"]'
const WORDED = new Set(['aria-label', 'placeholder', 'title', 'alt', 'aria-description'])
const NAMED =
  /^(?:id|class|role|type|name|for|disabled|hidden|tabindex|contenteditable|aria-[a-z]+|data-[\w-]+|js[a-z]+|feature-type)$/
/** A value that a program made; values with spaces or many digits may be of people. */
const MARK = /^[A-Za-z_.:#/-]{0,60}\d{0,4}[A-Za-z_.:#/-]{0,60}\d{0,3}$/

export interface StructureConfig {
  selectors: Readonly<Record<string, string>>
  botName: string
  /** Sources of expressions of known wording. */
  known: readonly string[]
  /** Whether texts of buttons, headings and notices are shown that are not known. */
  showsControls: boolean
}

export function pageStructure({ selectors, botName, known, showsControls }: StructureConfig): string {
  const people = [...PLACES_OF_PEOPLE.flatMap((name) => selectors[name] ?? []), TOPICS].join(', ')
  const expressions = known.map((source) => new RegExp(source, 'iu'))
  const hidden = plain(botName).toLowerCase()
  const holdsName = (text: string) => hidden.length > 1 && plain(text).toLowerCase().includes(hidden)
  const isKnown = (text: string) => expressions.some((expression) => expression.test(plain(text).slice(0, MAX_TEXT)))
  const shown = (text: string, isControl: boolean) =>
    text.length <= MAX_TEXT && !holdsName(text) && !/@|https?:/.test(text) && (isControl || isKnown(text))
      ? text
      : masked(text.slice(0, MAX_TEXT))

  let left = MAX_ELEMENTS
  function elementOf(element: Element, isOfPeople: boolean, isControl: boolean): string {
    const tag = element.tagName.toUpperCase()
    if (LEFT_OUT.has(tag) || left-- <= 0) return ''
    const ofPeople = isOfPeople || element.matches(people)
    const control = showsControls && !ofPeople && (isControl || element.matches(CONTROL))
    const name = /^[a-z][a-z0-9-]*$/i.test(tag) ? tag.toLowerCase() : 'div'
    const opening = `<${name}${attributesOf(element, ofPeople, control)}>`
    if (VOID.has(tag)) return opening
    const children = WITHOUT_CHILDREN.has(tag) ? [] : [...(element.shadowRoot?.childNodes ?? []), ...element.childNodes]
    const inside = children.map((node) => {
      if (node.nodeType === Node.ELEMENT_NODE) return elementOf(node as Element, ofPeople, control)
      if (node.nodeType !== Node.TEXT_NODE) return ''
      const text = (node.nodeValue ?? '').replace(/\s+/g, ' ')
      return escaped(text.trim() === '' ? text : ofPeople ? masked(text.slice(0, MAX_TEXT)) : shown(text, control))
    })
    return `${opening}${inside.join('')}</${name}>`
  }

  function attributesOf(element: Element, isOfPeople: boolean, isControl: boolean): string {
    const kept = [...element.attributes].flatMap(({ name, value }) => {
      if (WORDED.has(name)) return [[name, isOfPeople ? masked(value.slice(0, MAX_TEXT)) : shown(value, isControl)]]
      if (!NAMED.test(name)) return []
      // Classes of a list are looked at one by one.
      const marks = value.split(' ').map((mark) => (MARK.test(mark) && !holdsName(mark) ? mark : masked(mark)))
      const isPersonal = isOfPeople && !['role', 'class', 'type'].includes(name)
      return [
        [
          name,
          isPersonal
            ? masked(value.slice(0, MAX_TEXT))
            : name === 'class' || marks.length === 1
              ? marks.join(' ')
              : masked(value),
        ],
      ]
    })
    const { display, visibility, opacity } = getComputedStyle(element)
    const isHidden = display === 'none' || visibility === 'hidden' || opacity === '0'
    const style = isHidden ? 'display:none' : display.startsWith('inline') ? '' : 'display:block'
    const all = style === '' ? kept : [...kept, ['style', style]]
    return all.map(([name, value]) => ` ${name}="${escaped(value!)}"`).join('')
  }

  const { lang } = document.documentElement
  const body = document.body as HTMLElement | null
  return `<!doctype html><html lang="${escaped(masked(lang) === lang ? lang : lang.slice(0, 5))}"><head><meta charset="utf-8"></head>${body ? elementOf(body, false, false) : '<body></body>'}</html>`
}

/** The same form with other letters and digits. */
const masked = (text: string): string =>
  text
    .replace(/\p{Lu}/gu, 'X')
    .replace(/\p{L}/gu, 'x')
    .replace(/\p{N}/gu, '0')

const escaped = (text: string): string => text.replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`)
