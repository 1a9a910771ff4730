-- Mails that somebody caused to somebody else within the last hour: they are counted by sender, organization and receiver, for all
-- processes together.
create table caused_mails (
  id bigint generated always as identity primary key,
  sender_id text references users (id) on delete cascade,
  org_id text references organizations (id) on delete cascade,
  receiver_sha256 bytea not null,
  created_at timestamptz not null default now()
);
create index caused_mails_by_sender on caused_mails (sender_id, created_at);
create index caused_mails_by_org on caused_mails (org_id, created_at);
create index caused_mails_by_receiver on caused_mails (receiver_sha256, created_at);
create index caused_mails_by_time on caused_mails (created_at);
comment on column caused_mails.sender_id is 'Null: somebody who is not signed in asked for it, as for a new password.';
