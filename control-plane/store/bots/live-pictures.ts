/** The last picture of a bot in its meeting, its speaker and the last line of its captions. */
import { sql } from 'kysely'
import { IN_CALL_WITH_PICTURE } from '../../bots/live-picture.ts'
import type { Database } from '../database.ts'

/** The page reports a bot that did not answer within this time. */
const ANSWER_WITHIN_SECONDS = 15
/** Bots of one team that are looked at together. */
const MAX_BOTS = 250

export interface LiveRow {
  id: string
  status: string
  phase: string
  recording_mode: string
  is_resuming: boolean
  /** The newest stored picture. `at`: when the bot took it. */
  picture: { key: string; bytes: number; at: string } | null
  /** The last question for a picture; null if none was ever asked. */
  asked: { seconds_ago: number; is_ok: boolean | null; message: string | null } | null
  /** The last event of a speaker. */
  speaker: { name: string | null; is_speaking: boolean } | null
  /** The last line of captions or of a live transcript. */
  line: { speaker: string | null; text: string; at: string } | null
}

/** Bots of the team that have not ended, newest first. */
export async function readLiveView(db: Database, teamId: string): Promise<LiveRow[]> {
  // As `attemptFolder` has it.
  const folder = sql`bots.id || '/' || attempt || '/' || bots.id || '/'`
  const { rows } = await sql<LiveRow>`
    select bots.id, bots.status, bots.phase, bots.recording_mode,
      bots.resuming_since is not null as is_resuming,
      picture.picture, speaker.speaker, line.line,
      case when live_pictures.bot_id is null then null else json_build_object(
        'seconds_ago', extract(epoch from now() - live_pictures.asked_at)::float8,
        'is_ok', (command.answer ->> 'ok')::boolean, 'message', left(command.answer ->> 'message', 500)) end as asked
    from bots
    left join live_pictures on live_pictures.bot_id = bots.id
    left join bot_commands command on command.id = live_pictures.command_id
    left join lateral (
      select json_build_object('key', ${folder} || (event -> 'artifact' ->> 'name'),
        'bytes', (event -> 'artifact' ->> 'bytes')::bigint, 'at', at) as picture
      from bot_events where bot_id = bots.id and type = 'artifact'
        and event -> 'artifact' ->> 'name' like 'screenshots/%'
      order by at desc limit 1) as picture on true
    left join lateral (
      select json_build_object('name', left(event -> 'participant' ->> 'name', 200),
        'is_speaking', (event ->> 'is_speaking')::boolean) as speaker
      from bot_events where bot_id = bots.id and type = 'speaker' order by at desc limit 1) as speaker on true
    left join lateral (
      select json_build_object('speaker', left(event -> 'speaker' ->> 'name', 200),
        'text', right(event ->> 'text', 500), 'at', at) as line
      from bot_events where bot_id = bots.id and type = 'transcript' order by at desc limit 1) as line on true
    where bots.team_id = ${teamId} and bots.phase not in ('closed', 'scheduled')
    order by bots.created_at desc, bots.id limit ${MAX_BOTS}`.execute(db)
  return rows
}

/**
 * Asks bots for a picture, and resolves with those that were asked. A bot that was asked within the last `seconds` is left
 * out. The limit is a row of the database, so all people and all processes share it. The earlier question is removed, so
 * that a bot that is watched for hours has one.
 */
export async function askForPictures(
  db: Database,
  teamId: string,
  { seconds, botId }: { seconds: number; botId?: string },
): Promise<string[]> {
  const { rows } = await sql<{ bot_id: string }>`
    with candidates as (
      select bots.id, live_pictures.command_id as previous
      from bots left join live_pictures on live_pictures.bot_id = bots.id
      where team_id = ${teamId} and phase = 'running' and status = any(${IN_CALL_WITH_PICTURE}::text[])
        and recording_mode <> 'audio_only' and data_deleted_at is null
        and (${botId ?? null}::uuid is null or bots.id = ${botId ?? null}::uuid)
      order by created_at desc limit ${MAX_BOTS}
    ), asked as (
      insert into live_pictures (bot_id, asked_at, command_id)
      select id, now(), gen_random_uuid() from candidates order by id
      on conflict (bot_id) do update set asked_at = excluded.asked_at, command_id = excluded.command_id
        where live_pictures.asked_at <= now() - make_interval(secs => ${seconds})
      returning bot_id, command_id
    ), removed as (
      delete from bot_commands where id in (
        select previous from candidates join asked on asked.bot_id = candidates.id where previous is not null)
    )
    insert into bot_commands (id, bot_id, command, expires_at)
    select command_id, bot_id, '{"type": "screenshot", "live": true}',
      now() + make_interval(secs => ${ANSWER_WITHIN_SECONDS})
    from asked
    returning bot_id`.execute(db)
  return rows.map(({ bot_id }) => bot_id)
}
