-- Who is signed in where, as people see it in their settings, and the browsers that a person has signed in with before.
create table sessions (
  id text primary key,
  session_id text not null unique,
  user_id text not null references users (id) on delete cascade,
  kind text not null check (kind in ('browser', 'grant', 'foreign')),
  client_id text,
  browser_uid text,
  address text not null,
  user_agent text not null,
  created_at timestamptz not null default now(),
  last_seen_at timestamptz not null default now(),
  expires_at timestamptz
);
create index sessions_of_user on sessions (user_id, id);
comment on column sessions.session_id is 'What tokens carry as sid; for a browser that has only signed in, the uid of its sign-in.';
comment on column sessions.kind is 'browser and grant live as long as the row of the provider that they name; foreign (the operator, another issuer) until they expire.';
comment on column sessions.browser_uid is 'The sign-in of the browser that it ends with, for the console.';

create table known_devices (
  user_id text not null references users (id) on delete cascade,
  device_sha256 bytea not null,
  created_at timestamptz not null default now(),
  last_seen_at timestamptz not null default now(),
  primary key (user_id, device_sha256)
);
comment on table known_devices is 'Browsers by the hash of a cookie: a sign-in from any other is told to its person by mail.';
