-- What the rules found in a revision or a version: numbers and pictures apart, since pictures take a job of their own.
create table check_results (
  revision_id text references dataset_revisions on delete cascade,
  version_id text references versions on delete cascade,
  subject_id text generated always as (coalesce(revision_id, version_id)) stored,
  part text not null check (part in ('signals', 'pictures')),
  state text not null check (state in ('queued', 'running', 'succeeded', 'failed', 'canceled', 'skipped')),
  job_id text,
  message text not null default '' check (char_length(message) <= 2000),
  episode_count integer check (episode_count >= 0),
  rule_set_version integer,
  report bytea,
  updated_at timestamptz not null default now(),
  check (num_nonnulls(revision_id, version_id) = 1),
  unique (subject_id, part)
);
create index check_results_revision on check_results (revision_id);
create index check_results_version on check_results (version_id);
create index check_results_job on check_results (job_id);
comment on column check_results.job_id is 'The run that fills it, or filled it last; null: the import did.';
comment on column check_results.report is 'Packed JSON of the newest run that came to its end: it stays while another one runs, and when that fails.';

create table check_settings (
  dataset_id text references datasets on delete cascade,
  version_id text references versions on delete cascade,
  owner_id text generated always as (coalesce(dataset_id, version_id)) stored unique,
  cut_offs jsonb not null default '{}',
  pictures text not null default 'auto' check (pictures in ('auto', 'always', 'never')),
  updated_at timestamptz not null default now(),
  check (num_nonnulls(dataset_id, version_id) = 1)
);
create index check_settings_dataset on check_settings (dataset_id);
create index check_settings_version on check_settings (version_id);

-- What was measured in the pictures of an episode. A run that was ended goes on after it, and a later revision with the same episode
-- does not decode it again.
create table seen_pictures (
  dataset_id text references datasets on delete cascade,
  version_id text references versions on delete cascade,
  owner_id text generated always as (coalesce(dataset_id, version_id)) stored,
  episode_sha256 bytea not null,
  rule_set_version integer not null,
  traces bytea not null,
  check (num_nonnulls(dataset_id, version_id) = 1),
  unique (owner_id, episode_sha256, rule_set_version)
);
create index seen_pictures_dataset on seen_pictures (dataset_id);
create index seen_pictures_version on seen_pictures (version_id);

-- What an episode is, whatever its number and task: for finding it in other revisions and in other datasets of the project.
create table episode_identities (
  revision_id text not null references dataset_revisions on delete cascade,
  episode_index integer not null check (episode_index >= 0),
  content_sha256 bytea not null,
  numbers_sha256 bytea,
  primary key (revision_id, episode_index)
);
create index episode_identities_numbers on episode_identities (numbers_sha256);
comment on column episode_identities.content_sha256 is 'Of its length and the statistics of every feature and camera.';
comment on column episode_identities.numbers_sha256 is 'Of its length and the statistics of state and action; null where it has neither.';
