/** Rows of bots of the older generation, written without the API. */
import { randomUUID } from 'node:crypto'
import type { BotRow, NewBotRow } from '@standin/control-plane/rows/index.ts'
import { insertBot } from '../../../../control-plane/store/bots/bots.ts'
import type { Database } from '../../../../control-plane/store/database.ts'
import { MEET } from '../world.ts'

/** A bot that has ended well, unless `values` say otherwise. JSON columns are plain values. */
export function olderBotRow(database: Database, teamId: string, values: Partial<NewBotRow> = {}): Promise<BotRow> {
  return insertBot(database, {
    id: randomUUID(),
    team_id: teamId,
    generation: 'older',
    phase: 'closed',
    status: 'completed',
    bot_name: 'Bot',
    meeting_url: MEET,
    meeting_key: MEET,
    meeting_platform: 'meet',
    recording_mode: 'speaker_view',
    request: {},
    extra: null,
    attempt: 1,
    joined_attempt: 1,
    participants: [],
    speakers: [],
    transcription_ids: [],
    ...values,
  })
}
