/**
 * Decodes the media server's messages on the page's data channel: who dominates, and captions
 * (docs/platform-notes/microsoft-teams.md#the-main-channel). Pure.
 */
import { UnreadMessage } from '../../shared/page/chat/unread-messages.ts'
import { listOf, numberOf, objectOf, parsed, textOf } from './json.ts'

export interface ChannelCaption {
  mri: string
  text: string
  isFinal: boolean
  /** UTC milliseconds at which its sound began; null if the message does not say. */
  startedAt: number | null
}

export interface ChannelMessage {
  /** Contributing sources by their latest dominance, newest first; null if the message has none. */
  dominant: number[] | null
  captions: ChannelCaption[]
}

const LONGEST = 200_000
const TICKS_PER_MS = 10_000
const MS_FROM_1900_TO_1970 = 2_208_988_800_000
/** The prefix may contain a few brackets by chance. */
const MAX_TRIES = 16

/**
 * The message is some bytes of unknown meaning, then JSON. Null if it has no known content. Throws if it holds no JSON, or
 * is too long.
 */
export function readChannelMessage(data: ArrayBuffer | string): ChannelMessage | null {
  if ((typeof data === 'string' ? data.length : data.byteLength) > LONGEST)
    throw new UnreadMessage('The message is too long')
  const text = typeof data === 'string' ? data : new TextDecoder().decode(data)
  if (text === '') return null
  const json = jsonWithin(text)
  if (json === null) throw new UnreadMessage('The message holds no JSON')
  const items = Array.isArray(json) ? listOf(json, 100) : [json]
  let dominant: number[] | null = null
  const captions: ChannelMessage['captions'] = []
  for (const item of items) {
    const message = objectOf(item)
    if (message?.type === 'dsh') dominant = listOf(message.history, 100).flatMap((source) => numberOf(source) ?? [])
    for (const entry of listOf(message?.recognitionResults, 100)) {
      const result = objectOf(entry)
      const mri = textOf(result?.userId)
      const said = textOf(result?.text, 10_000)
      if (mri === null || !said) continue
      const ticks = numberOf(result?.timestampAudioSent)
      const startedAt = ticks === null ? null : ticks / TICKS_PER_MS - MS_FROM_1900_TO_1970
      captions.push({ mri, text: said, isFinal: result?.isFinal === true, startedAt })
    }
  }
  return dominant === null && captions.length === 0 ? null : { dominant, captions }
}

function jsonWithin(text: string): unknown {
  let tries = 0
  for (const { index } of text.matchAll(/[[{]/g)) {
    if (++tries > MAX_TRIES) break
    const value = parsed(text.slice(index))
    if (value !== null) return value
  }
  return null
}
