/** Commands to a running bot. */

import { z } from 'zod'
import { chatText, pageTarget, pageUrl, sayText } from './bot-fields.ts'

export const sayFields = {
  text: sayText.describe('What the bot says; 1 to 500 characters.'),
  interrupt: z.boolean().default(false).describe('Whether a person who speaks for half a second stops it.'),
  replace: z.boolean().default(false).describe('Whether it replaces what the bot says now; else it comes after that.'),
}

/** Of the command `agent`. */
export const agentSwitch = {
  enabled: z
    .boolean()
    .describe('`false`: the agent is silent and hears nothing. `true`: it may answer again, also if people muted it.'),
}

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
  z.strictObject({ type: z.literal('say'), ...sayFields }),
  z.strictObject({ type: z.literal('stop_saying') }),
  z.strictObject({ type: z.literal('show_page'), url: pageUrl, target: pageTarget.optional() }),
  z.strictObject({ type: z.literal('stop_page'), target: pageTarget.optional() }),
  z.strictObject({ type: z.literal('agent'), ...agentSwitch }),
])
export type BotCommand = z.infer<typeof botCommandSchema>

/** The data of the answer to `say`. */
export const saidSchema = z.object({
  outcome: z
    .enum(['said', 'interrupted', 'muted', 'stopped', 'replaced', 'ended'])
    .describe(
      '`said`: all of it. Else what cut it: a person who spoke (`interrupted`), a host who muted the bot (`muted`), a request (`stopped`), another text (`replaced`), or the end of the meeting, of its page, or a `clear` of the streaming socket (`ended`).',
    ),
  heard_text: z.string().describe('The words of the text that were played into the meeting to their end.'),
  heard_words: z.int().min(0).describe('Their number.'),
  words: z.int().min(0).describe('Words of the whole text.'),
  heard_seconds: z.number().min(0).describe('Seconds of speech that were played.'),
})
export type Said = z.infer<typeof saidSchema>

/** Codes of refused commands; the first three are those of the service's interface. */
export const COMMAND_ERROR_CODES = [
  'FST_ERR_BOT_STATUS',
  'FST_ERR_CHAT_DISABLED',
  'FST_ERR_SEND_CHAT_MESSAGE_FAILED',
  'INVALID_COMMAND',
  'COMMAND_FAILED',
] as const
export type CommandErrorCode = (typeof COMMAND_ERROR_CODES)[number]
