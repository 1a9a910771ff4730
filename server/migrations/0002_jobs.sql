-- Leased work. Every noun that runs jobs extends this table by one of its own with the same id.
-- The checks and the trigger hold even when the program is wrong: a final state is final, an epoch only grows by a
-- claim, and what was canceled does not succeed.
create table jobs (
  id text primary key,
  org_id text not null references organizations on delete cascade,
  kind text not null,
  state text not null default 'queued',
  priority smallint not null default 0,

  claim_epoch bigint not null default 0,
  claimed_by text,
  claimed_at timestamptz,
  claim_expires_at timestamptz,
  last_heartbeat_at timestamptz,
  deadline_at timestamptz,
  attempt_count integer not null default 0,
  max_attempts integer not null default 3,
  retry_after timestamptz,
  cancel_requested_at timestamptz,

  progress_pct double precision,
  progress_phase text,
  progress_message text,
  downloaded_bytes bigint,
  total_bytes bigint,

  last_error text,
  error_code text,
  error_message text,
  result_digest text,
  result_epoch bigint,
  consistency_status text not null default 'unknown',
  consistency_checked_at timestamptz,
  consistency_error text,

  retry_of text references jobs (id) on delete set null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  started_at timestamptz,
  finished_at timestamptz,

  check (state in ('queued', 'running', 'succeeded', 'failed', 'canceled')),
  check ((state = 'running') = (claim_expires_at is not null)),
  check ((state = 'running') = (claimed_by is not null)),
  check ((state in ('succeeded', 'failed', 'canceled')) = (finished_at is not null)),
  check (attempt_count between 0 and max_attempts),
  check (state <> 'succeeded' or (result_digest is not null and result_epoch = claim_epoch)),
  check (state <> 'succeeded' or cancel_requested_at is null),
  check (state <> 'queued' or cancel_requested_at is null),
  check (state <> 'failed' or error_code is not null),
  check (progress_pct between 0 and 100),
  check (consistency_status in ('unknown', 'ok', 'missing_artifact', 'checksum_mismatch', 'orphaned', 'error'))
) with (fillfactor = 80);

create index jobs_queued on jobs (priority, coalesce(retry_after, created_at), id) where state = 'queued';
-- Few jobs run at a time, so the sweep reads them all; an index on the expiry would make every heartbeat touch it.
create index jobs_running on jobs (org_id) where state = 'running';

create function refuse_job_change() returns trigger language plpgsql as $$
begin
  raise exception 'job % (% at epoch %) cannot become % at epoch %',
    old.id, old.state, old.claim_epoch, new.state, new.claim_epoch
    using errcode = 'check_violation', constraint = 'jobs_protocol';
end $$;

create trigger jobs_protocol before update on jobs for each row
  when (
    (old.state in ('succeeded', 'failed', 'canceled') and new.state <> old.state)
    or new.claim_epoch <> old.claim_epoch + (case when old.state = 'queued' and new.state = 'running' then 1 else 0 end)
    or (old.cancel_requested_at is not null and new.cancel_requested_at is null)
    or (old.state = 'succeeded' and (new.result_digest, new.result_epoch) is distinct from (old.result_digest, old.result_epoch))
  )
  execute function refuse_job_change();
