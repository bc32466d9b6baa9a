/** Shapes of `/v2/conf-credentials`. */

import { callerData, MAX_CALLER_DATA_LENGTH } from '@standin/wire/bot-fields.ts'
import { z } from 'zod'
import { commaList, time, uuid } from '../common.ts'
import { fields } from '../fields.ts'
import { botFilters } from '../filters.ts'

const CREDENTIAL_PLATFORMS = ['zoom', 'teams'] as const
const CREDENTIAL_TYPES = ['app', 'user'] as const
const CREDENTIAL_STATES = ['active', 'invalid'] as const

const text = (longest: number) => z.string().min(1).max(longest)

const name = text(100)
  .refine((value) => value.trim() !== '', { error: 'must not be only white space' })
  .describe('For people who choose among several.')
const clientId = text(256)
  .refine((value) => !value.includes(':'), { error: 'must not contain a colon' })
  .describe('Of an app that you made at Zoom, or of your registered bot at Microsoft.')
const clientSecret = text(256).describe('Of the same app.')
const code = text(2000).describe('Of the page of consent; works once and for about 10 minutes.')
const redirectUri = text(2048)
  .refine((value) => URL.canParse(value), { error: 'must be an address' })
  .describe('The address to which the page of consent led back.')
const tenantId = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9.-]{0,254}$/, { error: 'must be a GUID or a domain' })
  .describe('Microsoft Teams only: the tenant in which the bot is registered.')
const extra = callerData
  .nullable()
  .describe(`Any object of yours, at most ${MAX_CALLER_DATA_LENGTH} characters of JSON.`)

interface Pairs {
  authorization_code?: string | null | undefined
  redirect_uri?: string | null | undefined
}

const codeNeedsAddress = ({ authorization_code, redirect_uri }: Pairs) => !authorization_code || Boolean(redirect_uri)
const CODE_NEEDS_ADDRESS = { path: ['redirect_uri'], error: 'is required together with authorization_code' }

export const createCredentialBody = z
  .strictObject({
    name,
    platform: z.enum(CREDENTIAL_PLATFORMS).default('zoom').describe('Whose credential it is.'),
    tenant_id: tenantId.optional(),
    client_id: clientId,
    client_secret: clientSecret,
    authorization_code: code.nullish(),
    redirect_uri: redirectUri.nullish(),
    extra: extra.default(null),
  })
  .refine(codeNeedsAddress, CODE_NEEDS_ADDRESS)
  .refine(({ platform, tenant_id: tenant }) => (platform === 'teams') === (tenant !== undefined), {
    path: ['tenant_id'],
    error: 'belongs to the platform teams, which needs it',
  })
  .refine(({ platform, authorization_code: given }) => platform === 'zoom' || !given, {
    path: ['authorization_code'],
    error: 'belongs to the platform zoom',
  })
  .meta({ id: 'CreateCredential', description: 'An app of Zoom, a user who authorized it, or a registered bot.' })

export const changeCredentialBody = z
  .strictObject({
    name: name.optional(),
    client_id: clientId.optional(),
    client_secret: clientSecret.optional(),
    tenant_id: tenantId.optional(),
    authorization_code: code.nullish(),
    redirect_uri: redirectUri.nullish(),
    extra: extra.optional().describe('Takes the place of what is there; null clears it.'),
  })
  .refine((body) => (body.client_id === undefined) === (body.client_secret === undefined), {
    path: ['client_secret'],
    error: 'goes together with client_id',
  })
  .refine((body) => body.tenant_id === undefined || body.client_id !== undefined, {
    path: ['client_id'],
    error: 'and client_secret are required together with tenant_id',
  })
  .refine(codeNeedsAddress, CODE_NEEDS_ADDRESS)
  .refine((body) => !body.authorization_code || body.client_id !== undefined, {
    path: ['client_id'],
    error: 'and client_secret are required together with authorization_code',
  })
  // Every field may be left out, and so may the body.
  .nullish()
  .transform((body) => body ?? {})

export const credentialParams = z.strictObject({ credential_id: uuid.describe('The id of the credential.') })

export const credentialQuery = z.strictObject({
  name: botFilters.bot_name.describe('A part of the name.'),
  conf_email: botFilters.bot_name.describe('A part of the address.'),
  conf_display_name: botFilters.bot_name.describe("A part of the user's name."),
  conf_user_id: botFilters.bot_name.describe('Exact.'),
  credential_type: commaList(CREDENTIAL_TYPES).optional(),
  platform: commaList(CREDENTIAL_PLATFORMS).optional(),
  state: commaList(CREDENTIAL_STATES).optional(),
  extra: botFilters.extra,
})

export const credentialSchema = z
  .object({
    credential_id: z.uuid().describe('The id of the credential.'),
    name: z.string().describe('As it was given.'),
    platform: z.enum(CREDENTIAL_PLATFORMS).describe('Whose credential it is.'),
    tenant_id: z.string().nullable().describe('Microsoft Teams only: the tenant in which the bot is registered.'),
    credential_type: z
      .enum(CREDENTIAL_TYPES)
      .describe('`app`: keys of an app; `user`: of a user who authorized it too.'),
    conf_user_id: z.string().nullable().describe('The Zoom user who authorized the app.'),
    conf_account_id: z.string().nullable().describe('The Zoom account of that user.'),
    conf_email: z.string().nullable().describe('Address of that user.'),
    conf_display_name: z.string().nullable().describe('Name of that user.'),
    scopes: z.string().nullable().describe('Separated by commas.'),
    state: z
      .enum(CREDENTIAL_STATES)
      .describe('`invalid`: the provider refused it for good; authorize it again, or give it new keys.'),
    last_error_message: z.string().nullable().describe('The last answer of the provider, if it refused.'),
    last_error_at: time.nullable().describe('When it refused.'),
    created_at: fields.created_at,
    updated_at: fields.updated_at,
    extra: fields.extra,
  })
  .meta({ id: 'ConfCredential', description: 'A stored credential of Zoom or Microsoft Teams, without its secrets.' })
