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
 * Rows of the region by their structure: a picture, a name and, last, the text. Class names change, and an element with
 * two children is no row.
 */
export function readCaptionRegion(region: Element | null, icon: string): ShownCaption[] {
  if (!region) return []
  return [...region.querySelectorAll('img')].flatMap((face) => {
    const element = face.closest(`${REGION} > *`) ?? face.parentElement
    const body = element?.lastElementChild
    if (!element || !body || body.contains(face)) return []
    const name = [...element.querySelectorAll('span')].find((span) => !body.contains(span))
    return [{ element, name: name ? plain(textWithout(name, icon)) : '', text: textWithout(body, icon) }]
  })
}

const REGION = '[role="region"]'
