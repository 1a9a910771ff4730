-- Imports: what was asked for and what came of it. The row shares its id with its job, which holds state, lease and progress.
create table imports (
  -- Deferred, so that the row that decides about an idempotency key is written before there is a job.
  id text primary key references jobs on delete cascade deferrable initially deferred,
  project_id text not null references projects on delete cascade,
  dataset_slug text not null check (dataset_slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$' and char_length(dataset_slug) <= 100),
  title text not null check (char_length(title) between 1 and 200),
  source_kind text not null check (source_kind in ('huggingface', 'hdf5', 'lerobot')),
  source_uri text,
  hf_repo_id text,
  hf_revision text,
  hf_commit text,
  hf_token bytea,
  upload_ids text[] not null default '{}',
  options jsonb not null default '{}',
  idempotency_key text check (char_length(idempotency_key) between 1 and 200),
  fingerprint text not null check (fingerprint ~ '^[0-9a-f]{64}$'),
  created_by text references users on delete set null,

  source_digest text check (source_digest ~ '^[0-9a-f]{64}$'),
  dataset_id text,
  revision_id text,
  has_report boolean not null default false,
  has_raw boolean not null default false,
  hdf5 jsonb,
  preview_assets jsonb not null default '[]',
  unique (project_id, idempotency_key)
);
comment on column imports.hf_commit is 'The commit that hf_revision was pinned to by the first attempt; later attempts read the same.';
comment on column imports.hf_token is 'Encrypted for this row; gone when the job is final.';
comment on column imports.source_digest is 'Of the source files, the options and the converter: equal ones give equal results.';
create index imports_by_project on imports (project_id, id desc);
create index imports_by_source on imports (source_digest) where revision_id is not null;

-- Files that an attempt has fetched, so that the next one does not fetch them again.
create table import_files (
  import_id text not null references imports on delete cascade,
  path text not null check (octet_length(path) between 1 and 1024),
  sha256 text not null check (sha256 ~ '^[0-9a-f]{64}$'),
  size_bytes bigint not null check (size_bytes >= 0),
  store_key text not null,
  primary key (import_id, path)
);
