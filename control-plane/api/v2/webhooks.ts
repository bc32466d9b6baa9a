/** The webhooks of `/v2`, for its OpenAPI document. */
import { z } from 'zod'
import { WEBHOOK_EVENTS, type WebhookEvent } from '../../bots/messages/kinds.ts'
import { sampleBody } from '../../bots/messages/samples.ts'
import { accountSchema } from './accounts/schema.ts'
import { eventSchema } from './bot-events/schema.ts'
import { errorHelp, link, person, reasonFields } from './bots/schema.ts'
import { calendarIds, instanceTexts } from './calendar-events/schema.ts'
import { calendarFields } from './calendars/schema.ts'
import { time } from './common.ts'
import { fields } from './fields.ts'

const bot = {
  bot_id: fields.bot_id,
  event_id: z.uuid().nullable().describe('The calendar event to which the bot was sent; null without one.'),
}
const sent_at = time.describe('When the webhook was made; a repeat says the same.')
const { calendar_id, calendar_platform, account_email, status } = calendarFields
const { event_id, series_id, event_type } = calendarIds
const live = {
  ...bot,
  events: z.array(eventSchema).describe('In the order of the bot, as `GET /v2/bots/{bot_id}/events` has them.'),
  sent_at,
}
const connection = { calendar_id, calendar_platform, account_email, status, created_at: fields.created_at }

const {
  start_time: start,
  end_time: end,
  title,
  status: eventStatus,
  is_exception,
  bot_scheduled,
  is_all_day,
} = instanceTexts
const instance = z.strictObject({
  ...{ event_id, start, end, title, status: eventStatus, is_all_day, is_exception, bot_scheduled },
  ...{ meeting_url: instanceTexts.meeting_url, meeting_platform: instanceTexts.meeting_platform },
})
const series_bot_scheduled = z.boolean().describe('Whether each event of the series gets a bot.')
const instances = z.array(instance).describe('The events.')

/** Each event: when it is sent, and the fields of its `data`. */
const WEBHOOKS: Readonly<Record<WebhookEvent, [when: string, data: z.ZodRawShape]>> = {
  'bot.status_change': [
    'The status of a bot changes',
    {
      ...bot,
      status: z
        .strictObject({
          code: z.string().describe('The new status; some that are in webhooks only, such as `call_ended`.'),
          created_at: time.describe('When it changed.'),
          start_time: z
            .int()
            .optional()
            .describe('Unix seconds of the first recorded picture; with `in_call_recording`.'),
          error_message: z.string().optional().describe('Why, with a status that says that something failed.'),
        })
        .describe('The new status.'),
    },
  ],
  'bot.completed': [
    'A bot is done, and its files are stored',
    {
      ...bot,
      participants: z.array(person).describe('All who were in the meeting.'),
      speakers: z.array(person).describe('Those of them who spoke.'),
      duration_seconds: z.number().nullable().describe('Length of the recording without pauses.'),
      joined_at: fields.joined_at,
      exited_at: fields.exited_at,
      data_deleted: z.boolean().describe('Whether the files were deleted meanwhile.'),
      ...{
        video: link,
        audio: link,
        diarization: link,
        raw_transcription: link,
        transcription: link,
        chat_messages: link,
      },
      transcription_provider: z.string().nullable().describe('Who made the transcript.'),
      transcription_ids: z
        .array(z.string())
        .nullable()
        .describe('Under which the speech provider keeps the transcript.'),
      ...reasonFields,
      sent_at,
    },
  ],
  'bot.failed': [
    'A bot could not join or record',
    {
      ...bot,
      error_code: z.string().describe('Why, such as BOT_NOT_ACCEPTED.'),
      error_message: z.string().describe('The same in one sentence.'),
      error_help: errorHelp,
      ...reasonFields,
      sent_at,
    },
  ],
  'bot.chat_message': [
    'A person writes into the chat of the meeting',
    {
      ...bot,
      message_id: z.string().describe('The id of the message within this meeting.'),
      sender_name: z.string().describe('Name of the person.'),
      sender_id: z.int().nullable().describe('Number of the person within this meeting, if it is known.'),
      text: z.string().describe('The message.'),
      sent_at,
    },
  ],
  'bot.participant': [
    'People join, leave, change, raise hands, share a screen or react; only for endpoints that name it',
    live,
  ],
  'bot.speaker': ['People begin and end speaking; only for endpoints that name it', live],
  'bot.transcript': ['Words of a live transcript came; only for endpoints that name it', live],
  'calendar.connection_created': ['A calendar was connected', connection],
  'calendar.connection_updated': [
    'A calendar has other credentials, or is active again',
    { ...connection, updated_at: fields.updated_at },
  ],
  'calendar.connection_deleted': [
    'A calendar was disconnected',
    { calendar_id, calendar_platform, deleted_at: time.describe('When it was disconnected.') },
  ],
  'calendar.connection_error': [
    'A calendar can no longer be read',
    { calendar_id, calendar_platform, status, error: z.string().nullable().describe('The answer of the provider.') },
  ],
  'calendar.events_synced': [
    'A calendar was read for the first time',
    {
      calendar_id,
      events: z
        .array(z.strictObject({ series_id, event_type, series_bot_scheduled, instances }))
        .describe('Each series of the next 30 days.'),
    },
  ],
  'calendar.event_created': [
    'Events are new in a calendar',
    { calendar_id, series_id, event_type, series_bot_scheduled, instances },
  ],
  'calendar.event_updated': [
    'Events of a calendar changed',
    { ...{ calendar_id, series_id, event_type, series_bot_scheduled, is_exception }, affected_instances: instances },
  ],
  'calendar.event_cancelled': [
    'Events of a calendar were cancelled or deleted',
    { calendar_id, series_id, event_type, cancelled_instances: instances },
  ],
  'account.signed_out': [
    'A page asked a bot with the session of an account to sign in',
    accountSchema.pick({
      ...{ account_id: true, platform: true, label: true, pool: true, state_reason: true, state_at: true },
    }).shape,
  ],
}

/** The whole body of a webhook. */
export function webhookSchema(event: WebhookEvent) {
  const body = z.strictObject({ event: z.literal(event).describe('The name of the event.') })
  const whole = body.extend({ data: z.strictObject(WEBHOOKS[event][1]).describe('The values of the event.') })
  return event.startsWith('bot.') ? whole.extend({ extra: fields.extra }) : whole
}

export const webhookOperations = () =>
  Object.fromEntries(
    WEBHOOK_EVENTS.map((event) => {
      const { $schema, $defs, ...schema } = z.toJSONSchema(webhookSchema(event), { unrepresentable: 'any' })
      const [when] = WEBHOOKS[event]
      const operation = {
        summary: when,
        description: `\`${event}\`: signed as [the documents](/help/webhooks) say, and sent again until an answer accepts it.`,
        tags: ['Webhooks'],
        requestBody: { content: { 'application/json': { schema, example: sampleBody(event) } } },
        responses: { '2XX': { description: 'Accepts the webhook.' } },
      }
      // Named schemas are in the document already.
      const text = JSON.stringify({ post: operation }).replaceAll('#/$defs/', '#/components/schemas/')
      return [event, JSON.parse(text)]
    }),
  )
