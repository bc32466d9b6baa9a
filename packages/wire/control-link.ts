/** The messages of the control link, one per text frame, in both directions. docs/control-link.md describes the exchange. */
import { z } from 'zod'
import { storageStateSchema } from './account-session.ts'
import { ERROR_CODES, STATUSES } from './codes.ts'
import { botCommandSchema, COMMAND_ERROR_CODES } from './commands.ts'
import { numberedEventSchema, transcriptSchema } from './events.ts'
import { storageKeysSchema, token } from './job.ts'
import { botUsageSchema } from './usage.ts'

export const PROTOCOL_VERSION = 1

/** Of one frame to the bot: the largest holds the session of an account. */
export const MAX_DOWN_FRAME_BYTES = 1024 * 1024
/** Of one frame from the bot: the largest is an answer that holds a screenshot. */
export const MAX_UP_FRAME_BYTES = 9 * 1024 * 1024
export const MAX_COMMAND_ID_LENGTH = 200

const commandId = z.string().min(1).max(MAX_COMMAND_ID_LENGTH)

const welcomeSchema = z.strictObject({
  type: z.literal('welcome'),
  acknowledged: z.int().min(0).describe('The highest event number that is stored; 0 for none.'),
})

const ackSchema = z.strictObject({
  type: z.literal('ack'),
  seq: z.int().min(1).describe('This event and all before it are stored.'),
})

/** The control plane chooses the id. The bot runs a command once, however often it comes under the same id. */
const commandMessageSchema = z.strictObject({
  type: z.literal('command'),
  id: commandId,
  command: botCommandSchema,
})
export type CommandMessage = z.infer<typeof commandMessageSchema>

/** The answer to `token_request`, under its id: the token, or why there is none. */
const freshTokenSchema = z.strictObject({
  type: z.literal('token'),
  id: commandId,
  token: token.optional(),
  code: z.enum(ERROR_CODES).optional().describe('The end code if another try does not help.'),
  message: z.string().max(2_000).optional(),
  can_retry: z.boolean().default(false),
})
export type FreshToken = z.infer<typeof freshTokenSchema>

/** The answer to `storage_keys_request`, under its id: the keys, or why there are none. */
const freshKeysSchema = z.strictObject({
  type: z.literal('storage_keys'),
  id: commandId,
  keys: storageKeysSchema.optional(),
  message: z.string().max(2_000).optional(),
})
export type FreshKeys = z.infer<typeof freshKeysSchema>

/** The answer to `account_request`, under its id: the account with its session, or why there is none. */
const leasedAccountSchema = z.strictObject({
  type: z.literal('account'),
  id: commandId,
  account: z
    .strictObject({
      account_id: z.uuid(),
      label: z.string(),
      version: z.int().describe('Of the session; a report names it again.'),
      session: storageStateSchema,
    })
    .optional(),
  message: z.string().max(2_000).optional(),
})
export type LeasedAccount = z.infer<typeof leasedAccountSchema>

/** The answer to `account_report_request`, under its id: the version of the session that is stored now. */
const accountReportSchema = z.strictObject({
  type: z.literal('account_report'),
  id: commandId,
  version: z.int().optional().describe('Absent: another session was stored meanwhile, or the account was deleted.'),
  message: z.string().max(2_000).optional(),
})
export type AccountReport = z.infer<typeof accountReportSchema>

/** From the control plane to the bot. */
export const downMessageSchema = z.discriminatedUnion('type', [
  welcomeSchema,
  ackSchema,
  commandMessageSchema,
  freshTokenSchema,
  freshKeysSchema,
  leasedAccountSchema,
  accountReportSchema,
])
export type DownMessage = z.infer<typeof downMessageSchema>

const helloSchema = z.strictObject({
  type: z.literal('hello'),
  protocol_version: z.literal(PROTOCOL_VERSION),
  bot_id: z.uuid(),
  journal_id: z.uuid().describe('Event numbers count within one journal; a bot that lost its disk begins another.'),
  last_seq: z.int().min(0).describe('The highest event number so far.'),
})

export const answerSchema = z.strictObject({
  type: z.literal('answer'),
  id: commandId,
  ok: z.boolean(),
  code: z.enum(COMMAND_ERROR_CODES).optional(),
  message: z.string().optional(),
  data: z.record(z.string(), z.json()).optional(),
})
export type Answer = z.infer<typeof answerSchema>

const partialTranscriptSchema = z
  .strictObject({ type: z.literal('partial_transcript'), at: z.iso.datetime(), transcript: transcriptSchema })
  .describe('Words that may still change, a few times a second; not numbered, not kept and not acknowledged.')

export type PartialTranscript = z.infer<typeof partialTranscriptSchema>

const heartbeatSchema = z.strictObject({
  type: z.literal('heartbeat'),
  at: z.iso.datetime(),
  status: z.enum(STATUSES),
  cpu_percent: z.number().min(0).describe('Of the whole process tree; 100 is one core.'),
  memory_bytes: z.int().min(0).describe('Memory of the whole process tree; pages that processes share count once.'),
  usage: botUsageSchema
    .optional()
    .describe('Resources that the bot used so far; they count if it sends no final report.'),
})
export type Heartbeat = z.infer<typeof heartbeatSchema>

const tokenRequestSchema = z
  .strictObject({ type: z.literal('token_request'), id: commandId })
  .describe(
    'Asks for a fresh token for a try to join; only if the job has `conf_fresh_tokens` or `teams_fresh_tokens`.',
  )

const keysRequestSchema = z
  .strictObject({ type: z.literal('storage_keys_request'), id: commandId })
  .describe('Asks for new keys of the storage; only where those of the job have `keys_end_at`.')

const accountRequestSchema = z
  .strictObject({ type: z.literal('account_request'), id: commandId })
  .describe('Asks for an account of the team; only where `account` of the job is not `never`.')

const accountReportRequestSchema = z
  .strictObject({
    type: z.literal('account_report_request'),
    id: commandId,
    account_id: z.uuid(),
    version: z.int(),
    state: z.enum(['ok', 'signed_out']),
    reason: z.string().max(400).optional().describe('The words of the page, if the account is signed out.'),
    session: storageStateSchema.optional().describe('As the meeting refreshed it; absent: unchanged.'),
  })
  .describe('Whether the platform still knows the session, and the session that the platform refreshed.')

const requestSchemas = [
  tokenRequestSchema,
  keysRequestSchema,
  accountRequestSchema,
  accountReportRequestSchema,
] as const
/** A question of the bot; its answer has the same id. */
export type LinkRequest = z.infer<(typeof requestSchemas)[number]>

/** From the bot to the control plane. */
export const upMessageSchema = z.discriminatedUnion('type', [
  helloSchema,
  numberedEventSchema,
  answerSchema,
  partialTranscriptSchema,
  heartbeatSchema,
  ...requestSchemas,
])
export type UpMessage = z.infer<typeof upMessageSchema>
