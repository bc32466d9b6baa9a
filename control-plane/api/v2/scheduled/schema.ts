/** Requests and answers of `/v2/bots/scheduled`. */
import { TRANSCRIPTION_MODES } from '@standin/wire/job.ts'
import { z } from 'zod'
import { botFields, checkPairs, creationFields } from '../bots/schema.ts'
import { requestTime, time } from '../common.ts'
import { fields, freeForm, shownConfConfig } from '../fields.ts'

const joinAt = requestTime.describe('When the bot asks to join: ISO 8601 with a zone, at most 90 days ahead.')

export const scheduleBotBody = z
  .strictObject({ ...creationFields, join_at: joinAt })
  .superRefine(checkPairs)
  .meta({ id: 'ScheduleBot', description: 'A bot that joins at a given time.' })

/** Every field may be left out; a part that is switched on needs its configuration. */
export const changeScheduledBody = z
  .strictObject({ ...botFields, join_at: joinAt })
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

const seconds = z.int().nullable()
const isEnabled = z.literal(true).describe('Without it the whole part is null.')

export const scheduledDetailsSchema = z
  .object({
    ...itemFields,
    bot_image: z.string().nullable().describe('The first one where several were given.'),
    recording_mode: fields.recording_mode,
    frame_rate: botFields.frame_rate,
    separate_tracks: botFields.separate_tracks,
    recording_consent: botFields.recording_consent,
    cancelled_at: time.nullable().describe('When the schedule was cancelled.'),
    allow_multiple_bots: z.boolean().describe('Whether other bots may be in the meeting.'),
    entry_message: z.string().nullable().describe('The bot writes it into the chat once it is in the meeting.'),
    timeout_config: z
      .object({
        waiting_room_timeout: seconds.describe('Seconds of waiting for admission.'),
        no_one_joined_timeout: seconds.describe('Seconds alone after joining.'),
        silence_timeout: seconds.describe('Seconds without sound once people were there.'),
        grace_period: seconds.describe('Seconds at the start in which none of the three fires.'),
        max_recording_duration: seconds.describe('Seconds of recording; null: four hours.'),
        everyone_left_timeout: seconds.describe('Seconds alone, after others were there, before the bot leaves.'),
        only_bots_timeout: seconds.describe('Seconds with other bots only before the bot leaves.'),
      })
      .describe('When the bot gives up or leaves by itself.'),
    transcription_config: z
      .object({
        enabled: isEnabled,
        provider: z.string().describe('Who makes the transcript.'),
        custom_params: freeForm.describe('Given to the provider as they are.'),
        mode: z.enum(TRANSCRIPTION_MODES).nullable().describe('When it is made; null: as the provider usually does.'),
      })
      .nullable()
      .describe('Null: no transcript is made. The key is never answered.'),
    streaming_config: z
      .object({
        enabled: isEnabled,
        input_url: z.string().nullable().describe('The bot plays what it receives from here into the meeting.'),
        output_url: z.string().nullable().describe("The bot sends the meeting's sound here, and who speaks."),
        audio_frequency: z.int().nullable().describe('Samples a second.'),
      })
      .nullable()
      .describe('Null: nothing is streamed.'),
    callback_config: z
      .object({
        enabled: isEnabled,
        url: z.string().describe('Gets the final webhook of this bot.'),
        secret: z.null().describe('Never answered.'),
        method: z.enum(['POST', 'PUT']).describe('Of the request to the address.'),
      })
      .nullable()
      .describe('The secret is never answered.'),
    conf_config: shownConfConfig,
  })
  .meta({ id: 'ScheduledBot', description: 'A scheduled bot with its settings.' })
export type ScheduledDetails = z.output<typeof scheduledDetailsSchema>
