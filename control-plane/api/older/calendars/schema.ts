/** Requests and answers of `/calendars` in the older generation. */
import { z } from 'zod'
import { calendarPlatform, credential, rawCalendarId } from '../../v2/calendars/schema.ts'

const credentials = {
  oauth_client_id: credential.describe("Of the caller's own OAuth app."),
  oauth_client_secret: credential,
  oauth_refresh_token: credential.describe('Of the user whose calendar it is.'),
  platform: calendarPlatform.describe('`Google` or `Microsoft`, in any case of letters.'),
}

export const credentialsBody = z.strictObject(credentials).meta({ id: 'CalendarCredentials' })
export type CredentialsBody = z.output<typeof credentialsBody>

export const createCalendarBody = z
  .strictObject({
    ...credentials,
    raw_calendar_id: rawCalendarId.or(z.literal('')).nullish().describe('Absent, null or `""`: the primary calendar.'),
  })
  .meta({ id: 'CreateOlderCalendar' })

export const uuidParams = z.strictObject({
  uuid: z
    .string()
    .max(40)
    .transform((text) => text.toLowerCase())
    .pipe(z.uuid()),
})

export const calendarSchema = z
  .object({
    uuid: z.uuid(),
    name: z.string(),
    email: z.string(),
    provider_id: z.string(),
    resource_id: z.string().nullable().describe('Of the subscription to changes.'),
  })
  .meta({ id: 'OlderCalendar' })
export const calendarAnswer = z.object({ calendar: calendarSchema })
export const rawCalendarsAnswer = z.object({
  calendars: z.array(z.object({ id: z.string(), email: z.string(), is_primary: z.boolean() })),
})

export const resyncQuery = z.strictObject({
  days: z
    .string()
    .regex(/^\d{1,10}$/, { error: 'must be a whole number' })
    .optional()
    .describe('Read for older clients; the service always reads the next 30 days.'),
})
export const resyncAnswer = z
  .object({
    synced_calendars: z.array(z.uuid()),
    errors: z.array(z.array(z.string())).describe('Pairs of the uuid and a sentence.'),
  })
  .meta({ id: 'ResyncAllResponse' })
