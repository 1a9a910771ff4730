-- Who there is, what they belong to, what they may do, and what they did.

create table program_settings (
  name text primary key,
  value jsonb not null
);
comment on table program_settings is 'What all processes share: signing keys, cookie keys, the recorded public URL.';

create table users (
  id text primary key,
  email text not null check (email = lower(email) and char_length(email) between 3 and 320),
  display_name text not null default '',
  title text not null default '',
  timezone text not null default 'UTC',
  default_project_id text,
  notification_preferences jsonb not null default '{}',
  sessions_valid_after timestamptz not null default '-infinity',
  deletion_requested_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create unique index users_email on users (email);

create table identities (
  issuer text not null,
  subject text not null,
  user_id text not null references users on delete cascade,
  primary key (issuer, subject)
);
create index identities_user on identities (user_id);

create table local_accounts (
  user_id text primary key references users on delete cascade,
  password_hash text,
  updated_at timestamptz not null default now()
);

create table one_time_codes (
  code_sha256 bytea primary key,
  purpose text not null check (purpose in ('sign_in', 'password_reset')),
  user_id text not null references users on delete cascade,
  expires_at timestamptz not null
);

create table oidc_payloads (
  model text not null,
  id text not null,
  payload jsonb not null,
  grant_id text,
  user_code text,
  uid text,
  expires_at timestamptz,
  primary key (model, id)
);
create index oidc_payloads_grant on oidc_payloads (grant_id) where grant_id is not null;
create index oidc_payloads_user_code on oidc_payloads (user_code) where user_code is not null;
create index oidc_payloads_uid on oidc_payloads (uid) where uid is not null;
create index oidc_payloads_expiry on oidc_payloads (expires_at);

create table revoked_sessions (
  session_id text primary key,
  expires_at timestamptz not null
);

create table access_tokens (
  id text primary key,
  user_id text not null references users on delete cascade,
  name text not null check (char_length(name) between 1 and 100),
  secret_sha256 bytea not null unique check (octet_length(secret_sha256) = 32),
  prefix text not null,
  suffix text not null,
  scopes text[] not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  last_used_at timestamptz,
  revoked_at timestamptz
);
create index access_tokens_user on access_tokens (user_id, created_at desc, id desc);

create table organizations (
  id text primary key,
  slug text not null unique check (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$' and char_length(slug) <= 100),
  name text not null,
  deletion_requested_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

create table org_members (
  org_id text not null references organizations on delete cascade,
  user_id text not null references users on delete cascade,
  role text not null check (role in ('admin', 'member')),
  created_at timestamptz not null default now(),
  primary key (org_id, user_id)
);
create index org_members_user on org_members (user_id);

create table projects (
  id text primary key,
  org_id text not null references organizations on delete cascade,
  slug text not null check (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$' and char_length(slug) <= 100),
  name text not null,
  status text not null default 'active' check (status in ('active', 'archived')),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (org_id, slug)
);
alter table users add foreign key (default_project_id) references projects on delete set null;

create table project_members (
  project_id text not null references projects on delete cascade,
  user_id text not null references users on delete cascade,
  role text not null check (role in ('admin', 'editor', 'viewer')),
  created_at timestamptz not null default now(),
  primary key (project_id, user_id)
);
create index project_members_user on project_members (user_id);

create table project_visits (
  project_id text not null references projects on delete cascade,
  user_id text not null references users on delete cascade,
  last_opened_at timestamptz not null default now(),
  primary key (project_id, user_id)
);

create table invites (
  id text primary key,
  org_id text not null references organizations on delete cascade,
  email text not null check (email = lower(email)),
  org_role text not null check (org_role in ('admin', 'member')),
  project_id text references projects on delete cascade,
  project_role text check (project_role in ('admin', 'editor', 'viewer')),
  secret_sha256 bytea not null unique,
  invited_by text references users on delete set null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  accepted_at timestamptz,
  revoked_at timestamptz,
  check ((project_id is null) = (project_role is null))
);
create index invites_org on invites (org_id, created_at desc, id desc);

-- No foreign keys: what was done stays on record when the thing or the person is gone.
create table audit_events (
  id bigint generated always as identity primary key,
  at timestamptz not null default now(),
  org_id text,
  actor_kind text not null check (actor_kind in ('session', 'token', 'operator', 'program')),
  actor_user_id text,
  token_id text,
  action text not null,
  resource_kind text not null,
  resource_id text not null,
  detail jsonb not null default '{}',
  request_id text
);
create index audit_events_org on audit_events (org_id, id desc);

create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only', tg_table_name;
end $$;
create trigger audit_events_append_only before update or delete on audit_events
  for each row execute function refuse_change();
create trigger audit_events_never_emptied before truncate on audit_events
  for each statement execute function refuse_change();
