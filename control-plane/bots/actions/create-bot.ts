/** Creates a bot, and admits it unless it is for later: its row, timeline, messages, tokens and endpoints, or a refusal. */

import type { MeetingLink } from '@standin/wire/meeting-links/index.ts'
import type { Seals } from '../../platform/ports.ts'
import { entryOf } from '../../store/audit-log.ts'
import { type Candidate, checkAdmissions, type Refusal } from '../../store/bots/admission-checks.ts'
import { type Insertion, insertBots, lockTeam, readLimits, shareInsertion } from '../../store/bots/creation.ts'
import { sealedSecrets } from '../../store/bots/secrets.ts'
import { type Database, inTransaction, type Tx } from '../../store/database.ts'
import type { BotRow, NewBotRow } from '../../store/rows/index.ts'
import { createEndpoint } from '../../store/webhooks/endpoints.ts'
import { admitted } from '../admit.ts'
import { type BotRequest, columnsOf } from '../request.ts'

/** The request of a bot, whose fields are checked, with its caller, its meeting and its time. */
export interface NewBot {
  id: string
  teamId: string
  apiKeyId: string | null
  generation: 'v2' | 'older'
  isCompat: boolean
  meeting: Pick<MeetingLink, 'link' | 'platform' | 'key'>
  request: BotRequest
  /** Null: at once. */
  joinAt: Date | null
  eventId?: string | null
  eventUuid?: string | null
  /** Of the request that asks for it, if that is traced. */
  traceparent?: string | null
}

export type Creation = { botId: string } | { refused: Refusal }

/**
 * Checks and creates. A refused bot leaves nothing behind. If nothing has to be counted first and nothing is stored beside
 * the row, one statement creates several bots of the team, so that they wait for each other as briefly as possible.
 */
export async function createBot(db: Database | Tx, seals: Seals, bot: NewBot): Promise<Creation> {
  const { team, now } = await readLimits(db, bot.teamId)
  if (bot.request.transcription?.api_key && !team.byok_transcription)
    return { refused: { code: 'BYOK_TRANSCRIPTION_NOT_ENABLED_ON_PLAN' } }
  const row = newRow(bot, seals)
  const insertion = insertionOf(bot, row, now)
  const isLimited = team.balance !== null || team.daily_cap !== null
  const isCounted = bot.joinAt === null && (isLimited || row.is_exclusive || row.deduplication_key !== null)
  const hasEndpoints = bot.request.callback || bot.request.webhook_url
  if (!isCounted && !hasEndpoints && !db.isTransaction) {
    await shareInsertion(db, insertion)
    return { botId: bot.id }
  }
  return inTransaction(db, async (tx) => {
    if (isCounted) {
      const locked = await lockTeam(tx, bot.teamId)
      const [refused] = await checkAdmissions(tx, locked.team, [row])
      if (refused) return { refused }
    }
    await insertBots(tx, [insertion])
    await addEndpoints(tx, seals, bot)
    return { botId: bot.id }
  })
}

function newRow(bot: NewBot, seals: Seals): NewBotRow & Candidate {
  const { columns, secrets } = columnsOf(bot.request)
  return {
    ...columns,
    id: bot.id,
    team_id: bot.teamId,
    api_key_id: bot.apiKeyId,
    generation: bot.generation,
    is_compat: bot.isCompat,
    phase: 'scheduled',
    status: 'queued',
    meeting_url: bot.meeting.link,
    meeting_key: bot.meeting.key,
    meeting_platform: bot.meeting.platform,
    secrets: sealedSecrets(seals, bot.id, secrets),
    is_scheduled: bot.joinAt !== null,
    join_at: bot.joinAt,
    due_at: bot.joinAt,
    event_id: bot.eventId ?? null,
    event_uuid: bot.eventUuid ?? null,
    traceparent: bot.traceparent ?? null,
  }
}

/** For a scheduled bot nothing is reserved, and only its fields are checked, until the join time. */
function insertionOf(bot: NewBot, row: NewBotRow, now: Date): Insertion {
  const { joinAt } = bot
  const change =
    joinAt === null
      ? admitted(row as BotRow, now)
      : { patch: { schedule_status: 'scheduled' }, steps: [], messages: [], ledger: [] }
  const reason = joinAt === null ? 'Bot requested.' : `Bot requested, to join at ${joinAt.toISOString()}.`
  const asked = { at: now, attempt: null, kind: 'asked' as const, reason }
  const times = { due_at: joinAt ?? now, created_at: now, updated_at: now }
  return {
    row: { ...row, ...(change.patch as object), ...times },
    change: { ...change, steps: [asked, ...change.steps] },
    // A bot of a calendar event was wanted by the entry of its event.
    ...(bot.eventId || bot.eventUuid
      ? {}
      : { entry: entryOf({ teamId: bot.teamId, action: 'bot.create', target: bot.id }) }),
  }
}

/** The addresses of this bot alone. */
export async function addEndpoints(
  tx: Tx,
  seals: Seals,
  { id, teamId, request }: Pick<NewBot, 'id' | 'teamId' | 'request'>,
): Promise<void> {
  const { callback, webhook_url: url } = request
  if (callback) await createEndpoint(tx, seals, { teamId, botId: id, kind: 'callback', ...callback })
  if (url) await createEndpoint(tx, seals, { teamId, botId: id, kind: 'bot', url })
}
