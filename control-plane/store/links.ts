/** What the server of the control link reads and writes about connections. Many links share each statement. */
import { sql } from 'kysely'
import { type OpenCommand, openCommands } from './commands.ts'
import type { Database } from './database.ts'
import { type Standing, standingOf } from './events.ts'

export interface LinkOwner {
  botId: string
  attempt: number
}

/** Whose tokens these are, by their SHA-256 in hex; tokens that no launch has are missing in the answer. */
export async function ownersOfTokens(db: Database, hashes: readonly string[]): Promise<Map<string, LinkOwner>> {
  const rows = await db
    .selectFrom('launches')
    .select(['bot_id', 'attempt', 'token_hash'])
    .where(
      'token_hash',
      'in',
      hashes.map((hash) => Buffer.from(hash, 'hex')),
    )
    .execute()
  return new Map(rows.map((row) => [row.token_hash.toString('hex'), { botId: row.bot_id, attempt: row.attempt }]))
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

/** Notes that these bots are connected, and says what each has to be told. Null for a bot that is unknown. */
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
    ), first as (
      update launches set hello_at = now() from asked
      where launches.bot_id = asked.bot and launches.attempt = asked.attempt and launches.hello_at is null
      returning launches.bot_id, launches.attempt
    ), steps as (
      insert into bot_steps (bot_id, attempt, at, kind, reason)
      select bot_id, attempt, now(), 'connected', 'The bot runs and has opened its control link.' from first
    ), back as (
      update bots set link_lost_at = null, last_heartbeat_at = now() from asked
      where bots.id = asked.bot and asked.attempt = coalesce(bots.joined_attempt, bots.attempt)
        and bots.phase <> 'closed'
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
  cpuPercent: number
  memoryBytes: number
  /** Seconds since it was heard. */
  secondsAgo: number
}

/** Writes the last heartbeats of many bots. */
export async function writeHeartbeats(db: Database, pulses: readonly LinkPulse[]): Promise<void> {
  if (pulses.length === 0) return
  const rows = pulses.map(({ botId, attempt, cpuPercent, memoryBytes, secondsAgo }) => ({
    bot: botId,
    attempt,
    cpu: cpuPercent,
    memory: memoryBytes,
    ago: secondsAgo,
  }))
  await sql`
    with heard as (
      select * from json_to_recordset(${JSON.stringify(rows)}::json)
        as heard (bot uuid, attempt int, cpu float, memory bigint, ago float)
    ), launch as (
      update launches set cpu_percent = heard.cpu, memory_bytes = heard.memory,
        heartbeat_at = now() - make_interval(secs => heard.ago)
      from heard where launches.bot_id = heard.bot and launches.attempt = heard.attempt
    )
    update bots set last_heartbeat_at = now() - make_interval(secs => heard.ago), link_lost_at = null
    from heard
    where bots.id = heard.bot and heard.attempt = coalesce(bots.joined_attempt, bots.attempt)
      and bots.phase <> 'closed'`.execute(db)
}

export interface LinkLoss extends LinkOwner {
  /** Seconds since the connection broke. */
  secondsAgo: number
}

/** Notes that links are down; not for bots that have been heard since, through another process. */
export async function writeLosses(db: Database, losses: readonly LinkLoss[]): Promise<void> {
  if (losses.length === 0) return
  const rows = losses.map(({ botId, attempt, secondsAgo }) => ({ bot: botId, attempt, ago: secondsAgo }))
  await sql`
    update bots set link_lost_at = now() - make_interval(secs => lost.ago)
    from json_to_recordset(${JSON.stringify(rows)}::json) as lost (bot uuid, attempt int, ago float)
    where bots.id = lost.bot and lost.attempt = coalesce(bots.joined_attempt, bots.attempt)
      and bots.phase <> 'closed' and bots.link_lost_at is null
      and (bots.last_heartbeat_at is null or bots.last_heartbeat_at < now() - make_interval(secs => lost.ago))`.execute(
    db,
  )
}
