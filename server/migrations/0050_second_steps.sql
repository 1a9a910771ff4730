-- A second proof of a person at the sign-in: codes of an app (TOTP), and recovery codes for when it is lost.
create table totp_secrets (
  user_id text primary key references users (id) on delete cascade,
  secret_sealed text not null,
  last_step bigint not null,
  created_at timestamptz not null default now()
);
comment on column totp_secrets.last_step is 'The half minute of the code used last: that code and older ones are refused.';

create table recovery_codes (
  user_id text not null references users (id) on delete cascade,
  code_sha256 bytea not null,
  primary key (user_id, code_sha256)
);

alter table one_time_codes drop constraint one_time_codes_purpose_check;
alter table one_time_codes add constraint one_time_codes_purpose_check
  check (purpose in ('sign_in', 'password_reset', 'second_step'));
