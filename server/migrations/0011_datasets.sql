-- Datasets of a project, their immutable revisions, and what people wrote beside them.
create table datasets (
  id text primary key,
  project_id text not null references projects on delete cascade,
  slug text not null check (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$' and char_length(slug) <= 100),
  title text not null check (char_length(title) between 1 and 200),
  description text not null default '',
  tags text[] not null default '{}',
  visibility text not null default 'private' check (visibility in ('private', 'public')),
  licence text,
  citation text,
  card_markdown text,
  current_revision_id text,
  deletion_requested_at timestamptz,
  published_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (project_id, slug)
);

create table dataset_revisions (
  id text primary key,
  dataset_id text not null references datasets on delete cascade,
  number integer not null check (number >= 1),
  import_id text,
  source_kind text not null,
  source_uri text,
  hf_repo_id text,
  hf_revision text,
  digest text not null check (digest ~ '^[0-9a-f]{64}$'),
  read_model_digest text not null check (read_model_digest ~ '^[0-9a-f]{64}$'),
  summary jsonb not null,
  created_by text,
  created_at timestamptz not null default now(),
  unique (dataset_id, number)
);
comment on column dataset_revisions.digest is 'Of the canonical files: paths, sizes, contents.';
comment on column dataset_revisions.summary is 'The few facts that lists and searches show; everything else is in the read model.';
create index dataset_revisions_import on dataset_revisions (import_id);
alter table datasets add foreign key (current_revision_id) references dataset_revisions deferrable initially deferred;
