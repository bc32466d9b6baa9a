/** What a bot reports upwards. docs/control-link.md describes the exchange. */
import { z } from 'zod'
import { ERROR_CODES, NORMAL_END_CODES, RECORDING_MODES, STATUSES } from './codes.ts'

const utc = z.iso.datetime().describe('UTC instant, milliseconds.')
const offset = z
  .number()
  .min(0)
  .nullable()
  .describe("Seconds since the recording's start, pauses removed; null before it and in a pause.")

/** A person as the service's interface has it; `id` is ours and counts from 1, `platform_id` is the platform's. */
export const personSchema = z.strictObject({
  id: z.int().min(1),
  name: z.string(),
  platform_id: z.string(),
  is_host: z.boolean().optional(),
})
export type Person = z.infer<typeof personSchema>

export const artifactSchema = z.strictObject({
  name: z.string(),
  location: z.string().describe('A path or an s3:// address, never a signed one.'),
  bytes: z.int().min(0),
  sha256: z.string(),
  duration_seconds: z.number().min(0).optional(),
})
export type Artifact = z.infer<typeof artifactSchema>

export const finalReportSchema = z.strictObject({
  type: z.literal('final_report'),
  status: z.enum(['completed', 'failed']),
  end_code: z.enum([...NORMAL_END_CODES, ...ERROR_CODES]).describe('Why the life ended, well or badly.'),
  end_message: z.string().describe('The same in one plain sentence.'),
  error_code: z.enum(ERROR_CODES).nullable().describe('Null after a normal end.'),
  error_message: z.string().nullable(),
  meeting_url: z.string(),
  meeting_platform: z.enum(['meet', 'teams', 'zoom', 'jitsi']).nullable().describe('`jitsi` is an addition of ours.'),
  bot_name: z.string(),
  recording_mode: z.enum(RECORDING_MODES),
  joined_at: utc.nullable(),
  exited_at: utc.nullable(),
  recording_started_at: utc.nullable(),
  duration_seconds: z.number().min(0).nullable().describe('Length of the recording, pauses removed.'),
  participants: z.array(personSchema),
  speakers: z.array(personSchema),
  artifacts: z.array(artifactSchema),
  location: z.string().nullable(),
  extra: z.record(z.string(), z.json()).nullable(),
})
export type FinalReport = z.infer<typeof finalReportSchema>

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
    text: z.string(),
    timestamp: utc,
    is_own: z.boolean(),
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
