/** Which account a bot gets. Its lease is in the bot's own row (migration 0200), so only one transaction of a team chooses at a time. */
import type { StorageState } from '@standin/wire/account-session.ts'
import { type RawBuilder, sql } from 'kysely'
import type { OutgoingMessage } from '../../bots/change.ts'
import { messageId } from '../../bots/messages/index.ts'
import type { Seals } from '../../platform/ports.ts'
import type { Database, Tx } from '../database.ts'
import type { AccountRow, BotRow } from '../rows/index.ts'
import { insertMessages } from '../webhooks/messages.ts'
import { HOLDS, sessionPlace } from './accounts.ts'

export type ChosenAccount = Pick<AccountRow, 'id' | 'label' | 'session' | 'session_version'> & { place: number }

type Wanting = Pick<BotRow, 'id' | 'team_id' | 'meeting_platform' | 'meeting_key' | 'account_id'>

/**
 * The account that the bot has, else one that its event invited, else the one with the fewest bots, and of these the one
 * that waited longest. Undefined: none is free.
 */
export async function chooseAccount(tx: Tx, bot: Wanting, pool: string | null): Promise<ChosenAccount | undefined> {
  const turn = `accounts of ${bot.team_id}`
  await sql`select pg_advisory_xact_lock(hashtextextended(${turn}, 0))`.execute(tx)
  const { rows } = await sql<ChosenAccount>`
    select account.id, account.label, account.session, account.session_version, place.place
    from accounts account
    cross join lateral (
      select count(*) as bots, coalesce(bool_or(meeting_key = ${bot.meeting_key}), false) as is_there
      from bots where account_id = account.id and ${HOLDS} and id <> ${bot.id}
    ) taken
    cross join lateral (
      select min(seat) as place from generate_series(1, account.max_meetings) seat
      where not exists (select from bots where account_id = account.id and account_place = seat and ${HOLDS} and id <> ${bot.id})
    ) place
    where account.team_id = ${bot.team_id} and account.platform = ${bot.meeting_platform} and ${isUsable(pool)}
      and not taken.is_there and taken.bots < account.max_meetings and place.place is not null
    order by (account.id = ${bot.account_id}) is true desc, ${isInvited(bot.id)} desc, taken.bots,
      account.leased_at nulls first, account.created_at, account.id
    limit 1`.execute(tx)
  const [chosen] = rows
  if (chosen !== undefined) await sql`update accounts set leased_at = now() where id = ${chosen.id}`.execute(tx)
  return chosen
}

const isUsable = (pool: string | null): RawBuilder<boolean> =>
  sql`not account.is_disabled and account.state <> 'signed_out' and (${pool}::text is null or account.pool = ${pool})`

/** Whether the account is among the people of the calendar event that the bot was made for. */
const isInvited = (botId: string): RawBuilder<boolean> => sql`exists (
  select from calendar_bots made join calendar_events event on event.id = made.event_id
  cross join lateral jsonb_array_elements(event.attendees) person
  where made.bot_id = ${botId} and lower(person ->> 'email') = account.address)`

/** In words, why none is free. */
export async function whyNone(
  tx: Tx,
  { id, team_id, meeting_platform, meeting_key }: Wanting,
  pool: string | null,
): Promise<string> {
  const { rows } = await sql<{ all: number; disabled: number; out: number; there: number }>`
    select count(*) as all, count(*) filter (where is_disabled) as disabled,
      count(*) filter (where not is_disabled and state = 'signed_out') as out,
      count(*) filter (where not is_disabled and state <> 'signed_out' and exists (
        select from bots where account_id = account.id and meeting_key = ${meeting_key} and ${HOLDS} and id <> ${id})) as there
    from accounts account
    where team_id = ${team_id} and platform = ${meeting_platform} and (${pool}::text is null or pool = ${pool})`.execute(
    tx,
  )
  const { all, disabled, out, there } = rows[0]!
  const inPool = pool === null ? '' : ` in the pool "${pool}"`
  const counts = [
    [disabled, 'disabled'],
    [out, 'signed out'],
    [there, 'in this meeting already'],
    [all - disabled - out - there, 'in as many meetings as it may be'],
  ] as const
  const shares = counts.filter(([count]) => count > 0).map(([count, word]) => `${count} ${word}`)
  return `No account is free${inPool}: of ${all}, ${shares.join(', ') || 'none can be used'}.`
}

export interface Report {
  accountId: string
  version: number
  state: 'ok' | 'signed_out'
  reason: string | null
  session: StorageState | null
}

/**
 * Stores what a bot says of the account that it has, unless another session was stored since the bot got its own, and sends
 * a webhook when the account is signed out. Resolves with the version of the session; undefined: nothing was stored.
 */
export async function reportAccount(
  db: Database,
  seals: Seals,
  botId: string,
  { accountId, version, state, reason, session }: Report,
): Promise<number | undefined> {
  return db.transaction().execute(async (tx) => {
    // Locked: of two bots that report it at once, only one sees the change.
    const before = await tx
      .selectFrom('accounts')
      .select('state')
      .where('id', '=', accountId)
      .forUpdate()
      .executeTakeFirst()
    const row = await tx
      .updateTable('accounts')
      .set({
        ...{ state, state_reason: reason, state_at: sql<Date>`now()`, updated_at: sql<Date>`now()` },
        ...(session && {
          session: seals.seal(JSON.stringify(session), sessionPlace(accountId)),
          session_version: sql<number>`session_version + 1`,
          session_at: sql<Date>`now()`,
        }),
      })
      .where('id', '=', accountId)
      .where('session_version', '=', version)
      .where(({ exists, selectFrom }) =>
        exists(selectFrom('bots').select('id').where('bots.id', '=', botId).where('bots.account_id', '=', accountId)),
      )
      .returning(['id', 'team_id', 'platform', 'label', 'pool', 'state_reason', 'state_at', 'session_version'])
      .executeTakeFirst()
    if (row !== undefined && state === 'signed_out' && before?.state !== state)
      await insertMessages(tx, [messageOfSignOut(row)])
    return row?.session_version
  })
}

type SignedOut = Pick<AccountRow, 'id' | 'team_id' | 'platform' | 'label' | 'pool' | 'state_reason' | 'state_at'>

function messageOfSignOut(account: SignedOut): OutgoingMessage {
  const { id, team_id: teamId, platform, label, pool, state_reason, state_at } = account
  const event = 'account.signed_out'
  const data = { account_id: id, platform, label, pool, state_reason, state_at: state_at!.toISOString() }
  return {
    ...{ id: messageId([id, data.state_at, event].join('\n')), channel: 'webhooks', event, body: { event, data } },
    ...{ teamId, botId: null, orderingKey: id, isCompat: false },
  }
}
