/** Shapes of `/v2/accounts`. */

import { MAX_SESSION_BYTES, sessionOf } from '@standin/wire/account-session.ts'
import { ACCOUNT_PLATFORMS } from '@standin/wire/platforms.ts'
import { z } from 'zod'
import { time, uuid } from '../common.ts'
import { fields } from '../fields.ts'

const ACCOUNT_STATES = ['ok', 'signed_out', 'unknown'] as const
/** Two bots of one account are one participant to some platforms, so each meeting counts. */
const MEETINGS = 20

const line = (longest: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(longest)
    .refine((text) => !/[\p{Cc}\u2028\u2029]/u.test(text), { error: 'must be one line' })

const poolName = line(100)
const settings = {
  label: line(100).describe('For people who choose among several.'),
  address: z
    .email()
    .max(254)
    .toLowerCase()
    .nullable()
    .describe('Its e-mail address: invite it to a meeting, and its bot skips the waiting room.'),
  pool: poolName.describe('Bots may name the pool from which their account comes.'),
  max_meetings: z.int().min(1).max(100).describe('Meetings at once. Platforms suspect an account of too many.'),
  is_disabled: z.boolean().describe('Whether no further bot gets it.'),
}
const platform = z.enum(ACCOUNT_PLATFORMS).describe('The platform of the account.')
const session = z
  .record(z.string(), z.unknown())
  .describe(
    `Cookies and local storage of a browser in which a person signed in, as Playwright's \`storageState\` writes them; at most ${MAX_SESSION_BYTES / 1024} KiB. Cookies of other hosts are left out.`,
  )

export const createAccountBody = z
  .strictObject({
    platform,
    session,
    label: settings.label,
    address: settings.address.default(null),
    pool: settings.pool.default('default'),
    max_meetings: settings.max_meetings.default(MEETINGS),
    is_disabled: settings.is_disabled.default(false),
  })
  .transform(({ session, ...others }, context) => {
    const checked = sessionOf(others.platform, session)
    if ('session' in checked) return { ...others, session: checked.session }
    context.addIssue({ code: 'custom', path: ['session'], message: checked.problem, input: undefined })
    return z.NEVER
  })

export const changeAccountBody = z.strictObject({
  ...z.strictObject(settings).partial().shape,
  session: session.optional(),
})

export const accountParams = z.strictObject({ account_id: uuid.describe('The id of the account.') })

export const accountSchema = z
  .object({
    account_id: z.uuid().describe('The id of the account.'),
    platform,
    label: z.string().describe('As it was given.'),
    address: settings.address,
    pool: z.string().describe('Where bots find it.'),
    max_meetings: z.int().describe('Meetings at once.'),
    meetings: z.int().describe('Bots that have it now.'),
    is_disabled: settings.is_disabled,
    state: z
      .enum(ACCOUNT_STATES)
      .describe(
        '`ok`: a bot joined with it; `signed_out`: sign in again; `unknown`: no bot has joined with this session.',
      ),
    state_reason: z.string().nullable().describe('The words of the platform.'),
    state_at: time.nullable().describe('When that was found out.'),
    session_at: time.describe('When the session was last stored: imported, or refreshed by a meeting.'),
    created_at: fields.created_at,
    updated_at: fields.updated_at,
  })
  .meta({ id: 'Account', description: 'An account with which bots join signed in, without its session.' })
