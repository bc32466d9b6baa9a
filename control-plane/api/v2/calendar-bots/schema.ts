/** Bots of calendar events: the events of a request, and the settings of their bots. */
import { z } from 'zod'
import { changeFields, checkPairs, creationFields } from '../bots/schema.ts'
import { isSuccess, uuid } from '../common.ts'

const targetFields = {
  series_id: uuid.nullish().describe('Needed with all_occurrences; otherwise event_id says it all.'),
  event_id: uuid.nullish().describe('One event. Not read with all_occurrences where series_id is given.'),
  all_occurrences: z
    .boolean()
    .default(false)
    .describe('Every event of the series, also those that enter the 30 days later.'),
}

const { meeting_url: _url, allow_multiple_bots: _multiple, ...newFields } = creationFields
const { meeting_url: _changedUrl, allow_multiple_bots: _changedMultiple, ...changedFields } = changeFields

export const scheduleBody = z
  .strictObject({ ...targetFields, ...newFields })
  .superRefine(checkPairs)
  .meta({ id: 'ScheduleCalendarBot', description: 'Which events, and the settings of their bots.' })

/** Every field of the bot may be left out; a part that is switched on needs its configuration. */
export const changeBody = z
  .strictObject({ ...targetFields, ...z.strictObject(changedFields).partial().shape })
  .superRefine(checkPairs)
  .meta({ id: 'ChangeCalendarBot', description: 'Which events, and what changes; fields that are left out stay.' })

export const cancelBody = z
  .strictObject(targetFields)
  .meta({ id: 'CancelCalendarBot', description: 'Which events lose their bots.' })
export type Target = z.output<typeof cancelBody>

const eventId = z.uuid().describe('The id of the event.')

export const calendarBotsAnswer = z.object({
  success: isSuccess,
  data: z.array(z.object({ event_id: eventId })).describe('Events for which it was done.'),
  errors: z
    .array(
      z.object({
        event_id: eventId,
        code: z.string().describe('Such as BOT_ALREADY_SCHEDULED or NO_MEETING_URL.'),
        message: z.string().describe('The same in one sentence.'),
        details: z.string().nullable().describe('Further words, if there are any.'),
      }),
    )
    .describe('Events for which it was not done, each with its reason.'),
})
