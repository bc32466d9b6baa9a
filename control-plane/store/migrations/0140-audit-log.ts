/** Who changed what of a team. Rows are only added; those older than 30 days may be deleted. */
import { type Kysely, sql } from 'kysely'

const STATEMENTS = [
  `create table audit_log (
    id uuid primary key default gen_random_uuid(),
    team_id uuid not null,
    at timestamptz not null default clock_timestamp(),
    actor_kind text not null check (actor_kind in ('person', 'key', 'operator', 'system')),
    actor_id uuid,
    address text,
    action text not null,
    target text,
    details jsonb
  )`,
  'create index audit_log_of_team on audit_log (team_id, at desc, id desc)',
  'create index audit_log_by_age on audit_log (at)',
  `create function refuse_change_of_audit_log() returns trigger language plpgsql as $$
    begin
      if tg_op = 'DELETE' then
        if old.at < now() - interval '30 days' then return old; end if;
      end if;
      raise exception 'The audit log cannot be changed';
    end $$`,
  `create trigger audit_log_is_kept before update or delete on audit_log
    for each row execute function refuse_change_of_audit_log()`,
  `create trigger audit_log_is_not_emptied before truncate on audit_log
    for each statement execute function refuse_change_of_audit_log()`,
]

export async function up(database: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(database)
}
