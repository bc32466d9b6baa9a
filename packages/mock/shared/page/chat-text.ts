/** A message's text as pages show it: lines, links and emoji are elements. */
import { h } from './dom.ts'

/** Properties of a message beside its text. */
export interface MessageExtras {
  /** Words of the text that lead to another place than they say. */
  links?: { text: string; url: string }[]
  /** Names that the text has as `@Name`. */
  mentions?: string[]
  file?: { name: string; url: string; bytes: number }
  replyTo?: string
  isDirect?: boolean
  isEdited?: boolean
  isDeleted?: boolean
}

export interface TextLook {
  links?: MessageExtras['links']
  mentions?: MessageExtras['mentions']
  /** Where the platform has elements for them; they stay text elsewhere. */
  mention?(name: string): Node
  emoji?(character: string): Node
}

const ADDRESS = String.raw`https?:\/\/\S+`
const EMOJI = String.raw`\p{Extended_Pictographic}`

/** The nodes of one line. Addresses are links that say where they lead. */
export function shownText(text: string, { links = [], mentions = [], mention, emoji }: TextLook = {}): Node[] {
  const words = [...links.map((link) => link.text), ...mentions.map((name) => `@${name}`)].map(escaped)
  const parts = text.split(new RegExp(`(${[...words, ADDRESS, ...(emoji ? [EMOJI] : [])].join('|')})`, 'u'))
  return parts
    .filter((part) => part !== '')
    .map((part) => {
      const link = links.find((one) => one.text === part)
      if (link) return h('a', { href: link.url, rel: 'noopener' }, part)
      if (/^https?:\/\//.test(part)) return h('a', { href: part, rel: 'noopener' }, part)
      if (mention && part.startsWith('@') && mentions.includes(part.slice(1))) return mention(part.slice(1))
      if (emoji && new RegExp(`^${EMOJI}$`, 'u').test(part)) return emoji(part)
      return document.createTextNode(part)
    })
}

function escaped(words: string): string {
  return words.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
}
