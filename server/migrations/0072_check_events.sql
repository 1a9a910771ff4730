-- Runs of the checks are announced like imports and exports.

drop trigger jobs_announce_insert on jobs;
drop trigger jobs_announce_update on jobs;
create trigger jobs_announce_insert after insert on jobs for each row
  when (new.kind in ('import', 'export', 'export_shard', 'check')) execute function announce_job();
create trigger jobs_announce_update after update on jobs for each row
  when (new.kind in ('import', 'export', 'export_shard', 'check') and (
    (old.state, old.progress_pct, old.progress_phase, old.progress_message, old.downloaded_bytes, old.total_bytes,
     old.cancel_requested_at, old.retry_after, old.claim_epoch, old.consistency_status)
    is distinct from
    (new.state, new.progress_pct, new.progress_phase, new.progress_message, new.downloaded_bytes, new.total_bytes,
     new.cancel_requested_at, new.retry_after, new.claim_epoch, new.consistency_status)))
  execute function announce_job();
