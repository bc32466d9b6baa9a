/** Requests and answers of `/v2/bots/scheduled`. */
import {
  audioFrequency,
  botFields,
  entryMessage,
  mapFields,
  TRANSCRIPTION_MODES,
  transcriptionFields,
  withoutDefaults,
} from '@standin/wire/bot-fields.ts'
import { z } from 'zod'
import { changeFields, checkPairs, creationFields, shownCallback, timeoutConfig } from '../bots/schema.ts'
import { requestTime, time } from '../common.ts'
import { fields, freeForm, shownConfConfig } from '../fields.ts'

const joinAt = requestTime.describe('When the bot asks to join: ISO 8601 with a zone, at most 90 days ahead.')

export const scheduleBotBody = z
  .strictObject({ ...creationFields, join_at: joinAt })
  .superRefine(checkPairs)
  .meta({ id: 'ScheduleBot', description: 'A bot that joins at a given time.' })

/** Every field may be left out; a part that is switched on needs its configuration. */
export const changeScheduledBody = z
  .strictObject({ ...changeFields, join_at: joinAt })
  .partial()
  .superRefine(checkPairs)
  .meta({ id: 'ChangeScheduledBot', description: 'Fields that are left out stay.' })

export const SCHEDULE_STATUSES = ['scheduled', 'completed', 'cancelled', 'failed'] as const

const itemFields = {
  bot_id: fields.bot_id,
  bot_name: fields.bot_name,
  meeting_url: fields.meeting_url,
  meeting_platform: fields.meeting_platform,
  join_at: time.describe('When the bot asks to join.'),
  status: z.enum(SCHEDULE_STATUSES).describe('`completed`: it was started; `/v2/bots/{bot_id}` says how it went.'),
  extra: fields.extra,
  created_at: fields.created_at,
  updated_at: fields.updated_at,
}
export const scheduledItemSchema = z
  .object(itemFields)
  .meta({ id: 'ScheduledBotItem', description: 'A scheduled bot in a list.' })
export type ScheduledItem = z.output<typeof scheduledItemSchema>

const isEnabled = z.literal(true).describe('Without it the whole part is null.')

/** Fields that are answered as they were asked; `account` never was. */
const { account: _account, ...asAsked } = botFields
/** Their values in a request that names none. */
export const USUAL_FIELDS = z.object(asAsked).parse({})

export const scheduledDetailsSchema = z
  .object({
    ...itemFields,
    bot_image: z.string().nullable().describe('The first one where several were given.'),
    ...withoutDefaults(asAsked),
    cancelled_at: time.nullable().describe('When the schedule was cancelled.'),
    allow_multiple_bots: z.boolean().describe('Whether other bots may be in the meeting.'),
    entry_message: z.string().nullable().describe(entryMessage.description!),
    timeout_config: z
      .object(mapFields(timeoutConfig.shape, ({ description }) => z.int().nullable().describe(description!)))
      .describe('When the bot gives up or leaves by itself.'),
    transcription_config: z
      .object({
        enabled: isEnabled,
        provider: z.string().describe('Who makes the transcript.'),
        custom_params: freeForm.describe(transcriptionFields.custom_params.description!),
        mode: z.enum(TRANSCRIPTION_MODES).nullable().describe('When it is made; null: as the provider usually does.'),
      })
      .nullable()
      .describe('Null: no transcript is made. The key is never answered.'),
    streaming_config: z
      .object({
        enabled: isEnabled,
        input_url: z.string().nullable().describe('The bot plays what it receives from here into the meeting.'),
        output_url: z.string().nullable().describe("The bot sends the meeting's sound here, and who speaks."),
        audio_frequency: z.int().nullable().describe(audioFrequency.description!),
      })
      .nullable()
      .describe('Null: nothing is streamed.'),
    callback_config: shownCallback.extend({ enabled: isEnabled }).nullable().describe('The secret is never answered.'),
    conf_config: shownConfConfig,
  })
  .meta({ id: 'ScheduledBot', description: 'A scheduled bot with its settings.' })
export type ScheduledDetails = z.output<typeof scheduledDetailsSchema>
