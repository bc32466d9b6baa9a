/** Fields of answers that several operations share, each with its text. */
import { botFields, botName, withoutDefaults } from '@standin/wire/bot-fields.ts'
import { MEETING_PLATFORMS } from '@standin/wire/platforms.ts'
import { z } from 'zod'
import { time } from './common.ts'

export const freeForm = z.record(z.string(), z.unknown()).nullable()

export const fields = {
  bot_id: z.uuid().describe('The id of the bot.'),
  bot_name: z.string().describe(botName.description!),
  meeting_url: z.string().describe('The link of the meeting, without the text or wrapper around it.'),
  meeting_platform: z.enum(MEETING_PLATFORMS).describe('The platform that the link leads to.'),
  recording_mode: withoutDefaults(botFields).recording_mode,
  extra: freeForm.describe('Your own object, as it was given.'),
  created_at: time.describe('When it was created.'),
  updated_at: time.describe('When it was last changed.'),
  joined_at: time.nullable().describe('When the bot was admitted; null before.'),
  exited_at: time.nullable().describe('When the bot left the meeting; null before.'),
  error_code: z
    .string()
    .nullable()
    .describe('Why the bot failed, such as BOT_NOT_ACCEPTED. Null if it has not failed.'),
  error_message: z.string().nullable().describe('The same in one sentence.'),
}

/** Without its tokens, which are never answered. */
export const shownConfConfig = z
  .object({
    credential_id: z.uuid().nullable().describe('The stored credential that the bot uses.'),
    credential_user_id: z.string().nullable().describe('The Zoom user whose stored credential the bot uses.'),
    obf_token_url: z.string().nullable().describe('The address that gives the on-behalf-of token.'),
    zak_token_url: z.string().nullable().describe('The address that gives the access key.'),
  })
  .nullable()
  .describe('How the bot joins Zoom. Null for other platforms, and for bots without such settings.')
