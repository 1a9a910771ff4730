-- A version may be derived from a version, published, copied, flagged and annotated, as a dataset may.

-- Every version carries the recipes between its own and the revision that all began with, so that it needs no row but its own:
-- a project that goes takes its versions along, and those of others that were derived from them stay what they are.
alter table versions drop constraint versions_dataset_kind_check;
alter table versions add check (dataset_kind in ('catalog', 'project', 'version'));
comment on column versions.revision_id is 'The revision that the first recipe begins with. Null when it was deleted: what is materialized stays, and nothing more can be made.';

create table version_ancestors (
  version_id text not null references versions on delete cascade,
  position integer not null check (position between 0 and 14),
  ancestor_id text not null,
  org_id text not null,
  slug text not null,
  version integer not null,
  dataset_id text not null,
  source_org_id text not null,
  recipe jsonb not null,
  recipe_digest text not null check (recipe_digest ~ '^[0-9a-f]{64}$'),
  annotations jsonb,
  primary key (version_id, position)
);
comment on table version_ancestors is 'What a version was derived from, the oldest first; none for a version of a dataset.';
comment on column version_ancestors.dataset_id is 'What the ancestor itself was derived from, in the organization source_org_id.';
create index version_ancestors_by_ancestor on version_ancestors (ancestor_id);

-- Publishing.
alter table versions
  add column description text not null default '',
  add column tags text[] not null default '{}',
  add column visibility text not null default 'private' check (visibility in ('private', 'public')),
  add column published_at timestamptz;

alter table catalog_entries
  drop constraint catalog_entries_pkey,
  alter column dataset_id drop not null,
  add column version_id text references versions on delete cascade,
  add column id text generated always as (coalesce(dataset_id, version_id)) stored primary key,
  add check (num_nonnulls(dataset_id, version_id) = 1);
create index catalog_entries_dataset on catalog_entries (dataset_id);
create index catalog_entries_version on catalog_entries (version_id);
drop index catalog_entries_newest, catalog_entries_robot, catalog_entries_size, catalog_entries_title,
  catalog_entries_seconds, catalog_entries_episodes, catalog_entries_bytes;
create index catalog_entries_newest on catalog_entries (published_at desc, id desc);
create index catalog_entries_robot on catalog_entries (robot_type, published_at desc, id desc);
create index catalog_entries_size on catalog_entries (size_class, published_at desc, id desc);
create index catalog_entries_title on catalog_entries (lower(title) collate "C", id);
create index catalog_entries_seconds on catalog_entries (total_seconds desc, id desc);
create index catalog_entries_episodes on catalog_entries (total_episodes desc, id desc);
create index catalog_entries_bytes on catalog_entries (size_bytes desc, id desc);

-- Copying into a project.
alter table imports drop constraint imports_source_kind_check;
alter table imports
  add check (source_kind in ('huggingface', 'hdf5', 'lerobot', 'version')),
  add column version_id text,
  add check ((source_kind = 'version') = (version_id is not null));

-- Flags and annotation sets.
alter table episode_flags
  drop constraint episode_flags_revision_id_episode_index_reason_start_frame__key,
  alter column revision_id drop not null,
  add column version_id text references versions on delete cascade,
  add column subject_id text generated always as (coalesce(revision_id, version_id)) stored,
  add check (num_nonnulls(revision_id, version_id) = 1),
  add unique nulls not distinct (subject_id, episode_index, reason, start_frame, end_frame);
create index episode_flags_revision on episode_flags (revision_id);
create index episode_flags_version on episode_flags (version_id);

alter table annotation_sets
  alter column revision_id drop not null,
  add column version_id text references versions on delete cascade,
  add column subject_id text generated always as (coalesce(revision_id, version_id)) stored,
  add check (num_nonnulls(revision_id, version_id) = 1);
drop index annotation_sets_name;
create unique index annotation_sets_name on annotation_sets (subject_id, name) where deleted_at is null;
create index annotation_sets_revision on annotation_sets (revision_id);
create index annotation_sets_version on annotation_sets (version_id);
