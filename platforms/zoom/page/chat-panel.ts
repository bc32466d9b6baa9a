/** Reads the messages in the chat panel. Its list is virtual and is in the page only while the panel is open. */
import { contentOf, type WrittenContent } from '../../shared/page/chat/chat-content.ts'
import { instantOf } from '../../shared/page/chat/chat-time.ts'
import { plain } from '../../shared/page/dom/visible-text.ts'
import { signalNotes } from '../../shared/page/signals.ts'
import { ChatOrder } from './chat-order.ts'
import type { Elements } from './elements.ts'

const signals = signalNotes<'zoom'>()

export interface PanelMessage {
  /** Zoom's own id, the same whenever the row comes back. */
  id: string
  /** Null for the bot's own. */
  sender: string | null
  /** Zoom's number of the sender; null if the row does not say. */
  userId: number | null
  content: WrittenContent
  isEdited: boolean
  /** To the bot, or by the bot to one participant, and not to all. */
  isDirect: boolean
  /** UTC milliseconds by the shown time, which has minutes only; null if none is shown. */
  shownAt: number | null
}

/** Sender, receiver, time and text as a row gives them to screen readers. */
const SPOKEN = /^(.+?) to (.+?), (\d{1,2}:\d{2}(?:\s*[ap]m)?), /i
const TIME = /(\d{1,2}):(\d{2})(?:\s*([ap])m)?/i
/** Pages to scroll back at most; earlier messages are from before the bot joined, or not needed. */
const MAX_PAGES = 800
/** An opened list is complete when its first row has been the same in so many polls, or after so many polls. */
const SAME_LOOKS = 4
const MAX_DRAWING_LOOKS = 8
/** A scrolled list shows its new rows with the browser's next frame, on a busy machine much later. Polls. */
const MAX_TURNING_LOOKS = 40
/** Rows remembered for those that follow without a header. */
const MAX_SENDERS = 2000

interface Sender {
  name: string | null
  isYou: boolean
  userId: number | null
  time: string | null
  isDirect: boolean
}

export function createChatReader(elements: Elements) {
  const { all, first, says, selector } = elements
  // Only the first message of a run names its sender, and that row may have left the page.
  const senders = new Map<string, Sender>()
  let pagesBack = 0
  /** The rows of the list before it was turned back, and the number of polls since. */
  let turned = { ids: '', looks: 0 }
  /** Number of the newest row up to which the list was read. */
  let readTo: number | null = null
  let newestRead = 0
  let missed = 0
  /** Rows that were read while scrolling back, so the list was not read to there. */
  const gap = new Set<string>()
  const order = new ChatOrder()
  /** State of the open panel. */
  let drawing = { panel: null as Element | null, first: '', same: 0, looks: 0 }

  function headerOf(item: Element, row: Element): Sender | null {
    const header = first('chatHeader', item)
    const sender = header && first('chatSender', header)
    const shown = sender?.getAttribute('data-name') ?? sender?.getAttribute('title') ?? sender?.textContent ?? ''
    const spoken = SPOKEN.exec(plain(row.getAttribute('aria-label') ?? ''))
    const name = signals.first<'message_sender', string>('message_sender', {
      header: plain(shown) || null,
      spoken: spoken?.[1] ?? null,
    })
    if (!header && !spoken) return null
    const userId = Number(sender?.getAttribute('data-userid') || Number.NaN)
    const names = [name ?? '', sender?.getAttribute('title') ?? '', sender?.textContent ?? '', spoken?.[1] ?? '']
    return {
      name: name ?? '',
      isYou: names.some((text) => says('you', text)),
      userId: Number.isSafeInteger(userId) ? userId : null,
      time: (header && first('chatTime', header)?.textContent) ?? spoken?.[3] ?? null,
      isDirect: says('privately', header?.textContent ?? spoken?.[2] ?? ''),
    }
  }

  return {
    /** In the order of the list. */
    read(now: number): PanelMessage[] {
      const messages: PanelMessage[] = []
      let current: Sender | null = null
      for (const item of inOrder(all('chatItem'))) {
        if (item.matches(selector('chatSystemItem'))) continue
        const row = first('chatRow', item) ?? item
        const body = first('chatText', item)
        const id = item.getAttribute('data-id') || body?.id || ''
        const content = body ? contentOf(body) : { text: '' }
        if (id === '' || content.text === '' || says('systemLine', content.text)) continue
        const header = headerOf(item, row)
        const sender: Sender | null = header ?? senders.get(id) ?? current
        if (sender) {
          current = sender
          senders.delete(id)
          senders.set(id, sender)
        }
        const name = sender?.name ?? null
        const isOwn = [
          signals.note('own_message.box', first('chatOwnBox', item) !== null),
          signals.note('own_message.text', first('chatOwnText', item) !== null),
          signals.note('own_message.sender', sender?.isYou ?? false),
        ].includes(true)
        messages.push({
          id: id.slice(0, 200),
          sender: isOwn ? null : (name ?? 'Unknown'),
          userId: sender?.userId ?? null,
          content,
          isEdited: header !== null && says('edited', header.time ?? ''),
          isDirect: sender?.isDirect ?? false,
          shownAt: sender?.time ? timeOf(sender.time, now) : null,
        })
      }
      while (senders.size > MAX_SENDERS) senders.delete(senders.keys().next().value ?? '')
      return messages
    },
    /** To be called once in every poll. False while an opened list is being rendered: its last rows may come first. */
    isDrawn(): boolean {
      const panel = first('chatPanel')
      if (panel !== drawing.panel) drawing = { panel, first: '', same: 0, looks: 0 }
      if (drawing.same >= SAME_LOOKS || drawing.looks >= MAX_DRAWING_LOOKS) return true
      const id = inOrder(all('chatItem'))
        .find((item) => item.hasAttribute('data-id'))
        ?.getAttribute('data-id')
      // A list without messages is not rendered yet, or has none.
      if (!id) return true
      drawing.same = id === drawing.first ? drawing.same + 1 : 1
      drawing.first = id
      drawing.looks += 1
      return drawing.same >= SAME_LOOKS
    },
    /** Ids of messages that were removed from the list. */
    deleted(): string[] {
      const rows = inOrder(all('chatItem')).filter((item) => item.getBoundingClientRect().height > 0)
      return order.update(rows.flatMap((item) => item.getAttribute('data-id') ?? []))
    },
    /**
     * Scrolls the list back to where it was read last, a page at each call, and then to its end again. False while it is
     * scrolling: then the rows in the list are not the newest.
     */
    catchUp(isKnown: (id: string) => boolean): boolean {
      const items = all('chatItem').filter((item) => !item.matches(selector('chatSystemItem')))
      const ids = items.flatMap((item) => item.getAttribute('data-id') ?? [])
      const list = items[0] && scrolledAround(items[0])
      if (!list) return true
      // A page that is scrolled twice before it is rendered would be skipped.
      const shown = ids.join(' ')
      if (pagesBack > 0 && shown === turned.ids && turned.looks < MAX_TURNING_LOOKS) {
        turned.looks += 1
        return false
      }
      const isConnected = ids.some((id) => isKnown(id) && !gap.has(id))
      if (!isConnected && list.scrollTop > 0 && pagesBack < MAX_PAGES) {
        pagesBack++
        turned = { ids: shown, looks: 0 }
        newestRead = Math.max(newestRead, ...items.map((item) => numberOf(item) ?? 0))
        for (const id of ids) gap.add(id)
        list.scrollTop -= Math.max(40, list.clientHeight - 60)
        return false
      }
      const numbers = items.flatMap((item) => numberOf(item) ?? [])
      const oldest = Math.min(...numbers)
      if (!isConnected && pagesBack >= MAX_PAGES)
        missed += readTo !== null && Number.isFinite(oldest) ? Math.max(0, oldest - readTo - 1) : 1
      if (pagesBack > 0) list.scrollTop = list.scrollHeight
      if (numbers.length > 0) readTo = Math.max(readTo ?? 0, newestRead, ...numbers)
      newestRead = 0
      pagesBack = 0
      gap.clear()
      return true
    },
    /** Number of rows that `catchUp` gave up, as far as the list numbers its rows; each is counted once. */
    missed(): number {
      const count = missed
      missed = 0
      return count
    },
  }
}

/** Null if the list does not number its rows. */
function numberOf(item: Element): number | null {
  const text = (item.closest('[data-index]') ?? item.querySelector('[data-index]'))?.getAttribute('data-index')
  return text && /^\d{1,9}$/.test(text) ? Number(text) : null
}

/** A virtual list may keep its rows in the document in any order. */
function inOrder(items: readonly Element[]): Element[] {
  return items
    .map((item) => ({ item, top: item.getBoundingClientRect().top }))
    .sort((one, other) => one.top - other.top)
    .map(({ item }) => item)
}

function scrolledAround(item: Element): Element | null {
  for (let element = item.parentElement; element; element = element.parentElement) {
    if (element.scrollHeight > element.clientHeight + 2 && /auto|scroll/.test(getComputedStyle(element).overflowY))
      return element
  }
  return null
}

function timeOf(shown: string, now: number): number | null {
  const match = TIME.exec(plain(shown))
  return match && instantOf(match[1]!, match[2]!, match[3], now)
}
