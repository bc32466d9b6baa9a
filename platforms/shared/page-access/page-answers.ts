/**
 * Validates the answers of a page's script: the page is not ours, and its own scripts may have taken over the channel.
 * Texts and lists that are too long are cut; values of another kind are refused, and the caller counts them.
 */
import { systemClock } from '@standin/wire/time/deadline.ts'
import { MAX_TRAFFIC_BYTES } from '@standin/wire/usage.ts'
import { z } from 'zod'
import type { CommonSnapshot, PageApi, PageEvent } from '../page/types.ts'

/**
 * A page's clock is this machine's, so times in the future are limited; a message may be as old as its chat.
 * Milliseconds.
 */
const MAX_AHEAD_MS = 3_600_000
const MAX_EVENTS = 6000
const MAX_ITEMS = 2000
const MAX_DEPTH = 8
/** Characters. */
const MAX_ID = 500
const MAX_NAME = 500
const MAX_TEXT = 20_000
const MAX_ADDRESS = 2000

const text = (longest: number) => z.string().transform((whole) => whole.slice(0, longest))
const list = <Item extends z.ZodType>(item: Item, most: number) =>
  z
    .array(z.unknown())
    .transform((all) => all.slice(0, most))
    .pipe(z.array(item))
const id = z.string().min(1).max(MAX_ID)
const name = text(MAX_NAME)
const instant = z
  .number()
  .min(0)
  .refine((at) => at <= systemClock.now() + MAX_AHEAD_MS, { error: 'is in the future' })
const participant = z.object({ id, name, isHost: z.boolean(), isBot: z.boolean().optional() })
const content = z.object({
  text: text(MAX_TEXT),
  isCut: z.boolean().optional(),
  links: list(z.object({ text: text(MAX_ADDRESS), url: z.string().max(MAX_ADDRESS) }), 50).optional(),
  files: list(
    z.object({ name, url: z.string().max(MAX_ADDRESS).nullable(), bytes: z.number().min(0).nullable() }),
    50,
  ).optional(),
  reactions: list(
    z.object({ emoji: text(100), count: z.number().min(0), participantIds: list(id, MAX_ITEMS) }),
    50,
  ).optional(),
  replyTo: id.optional(),
  isEdited: z.boolean().optional(),
  isDeleted: z.boolean().optional(),
})
const someone = { participantId: id.nullable(), name }

const event = z.discriminatedUnion('type', [
  z.object({ type: z.literal('participant_joined'), participant, at: instant }),
  z.object({ type: z.literal('participant_changed'), participant, at: instant }),
  z.object({ type: z.literal('participant_left'), participantId: id, at: instant }),
  z.object({
    type: z.literal('speaking'),
    participantId: id,
    isSpeaking: z.boolean(),
    source: z.enum(['csrc', 'page', 'captions', 'audio_level']),
    confidence: z.number().min(0).max(1),
    at: instant,
  }),
  z.object({
    type: z.literal('chat_message'),
    message: content.extend({
      id,
      senderId: id.nullable(),
      senderName: name,
      at: instant,
      isOwn: z.boolean(),
      isDirect: z.boolean().optional(),
    }),
  }),
  z.object({ type: z.literal('chat_message_changed'), messageId: id, content, at: instant }),
  z.object({ type: z.literal('reaction'), ...someone, emoji: text(100), at: instant }),
  z.object({ type: z.literal('hand_raised'), ...someone, isRaised: z.boolean(), at: instant }),
  z.object({ type: z.literal('camera'), participantId: id, at: instant }),
  z.object({ type: z.literal('screen_share'), participantId: id.nullable(), isSharing: z.boolean(), at: instant }),
  z.object({
    type: z.literal('caption'),
    key: id,
    ...someone,
    text: text(MAX_TEXT),
    isFinal: z.boolean(),
    at: instant,
    startedAt: z.number().min(0).optional(),
  }),
])

const device = z.enum(['on', 'off', 'problem', 'absent'])
/** Fields of every platform's snapshot; the platform's own follow, bounded by `plainData`. */
const commonSnapshot = z.looseObject({
  at: instant,
  url: z.string(),
  lang: z.string(),
  lines: z.array(z.string()),
  headings: z.array(z.string()),
  dialogs: z.array(
    z.looseObject({
      text: z.string(),
      isModal: z.boolean(),
      isPersistent: z.boolean(),
      buttons: z.array(z.looseObject({ label: z.string(), action: z.string().nullable(), ref: z.number() })),
    }),
  ),
  banners: z.array(z.string()).optional(),
  microphone: device,
  camera: device,
  others: z.number().int().min(0).nullable(),
  areRoomsOpen: z.boolean().optional(),
  captionsOn: z.boolean().nullish(),
  answered: list(z.string(), 100).optional(),
  sharesScreen: z.boolean().optional(),
  receivesSound: z.boolean().nullish(),
  unread: z.record(z.string(), z.number()).optional(),
})

const report = z.object({
  snapshot: z.unknown(),
  events: z.array(z.unknown()).max(MAX_EVENTS),
  document: z.number(),
  hasBegun: z.boolean(),
  dropped: z.number().int().min(0).optional(),
})
const numbered = z.object({ number: z.number(), event: z.unknown() })

export interface ReadReport<Snapshot extends CommonSnapshot> {
  snapshot: Snapshot
  events: PageEvent[]
  /** Number of the last event, refused or not; null if there was none. */
  lastNumber: number | null
  document: number
  hasBegun: boolean
  dropped: number
  /** Number of refused events. */
  refused: number
}

/** Null for an answer that is no snapshot. */
export function readReport<Snapshot extends CommonSnapshot>(answer: unknown): ReadReport<Snapshot> | null {
  const whole = report.safeParse(answer)
  if (!whole.success) return null
  const snapshot = commonSnapshot.safeParse(plainData(whole.data.snapshot))
  if (!snapshot.success) return null
  const { document, hasBegun, dropped = 0 } = whole.data
  const events: PageEvent[] = []
  let lastNumber: number | null = null
  let refused = 0
  for (const item of whole.data.events) {
    const given = numbered.safeParse(item)
    if (given.success) lastNumber = given.data.number
    const read = event.safeParse(given.data?.event)
    if (read.success) events.push(read.data as PageEvent)
    else refused += 1
  }
  return { snapshot: snapshot.data as unknown as Snapshot, events, lastNumber, document, hasBegun, dropped, refused }
}

const transferred = z.number().min(0).max(MAX_TRAFFIC_BYTES)

const ANSWERS: Readonly<Partial<Record<keyof PageApi, z.ZodType>>> = {
  chat: z.object({
    isPanelOpen: z.boolean(),
    isOff: z.boolean().optional(),
    isElsewhere: z.boolean().optional(),
    box: z.object({ isEnabled: z.boolean(), value: text(MAX_TEXT) }).nullable(),
    own: list(z.object({ id, text: text(MAX_TEXT) }), MAX_ITEMS),
  }),
  openFrames: z.string().max(MAX_ID).nullable(),
  framesFault: text(MAX_TEXT).nullable(),
  compositePng: z.string().nullable(),
  census: z.object({ found: list(z.string().max(100), 1000) }),
  structure: z.string().max(2_000_000),
  playSound: z.number().min(0),
  captureTab: text(MAX_NAME),
  sharesScreen: z.boolean(),
  restoreSound: list(z.enum(['stopped', 'muted']), 2),
  traffic: z.object({ received: transferred, sent: transferred }),
}

/** The answer to any other question; `isRefused` where it is of another kind than the method's. */
export function readAnswer(method: string, answer: unknown): { answer: unknown; isRefused: boolean } {
  const schema = ANSWERS[method as keyof PageApi]
  if (schema === undefined || answer === null) return { answer, isRefused: false }
  const read = schema.safeParse(answer)
  return read.success ? { answer: read.data, isRefused: false } : { answer: null, isRefused: true }
}

/**
 * Plain data with bounds: long texts and lists are cut, numbers that are none and values that are nested too deep are
 * null.
 */
export function plainData(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return value.slice(0, MAX_TEXT)
  if (typeof value === 'boolean') return value
  if (typeof value === 'number') return Number.isFinite(value) ? value : null
  if (value === undefined) return undefined
  if (value === null || typeof value !== 'object' || depth >= MAX_DEPTH) return null
  if (Array.isArray(value)) return value.slice(0, MAX_ITEMS).map((item) => plainData(item, depth + 1))
  const entries = Object.entries(value).slice(0, MAX_ITEMS)
  return Object.fromEntries(entries.map(([key, item]) => [key.slice(0, MAX_NAME), plainData(item, depth + 1)]))
}
