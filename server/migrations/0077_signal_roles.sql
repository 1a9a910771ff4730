-- Which columns of a dataset are its state and its action, where people say so, and the job that measures it by them.
create table dataset_signals (
  dataset_id text primary key references datasets on delete cascade,
  state_column text check (char_length(state_column) between 1 and 1000),
  action_column text check (char_length(action_column) between 1 and 1000),
  job_id text,
  changed_by text references users on delete set null,
  updated_at timestamptz not null default now()
);
comment on column dataset_signals.state_column is 'Null: found by name, as is the action.';
comment on column dataset_signals.job_id is 'The last one that was queued; what is measured by it is a revision of its own.';
create index dataset_signals_job on dataset_signals (job_id);
create index dataset_signals_person on dataset_signals (changed_by);
