/** The events that a bot reports. docs/control-link.md describes the exchange. */
import { z } from 'zod'
import { MAX_CALLER_DATA_DEPTH } from './bot-fields.ts'
import { END_CAUSES, ERROR_CODES, NORMAL_END_CODES, RECORDING_MODES, STATUSES } from './codes.ts'
import { MAX_FILE_NAME_BYTES, pathParts } from './file-names.ts'
import { MEETING_PLATFORMS } from './platforms.ts'
import { REASONS, sightingsSchema } from './reasons.ts'
import { botUsageSchema } from './usage.ts'

/** Of the JSON text of one event. The largest is the final report of a meeting with thousands of participants. */
export const MAX_EVENT_BYTES = 2 * 1024 * 1024
/** Around the event: its number, its bot and its time. */
const ENVELOPE_BYTES = 1024
const MAX_SIGNALS = 100
/** The deepest content is `extra`: the final report holds it, and the numbered event holds the report. */
const MAX_MESSAGE_DEPTH = MAX_CALLER_DATA_DEPTH + 2

const utc = z.iso.datetime().describe('UTC instant, milliseconds.')
const offset = z
  .number()
  .min(0)
  .nullable()
  .describe("Seconds since the recording's start, pauses removed; null before it and in a pause.")

/** A person as the service's interface has it; `id` is ours and counts from 1, `platform_id` is the platform's. */
const personSchema = z.strictObject({
  id: z.int().min(1),
  name: z.string(),
  platform_id: z.string(),
  is_host: z.boolean().optional(),
})
export type Person = z.infer<typeof personSchema>

/** The content of a chat message; absent fields were not in it. */
const chatContent = {
  text: z.string().describe('As written: line ends, emoji and @names are characters. Empty for a deleted message.'),
  is_cut: z.literal(true).optional().describe('The text is cut off: the message was longer.'),
  is_edited: z.literal(true).optional(),
  reply_to: z.string().optional().describe('The message_id of the message that this one answers.'),
  links: z
    .array(z.strictObject({ text: z.string(), url: z.string() }))
    .optional()
    .describe('Visible text and true address; http, https and mailto only.'),
  files: z
    .array(z.strictObject({ name: z.string(), url: z.string().nullable(), bytes: z.int().min(0).nullable() }))
    .optional()
    .describe('Named, never fetched.'),
  reactions: z
    .array(z.strictObject({ emoji: z.string(), count: z.int().min(1), user_ids: z.array(z.int().min(1)) }))
    .optional()
    .describe('All reactions on the message now; user_ids are those whom the platform names.'),
}
const chatContentSchema = z.strictObject(chatContent)
export type ChatContentFields = z.infer<typeof chatContentSchema>

export const artifactSchema = z.strictObject({
  name: z
    .string()
    .refine((name) => pathParts(name, MAX_FILE_NAME_BYTES) !== null, { error: 'is no plain path below a folder' })
    .describe("Path below the bot's own folder."),
  location: z
    .string()
    .describe(
      'Where the bot stored it: a path or an s3:// address, never a signed one. For people; the service finds files by bot, attempt and name.',
    ),
  bytes: z.int().min(0),
  sha256: z
    .string()
    .nullable()
    .describe('Hex. Null for a file that was stored while it grew, whose first bytes were the last to be known.'),
  crc32: z.string().optional().describe('CRC-32 of the whole file as eight hex digits; present where sha256 is null.'),
  duration_seconds: z.number().min(0).optional(),
})
export type Artifact = z.infer<typeof artifactSchema>

/** A stretch of the meeting that was to be recorded and is not in the recording, or is silent there. */
const gapSchema = z.strictObject({
  started_at: utc,
  ended_at: utc,
  offset: z.number().min(0).describe('Its position in the recording: seconds, pauses and gaps removed.'),
  seconds: z.number().min(0),
  reason: z
    .enum(['browser_died', 'encoder_died', 'bot_died', 'sound_lost'])
    .describe(
      'The part that crashed. `browser_died`: the browser, or the display or sound server below it; the bot rejoins the meeting with a ' +
        'new one. `encoder_died`: the encoder; another one takes its place. `bot_died`: the bot itself; another one took its ' +
        'place. A gap that ends with the recording is one in which the bot ended before anything was replaced. `sound_lost`: ' +
        'nothing crashed and nothing is cut; people spoke, and the recording is silent for these seconds.',
    ),
})
export type Gap = z.infer<typeof gapSchema>

/** The recording's judgement of itself. docs/artifacts.md says how each figure is measured and what it cannot see. */
const qualitySchema = z.strictObject({
  sound_picture_offset_ms: z
    .number()
    .nullable()
    .describe(
      "The farthest that sound was met from the picture's clock; above zero it came late. Null without picture.",
    ),
  drift_ms: z.number().nullable().describe('All corrections of the sound together; above zero sound was added.'),
  frames_expected: z.int().min(0),
  frames_captured: z.int().min(0).describe('Frames with a new picture.'),
  frames_lost: z.int().min(0).describe('Frames that repeat the one before, because none came in time.'),
  longest_gap_seconds: z.number().min(0).describe('The longest time without a new picture.'),
  clipped_share: z.number().min(0).max(1).nullable().describe('Of the sound samples: at the limit of their range.'),
  silent_share: z.number().min(0).max(1).nullable().describe('Of the recorded time: below the noise floor for 2 s.'),
  encoder_lag_ms: z
    .strictObject({ median: z.number(), worst: z.number() })
    .nullable()
    .describe('From the instant a picture (or sound) was taken until the encoder took it.'),
  picture_steps: z
    .array(
      z.strictObject({
        offset: z.number().min(0),
        frames_per_second: z.number().nullable(),
        size: z.number().gt(0).max(1),
      }),
    )
    .optional()
    .describe(
      'When the machine could not keep up: from `offset` on each picture was painted so often (null: always), and the whole took this share of width and height.',
    ),
})
export type Quality = z.infer<typeof qualitySchema>

/** The same with what is known of its names, docs/transcription.md#who-spoke-when. */
const wholeQualitySchema = qualitySchema.extend({
  speech_without_name_seconds: z
    .number()
    .min(0)
    .describe('Sound while no person was seen to speak, and turns of `Unknown`. Music and noise count as sound.'),
  first_unnamed_at: z.number().min(0).nullable().describe('Where the first of it begins, seconds of the recording.'),
  doubtful_seconds: z.number().min(0).describe('Turns whose signals contradicted each other.'),
  first_doubtful_at: z.number().min(0).nullable().describe('Where the first of them begins.'),
})
export type WholeQuality = z.infer<typeof wholeQualitySchema>

/** Live sound, counted as it passed. */
const streamingUsageSchema = z.strictObject({
  input_seconds: z.number().min(0).describe('Sound from a socket that was played into the meeting.'),
  output_seconds: z.number().min(0).describe("The meeting's sound that was sent to `streaming.output`."),
})
export type StreamingUsage = z.infer<typeof streamingUsageSchema>

const finalReportSchema = z.strictObject({
  type: z.literal('final_report'),
  status: z.enum(['completed', 'failed']),
  end_code: z.enum([...NORMAL_END_CODES, ...ERROR_CODES]).describe('Why the bot ended, normally or with an error.'),
  end_message: z.string().describe('The same in one plain sentence.'),
  error_code: z.enum(ERROR_CODES).nullable().describe('Null after a normal end.'),
  error_message: z.string().nullable(),
  end_cause: z.enum(END_CAUSES).optional().describe('Says more of a failure than its error code.'),
  reason: z.enum(REASONS).optional().describe('Why the meeting did not let the bot in, or sent it out.'),
  reason_evidence: sightingsSchema.optional().describe('Pages and steps that show it, oldest first.'),
  meeting_url: z.string(),
  meeting_platform: z.enum(MEETING_PLATFORMS).nullable().describe('`jitsi` is an addition of ours.'),
  bot_name: z.string(),
  recording_mode: z.enum(RECORDING_MODES),
  joined_at: utc.nullable(),
  exited_at: utc.nullable(),
  recording_started_at: utc.nullable(),
  duration_seconds: z.number().min(0).nullable().describe('Length of the recording, pauses removed.'),
  participants: z.array(personSchema),
  speakers: z.array(personSchema),
  artifacts: z.array(artifactSchema),
  gaps: z.array(gapSchema).optional().describe('The gaps of the recording, oldest first; absent without gaps.'),
  quality: wholeQualitySchema.nullable().optional().describe('Null if nothing was recorded.'),
  streaming: streamingUsageSchema.nullable().optional().describe('Null if the job streams nothing.'),
  transcribed_seconds: z
    .number()
    .min(0)
    .nullable()
    .optional()
    .describe('Length of the sound that the transcript was made of. Null if no transcript was made.'),
  transcription_ids: z
    .array(z.string().max(100))
    .max(200)
    .optional()
    .describe('Under which the provider of the transcript keeps it; absent if it keeps nothing.'),
  signals: z
    .record(z.string().regex(/^[a-z_]{1,40}\.[a-z_]{1,40}$/), z.int().min(0))
    .refine((counts) => Object.keys(counts).length <= MAX_SIGNALS, { error: 'has too many names' })
    .optional()
    .describe(
      'At how many polls of the page each of its signals answered, docs/platforms.md; absent if none is counted.',
    ),
  words_version: z.string().max(20).optional().describe('Of the words with which the bot read pages.'),
  usage: botUsageSchema.optional().describe('Resources that the bot used until its final report was made.'),
  location: z.string().nullable(),
  extra: z.record(z.string(), z.unknown()).nullable(),
})
export type FinalReport = z.infer<typeof finalReportSchema>

export const transcriptSchema = z.strictObject({
  type: z.literal('transcript'),
  id: z
    .string()
    .max(64)
    .optional()
    .describe('Of the words: each transcript replaces the earlier partial ones with its id. None follows a final one.'),
  text: z.string().max(20_000).describe('Empty: the partial words with this id turned out to be none.'),
  is_final: z.boolean().describe('False in a partial one.'),
  speaker: personSchema.nullable().describe('Null if no person was seen to speak.'),
  start: z.number().min(0).describe("Seconds since the recording's start, pauses removed."),
  end: z.number().min(0),
  language: z.string().nullable().describe('As the provider names it.'),
})
export type Transcript = z.infer<typeof transcriptSchema>

export const botEventSchema = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('status_change'),
    status: z.enum(STATUSES),
    start_time: z.number().optional().describe('Unix seconds of the first recorded frame; with in_call_recording.'),
    end_code: z
      .enum([...NORMAL_END_CODES, ...ERROR_CODES])
      .optional()
      .describe('With completed and failed.'),
    end_message: z.string().optional().describe('The same in one plain sentence.'),
    error_code: z.enum(ERROR_CODES).optional().describe('With failed.'),
    error_message: z.string().optional(),
  }),
  z
    .strictObject({ type: z.literal('join_denied') })
    .describe('A request to join was denied; those of all attempts of a bot are counted.'),
  z.strictObject({ type: z.literal('participant_joined'), participant: personSchema, offset }),
  z.strictObject({ type: z.literal('participant_changed'), participant: personSchema, offset }),
  z.strictObject({ type: z.literal('participant_left'), participant: personSchema, offset }),
  z.strictObject({
    type: z.literal('speaker'),
    participant: personSchema,
    is_speaking: z.boolean(),
    timestamp: z.number().describe('Unix seconds with a fraction.'),
    offset,
    source: z.enum(['csrc', 'page', 'captions', 'audio_level']),
    confidence: z.number().min(0).max(1),
  }),
  z.strictObject({
    type: z.literal('chat_message'),
    message_id: z.string(),
    sender_id: z.int().nullable().describe("Null for the bot's own messages and for senders the roster does not know."),
    sender_name: z.string(),
    timestamp: utc.describe('When it was sent; before the bot came for what the platform shows of earlier.'),
    is_own: z.boolean(),
    is_direct: z.literal(true).optional().describe('To the bot alone or to some people, not to all.'),
    ...chatContent,
  }),
  z.strictObject({
    type: z.literal('chat_message_changed'),
    message_id: z.string(),
    timestamp: utc.describe('When it was edited, deleted or reacted to.'),
    is_deleted: z.boolean(),
    ...chatContent,
  }),
  z.strictObject({
    type: z.literal('reaction'),
    participant: personSchema.nullable().describe('Null if the platform gives a name only, and two people have it.'),
    name: z.string(),
    emoji: z.string(),
    timestamp: utc,
    offset,
  }),
  z.strictObject({
    type: z.literal('hand_raised'),
    participant: personSchema.nullable(),
    name: z.string(),
    is_raised: z.boolean(),
    timestamp: utc,
    offset,
  }),
  z.strictObject({ type: z.literal('chat_availability'), is_available: z.boolean() }),
  z.strictObject({
    type: z.literal('screen_share'),
    participant: personSchema.nullable(),
    is_sharing: z.boolean(),
    offset,
  }),
  z.strictObject({
    type: z.literal('recording_progress'),
    seconds: z.number().min(0),
    bytes: z.int().min(0),
    dropped_frames: z.int().min(0),
  }),
  z.strictObject({ type: z.literal('recording_gap'), ...gapSchema.shape }),
  transcriptSchema.extend({ is_final: z.literal(true).describe('Those that are not come as partial_transcript.') }),
  z
    .strictObject({ type: z.literal('transcription_started'), provider: z.string(), seconds: z.number().min(0) })
    .describe('After the meeting: the transcript of this many seconds of sound is begun.'),
  z.strictObject({ type: z.literal('notice'), level: z.enum(['info', 'warning']), message: z.string() }),
  z.strictObject({ type: z.literal('artifact'), artifact: artifactSchema }),
  finalReportSchema,
])
export type BotEvent = z.infer<typeof botEventSchema>

/** One line of `events.jsonl`, of the journal, and of the link: numbered from 1 without gaps. */
export const numberedEventSchema = z.strictObject({
  type: z.literal('event'),
  seq: z.int().min(1),
  bot_id: z.uuid(),
  at: utc,
  event: botEventSchema,
})
export type NumberedEvent = z.infer<typeof numberedEventSchema>

/** Reads the JSON text of a message or a journal line. Undefined if it is no JSON text, or so deep that readers would fail. */
export function parseMessage(text: string): unknown {
  try {
    const content: unknown = JSON.parse(text)
    return isWithinDepth(content, MAX_MESSAGE_DEPTH) ? content : undefined
  } catch {
    return undefined
  }
}

/** Whether the text of a numbered event is short enough to be stored. */
export function isEventSize(bytes: number): boolean {
  return bytes <= MAX_EVENT_BYTES + ENVELOPE_BYTES
}

/** Looks no deeper than `levels`, so no value exhausts the stack. */
function isWithinDepth(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true
  return levels > 0 && Object.values(value).every((inner) => isWithinDepth(inner, levels - 1))
}
