/**
 * People of the dashboard with their accounts, and users of the conferencing platform. Links and sessions are kept as the
 * SHA-256 of their token. The secrets of a connection are sealed and go when it is deleted.
 */
export const PEOPLE = `
create table people (
  id uuid primary key default gen_random_uuid(),
  team_id uuid not null references teams,
  name text not null,
  email text,
  role text not null check (role in ('owner', 'member', 'viewer')),
  password text,
  email_confirmed boolean not null default false,
  created_at timestamptz not null default now(),
  disabled_at timestamptz
);
-- One e-mail address, and one account that signs in, may belong to a person of each team.
create unique index people_by_email on people (lower(email), team_id) where disabled_at is null and email is not null;
create index people_of_team on people (team_id, created_at);

create table sign_in_links (
  hash bytea primary key,
  person_id uuid not null references people,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  used_at timestamptz,
  sign_in uuid,
  is_invitation boolean not null default false
);
create index sign_in_links_of_person on sign_in_links (person_id);
create index sign_in_links_by_age on sign_in_links (expires_at);

create table sessions (
  hash bytea primary key,
  person_id uuid not null references people,
  created_at timestamptz not null default now(),
  seen_at timestamptz not null default now(),
  expires_at timestamptz not null,
  consent_state bytea,
  sign_in uuid
);
create index sessions_of_person on sessions (person_id);
create index sessions_by_age on sessions (expires_at);

-- The people whom one sign-in proved, one of each team. Its session may change between them.
create table sign_in_people (
  sign_in uuid not null,
  person_id uuid not null references people on delete cascade,
  created_at timestamptz not null default now(),
  primary key (sign_in, person_id)
);
create index sign_in_people_of_person on sign_in_people (person_id);

create table person_identities (
  issuer text not null,
  subject text not null,
  person_id uuid not null references people,
  created_at timestamptz not null default now(),
  seen_at timestamptz not null default now(),
  primary key (issuer, subject, person_id),
  unique (person_id, issuer)
);

create table connections (
  id uuid primary key,
  team_id uuid not null references teams,
  name text not null,
  type text not null check (type in ('app', 'user')),
  client_id text not null,
  client_secret bytea,
  user_id text,
  account_id text,
  email text,
  display_name text,
  scopes jsonb not null default '[]',
  state text not null default 'active' check (state in ('active', 'invalid')),
  last_error_message text,
  last_error_at timestamptz,
  extra jsonb,
  refresh_token bytea,
  access_token bytea,
  access_token_until timestamptz,
  tokens_version int not null default 0,
  refresh_lease_owner uuid,
  refresh_lease_until timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz,
  platform text not null default 'zoom' check (platform in ('zoom', 'teams')),
  tenant_id text,
  check ((platform = 'teams') = (tenant_id is not null)),
  check (platform = 'zoom' or type = 'app'),
  check (deleted_at is null or (client_secret is null and refresh_token is null and access_token is null)),
  check (deleted_at is not null or client_secret is not null),
  check (type = 'app' or user_id is not null)
);
create index connections_of_team on connections (team_id, created_at, id) where deleted_at is null;
create index connections_of_user on connections (team_id, user_id) where deleted_at is null and user_id is not null;
`
