/** Links and files of a chat message. Addresses are shown as they are, so that a link's text cannot hide where it leads. */
import type { ReportMessage } from './data.ts'
import { element } from './dom.ts'

const LEADS_SOMEWHERE = /^(?:https?|mailto):$/

/** Of its state, in brackets behind the name; empty for a plain message. */
export function marksOf({ isDirect, isEdited, isDeleted }: ReportMessage): string {
  const marks = [isDirect && 'direct', isDeleted ? 'deleted' : isEdited && 'edited'].filter(Boolean)
  return marks.length > 0 ? `, ${marks.join(', ')}` : ''
}

/** Null where there is nothing beside the text. */
export function besideText({ answers, links, files, reactions, isCut }: ReportMessage): HTMLElement | null {
  const parts: Node[] = []
  if (answers !== null) parts.push(element('p', { class: 'answers' }, `In answer to ${answers}`))
  if (isCut) parts.push(element('p', { class: 'answers' }, 'The message is longer; it is cut here.'))
  for (const { text, url } of links) {
    if (!URL.canParse(url) || !LEADS_SOMEWHERE.test(new URL(url).protocol)) continue
    const link = element('a', { href: url, rel: 'noopener noreferrer', target: '_blank' }, url)
    parts.push(element('p', {}, ...(text === url || text === '' ? [] : [`${text}: `]), link))
  }
  for (const { name, bytes } of files) {
    const size = bytes === null ? '' : ` (${sizeOf(bytes)})`
    parts.push(element('p', {}, `File: ${name}${size}`))
  }
  if (reactions.length > 0)
    parts.push(element('p', { class: 'reactions' }, ...reactions.map((reaction) => element('span', {}, reaction))))
  return parts.length > 0 ? element('div', { class: 'beside' }, ...parts) : null
}

/** Text of links and files, which the search includes. */
export function wordsBeside({ links, files }: ReportMessage): string {
  return [...links.flatMap(({ text, url }) => [text, url]), ...files.map(({ name }) => name)].join('\n')
}

function sizeOf(bytes: number): string {
  return bytes < 1_000_000 ? `${Math.max(1, Math.round(bytes / 1000))} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`
}
