/**
 * What a caller asks of a bot: each field once, with its bounds, its default and its sentence. The job of the worker, the
 * bodies of `/v2`, the answers about scheduled bots, the stored request and the tools of assistants derive from it.
 */
import { z } from 'zod'
import { ACCOUNT_USES } from './account-session.ts'
import { RECORDING_MODES } from './codes.ts'
import { isBlank } from './text/blank-text.ts'

export const MAX_CHAT_LENGTH = 500
const MAX_BOT_NAME_LENGTH = 255
const MAX_BOT_IMAGES = 5
/** Of the link itself, without its wrappers. */
export const MAX_MEETING_URL_LENGTH = 2048
/** Of a text that holds the link: what a mail program made of it, or a whole invitation. */
export const MAX_MEETING_TEXT_LENGTH = 8192

/** Texts that PostgreSQL and UTF-8 can hold. */
export const storable = (text: string) => !text.includes('\0') && text.isWellFormed()
export const NOT_STORABLE = 'must not contain NUL or half of a surrogate pair'

/** Control characters other than tab and line ends, which no page shows and which can forge lines in a log or terminal. */
export const CONTROL_CHARACTERS = /[^\P{Cc}\t\n\r]/u
/** Control characters and line separators, which would break the line that shows the name. */
const UNSHOWABLE = /[\p{Cc}\u2028\u2029]/u

const textForPeople = (maxLength: number) =>
  z
    .string()
    .max(maxLength)
    .refine((text) => !isBlank(text), { error: 'must not be empty or only white space' })
    .refine((text) => !CONTROL_CHARACTERS.test(text), { error: 'must not contain control characters' })

/** A chat message: 1 to 500 characters, not only white space. */
export const chatText = textForPeople(MAX_CHAT_LENGTH)

/** What a bot says at a time: half a minute, so that its caller gets the answer while it waits. */
export const MAX_SAY_LENGTH = 500
export const sayText = textForPeople(MAX_SAY_LENGTH).refine((text) => text.isWellFormed(), { error: NOT_STORABLE })

export const botName = z
  .string()
  .min(1)
  .max(MAX_BOT_NAME_LENGTH)
  .refine((text) => text === '' || !isBlank(text), { error: 'must not be only white space' })
  .refine((text) => isBlank(text) || !UNSHOWABLE.test(text), {
    error: 'must not contain control characters or line separators',
  })
  .refine((text) => text.isWellFormed(), { error: NOT_STORABLE })
  .describe('The name under which people in the meeting see the bot.')

/** Link of a meeting, which comes without scheme and inside quotes too; the platform decides what it recognizes. */
export const meetingUrl = z
  .string()
  .max(MAX_MEETING_TEXT_LENGTH)
  .trim()
  .min(1)
  .refine(storable, { error: NOT_STORABLE })
  .describe('Link of a meeting on a supported platform, alone, wrapped by a mail program, or in an invitation.')

const IMAGE_ADDRESS = /^https:\/\//i
/** Where a picture is downloaded from. */
export const imageAddress = z.string().refine((text) => IMAGE_ADDRESS.test(text) && URL.canParse(text), {
  error: 'must be an address that starts with https://',
})

/** One picture, or several that take turns. */
export const pictures = <T extends z.ZodType>(image: T) =>
  z
    .union([image, z.array(image).min(1).max(MAX_BOT_IMAGES)])
    .describe('Shown as the camera of the bot: the address of a PNG, JPEG or WebP, or up to five that take turns.')

export const botImageConfig = z
  .strictObject({
    loop_mode: z
      .enum(['auto', 'bot_status'])
      .default('auto')
      .describe(
        '`auto`: the next one after some time. `bot_status`: the first until it records, the second meanwhile, the third, if there is one, in a pause.',
      ),
    image_duration: z.int().min(10).max(120).default(30).describe('Seconds of each picture with `auto`.'),
  })
  .describe('How several pictures take turns.')

/** Free-form data is carried along, so it is bounded; deeper nesting would exhaust the stack of a reader. */
export const MAX_CALLER_DATA_DEPTH = 32
export const MAX_CALLER_DATA_LENGTH = 256 * 1024

/** An object of the caller that is carried along. */
export const callerData = z.record(z.string(), z.unknown()).superRefine((data, context) => {
  const problem = problemOfCallerData(data)
  if (problem !== null) context.addIssue({ code: 'custom', message: problem })
})

/** The problem of data that cannot be carried along; null without one. Looks no deeper than its bound. */
export function problemOfCallerData(data: unknown): string | null {
  const deep = `must not be nested deeper than ${MAX_CALLER_DATA_DEPTH} levels`
  const walk = (value: unknown, levels: number): string | null => {
    if (typeof value === 'string') return storable(value) ? null : NOT_STORABLE
    if (typeof value !== 'object' || value === null) return null
    if (levels === 0) return deep
    for (const [key, inner] of Object.entries(value)) {
      const problem = storable(key) ? walk(inner, levels - 1) : NOT_STORABLE
      if (problem !== null) return problem
    }
    return null
  }
  const problem = walk(data, MAX_CALLER_DATA_DEPTH)
  if (problem !== null) return problem
  if (JSON.stringify(data).length <= MAX_CALLER_DATA_LENGTH) return null
  return `must not be longer than ${MAX_CALLER_DATA_LENGTH} characters of JSON`
}

/** An address with one of these protocols, such as `https:`. Unbounded. */
export const address = (...protocols: string[]) =>
  z.string().refine((text) => URL.canParse(text) && protocols.includes(new URL(text).protocol), {
    error: `must be an address that starts with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`,
  })

/** For WebSockets; their protocol has no URL fragment. */
export const webSocketAddress = address('ws:', 'wss:').refine((text) => !text.includes('#'), {
  error: 'must not have a part behind #',
})

/** The page that a bot shows; it is on the public internet, or on a host that the operator permits. */
export const pageUrl = address('https:', 'http:')
  .refine((text) => text.length <= 2048, { error: 'must not exceed 2048 characters' })
  .refine(storable, { error: NOT_STORABLE })
  .refine((text) => !/^\w+:\/\/[^/?#]*@/.test(text), { error: 'must not hold a user name or a password' })
  .meta({ format: 'uri' })
  .describe('Address of the page, https://.')

/** Where a bot shows a page. */
export const PAGE_TARGETS = ['camera', 'screen'] as const
export type PageTarget = (typeof PAGE_TARGETS)[number]
export const pageTarget = z
  .enum(PAGE_TARGETS)
  .describe('Where the page is shown: `camera` (the default), or the shared `screen`.')

const shownPage = z.strictObject({ kind: z.literal('webpage').describe('The only kind.'), url: pageUrl })

export const outputMedia = z
  .strictObject({
    camera: shownPage.optional().describe('What takes the place of the picture of the bot.'),
    screen: shownPage.optional().describe('What the bot shares as its screen.'),
  })
  .refine((media) => pagesOf(media).length > 0, { error: 'must have camera, screen, or both' })
  .describe(
    'Pages that the bot shows, as its camera, as its shared screen, or both: their sound is the voice of the bot, and their microphone hears the meeting.',
  )

/** The address of each page, by its target. */
export function pagesOf(
  media: { [Target in PageTarget]?: { url: string } | undefined } | null | undefined,
): [target: PageTarget, url: string][] {
  return PAGE_TARGETS.flatMap((target): [PageTarget, string][] => {
    const page = media?.[target]
    return page ? [[target, page.url]] : []
  })
}

/** Fields of `streaming` and `transcription` that have one name in a request and in its job. */
export const audioFrequency = z
  .literal([16_000, 24_000, 32_000, 48_000])
  .default(24_000)
  .describe('Samples a second, both ways: mono, signed 16 bit, little-endian.')
export const TRANSCRIPTION_MODES = ['after', 'live', 'live_and_after'] as const
export const transcriptionFields = {
  custom_params: callerData
    .nullish()
    .describe('Given to the provider as they are: further fields of the request, such as language or prompt.'),
  mode: z
    .enum(TRANSCRIPTION_MODES)
    .optional()
    .describe(
      'When the transcript is made: `after` the meeting, or `live` while it runs, word by word as events of the bot. ' +
        'Absent: `live` with `captions`, else `after`.',
    ),
}

const seconds = (min: number, max: number, fallback: number, meaning: string) =>
  z.int().min(min).max(max).default(fallback).describe(`Seconds ${meaning}`)

/** When the bot gives up or leaves by itself. The bounds are those of callers; a job has wider ones. */
export const timeoutFields = {
  waiting_room_timeout: seconds(120, 1800, 600, 'of waiting for admission, and for the host.'),
  no_one_joined_timeout: seconds(120, 1800, 600, 'alone after joining.'),
  silence_timeout: seconds(300, 3600, 600, 'without sound once people were there.'),
  grace_period: seconds(0, 600, 0, 'after joining in which no leave rule fires.'),
  everyone_left_timeout: seconds(5, 3600, 30, 'alone, after others were there, before the bot leaves.'),
  only_bots_timeout: seconds(30, 21_600, 300, 'with other bots only before the bot leaves.'),
}

export const entryMessage = chatText.describe('The bot writes it into the chat once it is in the meeting.')

/** Fields that a request and its job have alike. One that is added here is asked for, stored, shown and part of the job. */
export const botFields = {
  recording_mode: z
    .enum(RECORDING_MODES)
    .default('speaker_view')
    .describe('The speaker alone, all people in a grid, or sound without picture.'),
  frame_rate: z.literal([25, 30]).default(25).describe('Pictures a second of the video.'),
  separate_tracks: z
    .boolean()
    .default(false)
    .describe(
      "A file of each person's voice alone, in `audio/` of the bot's files, where the platform sends voices apart.",
    ),
  recording_consent: z
    .enum(['accept', 'refuse'])
    .default('accept')
    .describe('The answer if the meeting asks the bot whether it agrees to be recorded itself.'),
  output_media: outputMedia.nullable().default(null).describe(outputMedia.description!),
  account: z
    .enum(ACCOUNT_USES)
    .default('never')
    .describe(
      'Whether the bot joins with an account of the team: `if_required` as a guest first, and signed in if the platform refuses guests. People see the name of the account then.',
    ),
}
export type BotFields = z.output<z.ZodObject<typeof botFields>>

/** The same for each field. Keeps the names in the type. */
export function mapFields<Name extends string, From, To>(
  fields: Readonly<Record<Name, From>>,
  change: (field: From, name: Name) => To,
): Record<Name, To> {
  const entries = Object.entries<From>(fields).map(([name, field]) => [name, change(field, name as Name)])
  return Object.fromEntries(entries) as Record<Name, To>
}

type WithoutDefault<Field> = Field extends z.ZodDefault<infer Inner> | z.ZodPrefault<infer Inner> ? Inner : Field

/** The fields as a change of them or an answer has them: none has a value of itself. */
export function withoutDefaults<Fields extends Readonly<Record<string, z.ZodType>>>(fields: Fields) {
  return mapFields<string, z.ZodType, z.ZodType>(fields, (field) => {
    if (!(field instanceof z.ZodDefault || field instanceof z.ZodPrefault)) return field
    const inner = field.unwrap() as z.ZodType
    return field.description === undefined ? inner : inner.describe(field.description)
  }) as { [Name in keyof Fields]: WithoutDefault<Fields[Name]> }
}
