/** What a page that a bot shows gets from `window.standin`, and what it may ask for (docs/output-media.md). */
import { z } from 'zod'
import { sayFields } from './commands.ts'
import type { BotEvent, Transcript } from './events.ts'

/** Types of the bot's events that the page gets, as the control link has them. */
export const PAGE_NEWS = [
  'participant_joined',
  'participant_changed',
  'participant_left',
  'speaker',
  'chat_message',
  'chat_message_changed',
  'reaction',
  'hand_raised',
  'transcript',
] as const satisfies BotEvent['type'][]

/** Words with `is_final: false` may still change. */
export type PageNews = Extract<BotEvent, { type: (typeof PAGE_NEWS)[number] }> | Transcript

export const pageCallSchema = z.discriminatedUnion('call', [
  z.strictObject({ call: z.literal('say'), ...sayFields }),
  z
    .strictObject({ call: z.literal('stop'), what: z.enum(['speech', 'page']).default('speech') })
    .describe('Stops what the bot says, or ends the page.'),
])
export type PageCall = z.infer<typeof pageCallSchema>
