/** Requests and answers of `/v2/calendars`. */
import { z } from 'zod'
import { commaList, cursor, limit, time, uuid } from '../common.ts'
import { fields } from '../fields.ts'

const MAX_CREDENTIAL_LENGTH = 4096
const MAX_ID_LENGTH = 1024
const MAX_TENANT_LENGTH = 255

/** In any case of letters; the last two are the names of the interface's specification. */
const PLATFORM_WORDS = {
  google: 'google',
  microsoft: 'microsoft',
  platforma: 'google',
  platformb: 'microsoft',
} as const
export const calendarPlatform = z
  .string()
  .max(40)
  .transform((word) => word.toLowerCase())
  .pipe(
    z.enum(Object.keys(PLATFORM_WORDS) as (keyof typeof PLATFORM_WORDS)[], { error: 'must be google or microsoft' }),
  )
  .transform((word) => PLATFORM_WORDS[word])
  .describe('`google` or `microsoft`.')

/** Visible ASCII, as OAuth defines ids, secrets and tokens. */
export const credential = z
  .string()
  .min(1)
  .max(MAX_CREDENTIAL_LENGTH)
  .regex(/^[!-~]+$/, { error: 'must not contain spaces or characters beyond ASCII' })

export const rawCalendarId = z
  .string()
  .min(1)
  .max(MAX_ID_LENGTH)
  .refine((text) => !/\p{Cc}/u.test(text), { error: 'must not contain control characters' })

/** It becomes a part of Microsoft's address. */
const tenant = z
  .string()
  .max(MAX_TENANT_LENGTH)
  .regex(/^[A-Za-z0-9][A-Za-z0-9.-]*$/, { error: 'must be common, organizations, consumers, a GUID or a domain' })

const oauthFields = {
  oauth_client_id: credential.describe("Of the caller's own OAuth app."),
  oauth_client_secret: credential.describe('Of the same app.'),
  oauth_refresh_token: credential.describe('Of the user whose calendar it is.'),
  oauth_tenant_id: tenant.nullish().describe('Microsoft only. Default `common`.'),
}

export const listRawBody = z
  .strictObject({ calendar_platform: calendarPlatform, ...oauthFields })
  .meta({ id: 'ListRawCalendars', description: 'The account whose calendars are listed.' })
export const createCalendarBody = z
  .strictObject({
    calendar_platform: calendarPlatform,
    ...oauthFields,
    raw_calendar_id: rawCalendarId.describe('`id` of list-raw; with Google also `primary`.'),
  })
  .meta({ id: 'CreateCalendar', description: 'The calendar to connect.' })
/** Without the platform, which never changes. */
export const updateCalendarBody = z
  .strictObject(oauthFields)
  .meta({ id: 'UpdateCalendar', description: 'The new credentials.' })

export type OAuthFields = z.output<typeof updateCalendarBody>

export const calendarParams = z.strictObject({ calendar_id: uuid.describe('The id of the calendar.') })

const CALENDAR_PLATFORMS = ['google', 'microsoft'] as const
const CALENDAR_STATUSES = ['active', 'error', 'revoked', 'permission_denied'] as const

const text = z.string().min(1).max(500)

export const listCalendarsQuery = z.strictObject({
  account_email: text.optional().describe('A part of the address.'),
  calendar_platform: commaList(CALENDAR_PLATFORMS).optional(),
  status: commaList(CALENDAR_STATUSES).optional(),
  limit: limit(250, 50),
  cursor,
})

export const rawCalendarSchema = z
  .object({
    id: z.string().describe('`raw_calendar_id` of the request that connects it.'),
    name: z.string().describe('As the provider shows it.'),
    email: z.string().describe('Address of the account.'),
    is_primary: z.boolean().describe("Whether it is the account's main calendar."),
  })
  .meta({ id: 'RawCalendar', description: 'A calendar at its provider.' })

export const calendarFields = {
  calendar_id: z.uuid().describe('The id of the calendar.'),
  calendar_platform: z.enum(CALENDAR_PLATFORMS).describe('Its provider.'),
  account_email: z.string().describe('Address of the account.'),
  status: z.enum(CALENDAR_STATUSES).describe('`active`: it is read. Others need new credentials or a permission.'),
}
const syncedAt = time.nullable().describe('When it was last read; null before the first time.')
export const createdCalendarSchema = z
  .object({ ...calendarFields, created_at: fields.created_at })
  .meta({ id: 'CreatedCalendar', description: 'The new calendar.' })
export const updatedCalendarSchema = z
  .object({ ...calendarFields, updated_at: fields.updated_at })
  .meta({ id: 'UpdatedCalendar', description: 'The calendar with its new credentials.' })

export const calendarItemSchema = z
  .object({ ...calendarFields, synced_at: syncedAt, created_at: fields.created_at })
  .meta({ id: 'CalendarItem', description: 'A calendar in a list.' })
export type CalendarItem = z.output<typeof calendarItemSchema>

export const calendarDetailsSchema = z
  .object({
    ...calendarFields,
    status_message: z.string().nullable().describe('The answer of the provider, and what to do about it.'),
    subscription_id: z.string().nullable().describe('Null if the calendar is only polled.'),
    subscription_expires_at: time.nullable().describe('When the subscription ends; it is renewed before.'),
    synced_at: syncedAt,
    sync_status: z.enum(['success', 'failed', 'partial']).nullable().describe('How the last reading went.'),
    sync_error: z.string().nullable().describe('Why the last reading failed.'),
    provider_metadata: z
      .record(z.string(), z.unknown())
      .nullable()
      .describe('The calendar as the provider describes it.'),
    created_at: fields.created_at,
    updated_at: fields.updated_at,
  })
  .meta({ id: 'Calendar', description: 'A calendar and how it is read.' })
export type CalendarDetails = z.output<typeof calendarDetailsSchema>

export const resubscribedSchema = z
  .object({
    calendar_id: calendarFields.calendar_id,
    resubscribed_at: time.describe('When the provider was asked.'),
    problem: z.string().nullable().describe('Why there is no subscription, and changes are polled instead.'),
  })
  .meta({ id: 'ResubscribedCalendar', description: 'Whether changes are reported again.' })
