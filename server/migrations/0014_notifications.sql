-- What people are told, the mails that say it, and the words by which processes hear of changes.

create table notifications (
  id text primary key,
  user_id text not null references users on delete cascade,
  kind text not null
    check (kind in ('transform_done', 'export_ready', 'team_invite', 'episode_flag', 'import_fail', 'weekly_digest')),
  org_id text references organizations on delete cascade,
  project_id text references projects on delete cascade,
  resource_kind text not null,
  resource_id text not null,
  title text not null check (char_length(title) between 1 and 300),
  path text not null check (path like '/%'),
  created_at timestamptz not null default now(),
  read_at timestamptz
);
create index notifications_user on notifications (user_id, id desc);
create index notifications_unread on notifications (user_id) where read_at is null;
create index notifications_age on notifications (created_at);

-- Mails to be sent. A row is written with the event and goes once the mail has left, and its words with it.
create table mails (
  id text primary key,
  to_email text not null,
  subject text not null,
  body text not null,
  bundle text,
  due_at timestamptz not null default now(),
  claimed_until timestamptz,
  attempt_count integer not null default 0,
  last_error text,
  failed_at timestamptz,
  created_at timestamptz not null default now()
);
comment on column mails.bundle is 'Mails to one person that wait together under one bundle become one mail.';
create index mails_due on mails (due_at) where failed_at is null;

create table digests_sent (
  user_id text not null references users on delete cascade,
  monday date not null,
  primary key (user_id, monday)
);

-- Live events: one short word per change, heard by every API process. Heartbeats are no change.
create function announce_job() returns trigger language plpgsql as $$
begin
  perform pg_notify('nmp_events', 'job ' || new.kind || ' ' || new.org_id || ' ' || new.id);
  return null;
end $$;
create trigger jobs_announce_insert after insert on jobs for each row
  when (new.kind in ('import', 'export', 'export_shard')) execute function announce_job();
create trigger jobs_announce_update after update on jobs for each row
  when (new.kind in ('import', 'export', 'export_shard') and (
    (old.state, old.progress_pct, old.progress_phase, old.progress_message, old.downloaded_bytes, old.total_bytes,
     old.cancel_requested_at, old.retry_after, old.claim_epoch, old.consistency_status)
    is distinct from
    (new.state, new.progress_pct, new.progress_phase, new.progress_message, new.downloaded_bytes, new.total_bytes,
     new.cancel_requested_at, new.retry_after, new.claim_epoch, new.consistency_status)))
  execute function announce_job();

create function announce_notification() returns trigger language plpgsql as $$
begin
  perform pg_notify('nmp_events', 'notification ' || new.user_id || ' ' || new.id);
  return null;
end $$;
create trigger notifications_announce after insert on notifications for each row execute function announce_notification();

-- For a client that comes back: what ended, or was found out about an ended job, since it left.
create index jobs_ended on jobs (org_id, greatest(finished_at, consistency_checked_at)) where finished_at is not null;

-- What the rolling check of stored results remembers per import; the job's own columns are its summary.
create table consistency_checks (
  job_id text primary key references jobs on delete cascade,
  content_checked_at timestamptz,
  error_count integer not null default 0,
  findings jsonb not null default '[]'
);
comment on column consistency_checks.error_count is 'Checks in a row that could not look; three make the status error.';
