/**
 * Connections, as the server of the control link reads and writes them. Many links share each statement, and every
 * statement locks its rows in the order of their ids, so that none of them waits for another in a circle.
 */
import { sql } from 'kysely'
import { type Standing, standingOf } from '../bots/row.ts'
import { type OpenCommand, openCommands } from './bots/commands.ts'
import type { Database } from './database.ts'

export interface LinkOwner {
  botId: string
  attempt: number
}

/** Whose tokens these are, by their SHA-256 in hex; tokens that no launch has are missing in the answer. */
export async function ownersOfTokens(
  db: Database,
  hashes: readonly string[],
): Promise<Map<string, LinkOwner & { teamId: string }>> {
  const rows = await db
    .selectFrom('launches')
    .innerJoin('bots', 'bots.id', 'launches.bot_id')
    .select(['launches.bot_id', 'launches.attempt', 'launches.token_hash', 'bots.team_id'])
    .where(
      'token_hash',
      'in',
      hashes.map((hash) => Buffer.from(hash, 'hex')),
    )
    .execute()
  return new Map(
    rows.map((row) => [
      row.token_hash.toString('hex'),
      { botId: row.bot_id, teamId: row.team_id, attempt: row.attempt },
    ]),
  )
}

export interface Greeting extends LinkOwner {
  journalId: string
}

export interface Greeted {
  /** The highest stored number of the journal. */
  acknowledged: number
  standing: Standing
  commands: OpenCommand[]
}

/**
 * Notes that these bots are connected, and returns the data that each has to receive. Null for a bot that is unknown.
 */
export async function greet(db: Database, greetings: readonly Greeting[]): Promise<(Greeted | null)[]> {
  const asked = JSON.stringify(
    greetings.map(({ botId, attempt, journalId }, place) => ({ place, bot: botId, attempt, journal: journalId })),
  )
  const { rows } = await sql<{
    place: number
    phase: string
    attempt: number
    joined_attempt: number | null
    stop_requested_at: Date | null
    last_seq: number
  }>`
    with asked as (
      select * from json_to_recordset(${asked}::json) as asked (place int, bot uuid, attempt int, journal uuid)
    ), named as materialized (
      select bots.id from bots join asked on asked.bot = bots.id
        and asked.attempt = coalesce(bots.joined_attempt, bots.attempt)
      where bots.phase <> 'closed' order by bots.id for no key update of bots
    ), silent as materialized (
      -- Counting them locks the bots before their launches, as everywhere else.
      select bot_id, attempt from launches join asked using (attempt)
      where launches.bot_id = asked.bot and launches.hello_at is null and (select count(*) from named) >= 0
      order by bot_id, attempt for no key update of launches
    ), first as (
      update launches set hello_at = now() from silent
      where launches.bot_id = silent.bot_id and launches.attempt = silent.attempt and launches.hello_at is null
      returning launches.bot_id, launches.attempt
    ), steps as (
      insert into bot_steps (bot_id, attempt, at, kind, reason)
      select bot_id, attempt, now(), 'connected', 'The bot runs and has opened its control link.' from first
    ), back as (
      update bots set link_lost_at = null, link_opened_at = now() from named where bots.id = named.id
    )
    select asked.place, bots.phase, bots.attempt, bots.joined_attempt, bots.stop_requested_at,
      coalesce(journals.last_seq, 0) as last_seq
    from asked join bots on bots.id = asked.bot
    left join journals on journals.bot_id = asked.bot and journals.journal_id = asked.journal`.execute(db)
  const greeted: (Greeted | null)[] = greetings.map(() => null)
  for (const row of rows) {
    const standing = standingOf(row, greetings[row.place]!.attempt)
    greeted[row.place] = { acknowledged: row.last_seq, standing, commands: [] }
  }
  const obeying = greetings.filter((_, place) => isNamed(greeted[place]))
  for (const command of await openCommands(
    db,
    obeying.map(({ botId }) => botId),
  ))
    for (const [place, { botId }] of greetings.entries())
      if (botId === command.bot_id && isNamed(greeted[place])) greeted[place]!.commands.push(command)
  return greeted
}

function isNamed(greeted: Greeted | null | undefined): boolean {
  return greeted?.standing === 'named' || greeted?.standing === 'stopped'
}

export interface LinkPulse extends LinkOwner {
  /** Seconds since its last report. */
  secondsAgo: number
}

/**
 * Writes the last heartbeats of many bots: into their launches, as the rows of bots are locked by their events all the
 * time. Rows that another transaction holds are left for the next heartbeat.
 */
export async function writeHeartbeats(db: Database, pulses: readonly LinkPulse[]): Promise<void> {
  if (pulses.length === 0) return
  const rows = pulses.map(({ botId, attempt, secondsAgo }) => ({
    bot: botId,
    attempt,
    ago: secondsAgo,
  }))
  await sql`
    with heard as (
      select * from json_to_recordset(${JSON.stringify(rows)}::json)
        as heard (bot uuid, attempt int, ago float)
    ), free as materialized (
      select launches.bot_id, launches.attempt, heard.ago
      from launches join heard on heard.bot = launches.bot_id and heard.attempt = launches.attempt
      order by launches.bot_id, launches.attempt for no key update of launches skip locked
    ), back as materialized (
      select bots.id from bots join heard on heard.bot = bots.id
        and heard.attempt = coalesce(bots.joined_attempt, bots.attempt)
      where bots.link_lost_at is not null
      order by bots.id for no key update of bots skip locked
    ), found as (
      update bots set link_lost_at = null from back where bots.id = back.id
    )
    update launches set heartbeat_at = now() - make_interval(secs => free.ago)
    from free where launches.bot_id = free.bot_id and launches.attempt = free.attempt`.execute(db)
}

export interface LinkLoss extends LinkOwner {
  /** Seconds since the connection broke. */
  secondsAgo: number
}

/** Notes that links are down; not for bots that have connected again since, to another process. */
export async function writeLosses(db: Database, losses: readonly LinkLoss[]): Promise<void> {
  if (losses.length === 0) return
  const rows = losses.map(({ botId, attempt, secondsAgo }) => ({ bot: botId, attempt, ago: secondsAgo }))
  await sql`
    with lost as (
      select * from json_to_recordset(${JSON.stringify(rows)}::json) as lost (bot uuid, attempt int, ago float)
    ), gone as materialized (
      select bots.id, lost.ago from bots join lost on lost.bot = bots.id
        and lost.attempt = coalesce(bots.joined_attempt, bots.attempt)
      where bots.phase <> 'closed' and bots.link_lost_at is null
        and (bots.link_opened_at is null or bots.link_opened_at < now() - make_interval(secs => lost.ago))
      order by bots.id for no key update of bots
    )
    update bots set link_lost_at = now() - make_interval(secs => gone.ago) from gone where bots.id = gone.id`.execute(
    db,
  )
}

/** A step in the timeline of bots whose link has been down for a while and still is. */
export async function noteLongLosses(db: Database, owners: readonly LinkOwner[]): Promise<void> {
  if (owners.length === 0) return
  const rows = owners.map(({ botId, attempt }) => ({ bot: botId, attempt }))
  await sql`
    insert into bot_steps (bot_id, attempt, at, kind, reason)
    select bots.id, lost.attempt, bots.link_lost_at, 'link_lost',
      'The control link of the bot is down; the bot stays in its meeting and connects again.'
    from json_to_recordset(${JSON.stringify(rows)}::json) as lost (bot uuid, attempt int)
    join bots on bots.id = lost.bot and lost.attempt = coalesce(bots.joined_attempt, bots.attempt)
    where bots.phase <> 'closed' and bots.link_lost_at is not null`.execute(db)
}
