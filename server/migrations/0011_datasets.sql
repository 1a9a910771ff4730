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
create index datasets_deletion on datasets (deletion_requested_at) where deletion_requested_at is not null;

-- One row for each dataset that everybody may see, made from the two tables above whenever they change: what browsing searches.
create table catalog_entries (
  dataset_id text primary key references datasets on delete cascade,
  published_at timestamptz not null,
  robot_type text,
  tags text[] not null,
  tasks text[] not null,
  size_class text not null check (size_class in ('under-100', '100-to-1k', '1k-to-10k', 'over-10k')),
  words tsvector not null
);
comment on column catalog_entries.size_class is 'By number of episodes.';
create index catalog_entries_newest on catalog_entries (published_at desc, dataset_id desc);
create index catalog_entries_words on catalog_entries using gin (words);
create index catalog_entries_tags on catalog_entries using gin (tags);
create index catalog_entries_tasks on catalog_entries using gin (tasks);
create index catalog_entries_robot on catalog_entries (robot_type, published_at desc, dataset_id desc);
create index catalog_entries_size on catalog_entries (size_class, published_at desc, dataset_id desc);
