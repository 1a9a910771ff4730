-- Derived dataset versions: a recipe on a pinned revision. Nothing of a version changes but its name and what was made of it.
create table versions (
  id text primary key,
  project_id text not null references projects on delete cascade,
  slug text not null check (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$' and char_length(slug) <= 100),
  version integer not null check (version >= 1),
  name text not null check (char_length(name) between 1 and 200),
  status text not null default 'materialization_required'
    check (status in ('materialization_required', 'materializing', 'materialized', 'failed')),

  dataset_kind text not null check (dataset_kind in ('catalog', 'project')),
  dataset_id text not null,
  revision_id text references dataset_revisions on delete set null,
  source_org_id text not null,
  source jsonb not null,

  recipe jsonb not null,
  recipe_digest text not null check (recipe_digest ~ '^[0-9a-f]{64}$'),
  selected_count integer not null,
  excluded_count integer not null,
  annotations jsonb,

  episode_count integer not null check (episode_count >= 1),
  frame_count bigint not null check (frame_count >= 1),
  provenance jsonb not null,
  checksums jsonb not null,
  created_by text references users on delete set null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (project_id, slug, version)
);
comment on column versions.revision_id is 'Null when the source was deleted: what is materialized stays, and nothing more can be made.';
create index versions_by_revision on versions (revision_id);
create index versions_by_dataset on versions (dataset_id);

-- The last number given out for a slug, so that a deleted version's number never names something else.
create table version_numbers (
  project_id text not null references projects on delete cascade,
  slug text not null,
  last_version integer not null,
  primary key (project_id, slug)
);

create table version_artifacts (
  version_id text not null references versions on delete cascade,
  key text not null check (key in ('manifest', 'lerobot')),
  status text not null check (status in ('planned', 'queued', 'running', 'ready', 'failed')),
  path text not null,
  job_id text,
  checksum_sha256 text check (checksum_sha256 ~ '^[0-9a-f]{64}$'),
  size_bytes bigint,
  error_message text,
  updated_at timestamptz not null default now(),
  primary key (version_id, key),
  check (status <> 'ready' or (checksum_sha256 is not null and size_bytes is not null))
);

-- An export shares its id with its job, which holds state, lease and progress.
create table exports (
  id text primary key references jobs on delete cascade,
  version_id text not null references versions on delete cascade,
  artifact_key text not null,
  requested_by text references users on delete set null,
  shard_count integer not null default 0,
  checksum_sha256 text,
  size_bytes bigint
);
create index exports_by_version on exports (version_id, id desc);

-- A part of an export: cameras of some episodes, encoded by any worker. Episodes are numbers of the source.
create table export_shards (
  id text primary key references jobs on delete cascade,
  export_id text not null references exports on delete cascade,
  position integer not null,
  episodes integer[] not null,
  frame_count bigint not null,
  unique (export_id, position)
);
