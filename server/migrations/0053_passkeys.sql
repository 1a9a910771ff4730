-- Passkeys (WebAuthn): a key of a device or a password manager, of which only the public half is here.
create table passkeys (
  id text primary key,
  user_id text not null references users (id) on delete cascade,
  credential_id text not null unique,
  public_key bytea not null,
  counter bigint not null,
  transports text[] not null,
  name text not null,
  created_at timestamptz not null default now(),
  last_used_at timestamptz
);
create index passkeys_of_user on passkeys (user_id, id);
comment on column passkeys.counter is 'What the authenticator counted last; one that does not go up was copied. Always 0 for those that do not count.';

create table spent_challenges (
  challenge_sha256 bytea primary key,
  expires_at timestamptz not null
);
comment on table spent_challenges is 'A challenge is signed by the program and stored nowhere until it was answered: then it is here, and refused.';
