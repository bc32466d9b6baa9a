/** Commands to a running bot. */

import { z } from 'zod'
import { chatText } from './bot-fields.ts'

export const botCommandSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('leave') }),
  z.strictObject({ type: z.literal('send_chat'), message: chatText }),
  z.strictObject({ type: z.literal('pause'), chat_message: chatText.nullish() }),
  z.strictObject({ type: z.literal('resume'), chat_message: chatText.nullish() }),
  z.strictObject({
    type: z.literal('screenshot'),
    live: z
      .boolean()
      .optional()
      .describe('Stores the picture at once as `screenshots/live.png`, in place of the last live one.'),
  }),
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
