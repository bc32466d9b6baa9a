/** Requests and answers of `/v2/bots/scheduled`. */
import { RECORDING_MODES } from '@standin/wire/codes.ts'
import { z } from 'zod'
import { botFields, checkPairs, creationFields, shownConfConfig, shownPlatform } from '../bots/schema.ts'
import { requestTime, time } from '../common.ts'

export const scheduleBotBody = z
  .strictObject({ ...creationFields, join_at: requestTime })
  .superRefine(checkPairs)
  .meta({ id: 'ScheduleBot' })

/** Every field may be left out; a part that is switched on needs its configuration. */
export const changeScheduledBody = z
  .strictObject({ ...botFields, join_at: requestTime })
  .partial()
  .superRefine(checkPairs)
  .meta({ id: 'ChangeScheduledBot' })

export const SCHEDULE_STATUSES = ['scheduled', 'completed', 'cancelled', 'failed'] as const
const freeForm = z.record(z.string(), z.unknown()).nullable()

const itemFields = {
  bot_id: z.uuid(),
  bot_name: z.string(),
  meeting_url: z.string(),
  meeting_platform: shownPlatform,
  join_at: time,
  status: z.enum(SCHEDULE_STATUSES),
  extra: freeForm,
  created_at: time,
  updated_at: time,
}
export const scheduledItemSchema = z.object(itemFields).meta({ id: 'ScheduledBotItem' })
export type ScheduledItem = z.output<typeof scheduledItemSchema>

export const scheduledDetailsSchema = z
  .object({
    ...itemFields,
    bot_image: z.string().nullable().describe('The first one where several were given.'),
    recording_mode: z.enum(RECORDING_MODES),
    cancelled_at: time.nullable(),
    allow_multiple_bots: z.boolean(),
    entry_message: z.string().nullable(),
    timeout_config: z.object({
      waiting_room_timeout: z.int().nullable(),
      no_one_joined_timeout: z.int().nullable(),
      silence_timeout: z.int().nullable(),
      grace_period: z.int().nullable(),
      max_recording_duration: z.int().nullable(),
    }),
    transcription_config: z
      .object({ enabled: z.literal(true), provider: z.string(), custom_params: freeForm })
      .nullable(),
    streaming_config: z
      .object({
        enabled: z.literal(true),
        input_url: z.string().nullable(),
        output_url: z.string().nullable(),
        audio_frequency: z.int().nullable(),
      })
      .nullable(),
    callback_config: z
      .object({ enabled: z.literal(true), url: z.string(), secret: z.null(), method: z.enum(['POST', 'PUT']) })
      .nullable()
      .describe('The secret is never answered.'),
    conf_config: shownConfConfig,
  })
  .meta({ id: 'ScheduledBot' })
export type ScheduledDetails = z.output<typeof scheduledDetailsSchema>
