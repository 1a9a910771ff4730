-- Runs that take the fingerprints of what has none: revisions of before they were taken at import, and versions whose recipe changes rows.
create table fingerprint_runs (
  job_id text primary key references jobs on delete cascade,
  subject_id text not null,
  dataset_id text not null,
  created_at timestamptz not null default now()
);
create index fingerprint_runs_subject on fingerprint_runs (subject_id, created_at desc);
comment on column fingerprint_runs.subject_id is 'The revision, the version, or the export whose files are read.';
comment on column fingerprint_runs.dataset_id is 'The dataset or version that it is read by.';
