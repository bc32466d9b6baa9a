/** What a bot is told while it lives, and the frames of the control link in both directions. */
import { z } from 'zod'
import { STATUSES } from './codes.ts'
import { numberedEventSchema, transcriptSchema } from './events.ts'
import { chatText } from './job.ts'

export const botCommandSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('leave') }),
  z.strictObject({ type: z.literal('send_chat'), message: chatText }),
  z.strictObject({ type: z.literal('pause'), chat_message: chatText.nullish() }),
  z.strictObject({ type: z.literal('resume'), chat_message: chatText.nullish() }),
  z.strictObject({ type: z.literal('screenshot') }),
])
export type BotCommand = z.infer<typeof botCommandSchema>

/** Codes of refused commands; the first three are those of the service's interface. */
export const COMMAND_ERROR_CODES = [
  'FST_ERR_BOT_STATUS',
  'FST_ERR_CHAT_DISABLED',
  'FST_ERR_SEND_CHAT_MESSAGE_FAILED',
  'INVALID_COMMAND',
  'COMMAND_FAILED',
] as const
export type CommandErrorCode = (typeof COMMAND_ERROR_CODES)[number]

const commandId = z.string().min(1).max(200)

/** From the control plane to the bot. */
export const downMessageSchema = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('welcome'),
    acknowledged: z.int().min(0).describe('The highest event number that is stored; 0 for none.'),
  }),
  z.strictObject({ type: z.literal('ack'), seq: z.int().min(1).describe('This event and all before it are stored.') }),
  z.strictObject({ type: z.literal('command'), id: commandId, command: botCommandSchema }),
])
export type DownMessage = z.infer<typeof downMessageSchema>

/** From the bot to the control plane. */
export const upMessageSchema = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('hello'),
    protocol_version: z.literal(1),
    bot_id: z.uuid(),
    journal_id: z.uuid().describe('Event numbers count within one journal; a bot that lost its disk begins another.'),
    last_seq: z.int().min(0).describe('The highest event number so far.'),
  }),
  numberedEventSchema,
  z.strictObject({
    type: z.literal('answer'),
    id: commandId,
    ok: z.boolean(),
    code: z.enum(COMMAND_ERROR_CODES).optional(),
    message: z.string().optional(),
    data: z.record(z.string(), z.json()).optional(),
  }),
  z
    .strictObject({ type: z.literal('partial_transcript'), at: z.iso.datetime(), transcript: transcriptSchema })
    .describe('Words that may still change, a few times a second; not numbered, not kept and not acknowledged.'),
  z.strictObject({
    type: z.literal('heartbeat'),
    at: z.iso.datetime(),
    status: z.enum(STATUSES),
    cpu_percent: z.number().min(0).describe('Of the whole process tree; 100 is one core.'),
    memory_bytes: z.int().min(0).describe('Resident memory of the whole process tree.'),
  }),
])
export type UpMessage = z.infer<typeof upMessageSchema>
