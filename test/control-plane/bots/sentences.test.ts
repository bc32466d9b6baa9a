import { expect, test } from 'vitest'
import { sentenceOf } from '../../../control-plane/bots/sentences.ts'

const at = new Date('2026-11-20T09:00:00Z')

test.each<[kind: string, reason: string | null, evidence: Record<string, unknown> | null, reported: string]>([
  ['asked', 'Bot requested, to join at noon.', null, 'Bot requested, to join at noon.'],
  ['admitted', "The team's limits allow this bot.", null, "The team's limits allow this bot."],
  ['connected', 'The bot runs and has opened its control link.', null, 'The bot runs and has opened its control link.'],
  ['connected', null, null, 'The bot connected to the service.'],
  ['pickup_delayed', 'The bot is late. No machine has room', null, 'The bot is late. No machine has room.'],
  ['launch_failed', 'No memory', null, 'The start of the bot failed. No memory.'],
  ['stop_asked', 'The bot was asked to leave.', null, 'The bot was asked to leave.'],
  ['status', null, { status: 'transcribing' }, 'Transcription started.'],
])('the step %s with the reason %j says each thing once', (kind, reason, evidence, reported) => {
  expect(sentenceOf({ at, attempt: 1, kind, reason, evidence })).toBe(reported)
})
