/** Answers of `/v2/bots/{bot_id}/timeline`. */
import { z } from 'zod'
import { time } from '../common.ts'

export const timelineStepSchema = z
  .object({
    at: time.describe('When it happened.'),
    attempt: z.int().nullable().describe('The start of the bot that it belongs to; null for the service itself.'),
    kind: z.string().describe('Such as asked, due, admitted, launched, status, file_stored, webhook_delivered, ended.'),
    reason: z.string().nullable().describe('Why, in one sentence.'),
    evidence: z
      .record(z.string(), z.unknown())
      .nullable()
      .describe('Facts about it; `log` has the last lines of a bot that ended without a report.'),
    sentence: z.string().describe('The step in words.'),
  })
  .meta({ id: 'TimelineStep', description: 'A step of a bot.' })
export type TimelineStep = z.output<typeof timelineStepSchema>
