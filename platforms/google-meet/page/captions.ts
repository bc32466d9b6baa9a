/**
 * Captions: from the channel that carries them with their speaker's device, and from the page where the channel sends
 * none.
 */
import type { ShownCaption } from '../../shared/page/chat/caption-rows.ts'
import { UnreadMessage } from '../../shared/page/chat/unread-messages.ts'
import { plain, textWithout } from '../../shared/page/dom/visible-text.ts'
import { inflate } from './collections.ts'
import { messagesAt, numberAt, readFields, textAt } from './protobuf.ts'

export interface CaptionRecord {
  deviceId: string
  /** Id of the row; its text grows with each version. */
  captionId: string
  version: number
  isFinal: boolean
  text: string
}

const LONGEST = 200_000

/**
 * A message of the `captions` channel (docs/platform-notes/google-meet.md#data-channels). Rejects for anything else.
 */
export async function decodeCaptions(data: ArrayBuffer): Promise<CaptionRecord[]> {
  if (data.byteLength > LONGEST) throw new UnreadMessage('The message is too long')
  const fields = readFields(await inflate(new Uint8Array(data)))
  if (!fields) throw new UnreadMessage('No message of the captions channel')
  return messagesAt(fields, [1]).flatMap((caption) => {
    const deviceId = textAt(caption, 1)
    const text = textAt(caption, 6)
    if (!deviceId || text === null) return []
    const captionId = String(numberAt(caption, 2) ?? textAt(caption, 2) ?? '')
    const version = Number(numberAt(caption, 3) ?? 0n)
    return [{ deviceId, captionId, version, isFinal: (numberAt(caption, 4) ?? 0n) !== 0n, text }]
  })
}

/**
 * Rows of the region by their structure, because class names change: the nearest element around the text whose first
 * part is the name. A row may have a picture or none, and scrollers may stand between the region and its rows.
 */
export function readCaptionRegion(region: Element | null, icon: string): ShownCaption[] {
  if (!region) return []
  const parts = [...region.children].filter((part) => !part.matches(NO_PART) && textWithout(part, icon) !== '')
  const [first] = parts
  const last = parts.at(-1)
  if (!first || !last) return []
  // The first row may have no text yet.
  const isList =
    readCaptionRegion(first, icon).length > 0 || (beginsWithPicture(last) && readCaptionRegion(last, icon).length > 0)
  // Words of a text are inline elements side by side; the text itself is a block.
  if (parts.length > 1 && !isList) return last.matches(INLINE) ? [] : [rowOf(region, first, last, icon)]
  return parts.flatMap((part) => readCaptionRegion(part, icon))
}

function rowOf(element: Element, first: Element, last: Element, icon: string): ShownCaption {
  const named = first.matches('span') ? first : (first.querySelector('span') ?? first)
  return { element, name: plain(textWithout(named, icon)), text: textWithout(last, icon) }
}

function beginsWithPicture(element: Element): boolean {
  const first = element.firstElementChild
  return first !== null && (first.tagName === 'IMG' || beginsWithPicture(first))
}

/** Parts of the region that hold neither a name nor a text. */
const NO_PART = 'button, [role="button"], [role="heading"], h1, h2, h3'
const INLINE = 'span, a, b, i, em, strong, mark, font'
