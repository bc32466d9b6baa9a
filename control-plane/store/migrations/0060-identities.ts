import { type Kysely, sql } from 'kysely'

/**
 * Accounts of an OpenID provider that sign people in. A person is recognized by an e-mail address only where an owner or
 * the operator gave it: one that a member or a viewer wrote about themselves proves nothing. Of the addresses that were
 * there before, those of owners count; owners confirm the others on the page "Team".
 */
const TABLES = `
alter table people add column email_confirmed boolean not null default false;
update people set email_confirmed = true where role = 'owner' and email is not null;

create table person_identities (
  issuer text not null,
  subject text not null,
  person_id uuid not null references people,
  created_at timestamptz not null default now(),
  seen_at timestamptz not null default now(),
  primary key (issuer, subject),
  unique (person_id, issuer)
);
`

export async function up(database: Kysely<unknown>): Promise<void> {
  await sql.raw(TABLES).execute(database)
}
