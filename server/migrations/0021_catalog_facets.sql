-- What the catalog sorts by and narrows down to: shown beside each entry, so kept with it.
alter table catalog_entries
  add column title text,
  add column total_seconds double precision,
  add column total_episodes bigint,
  add column size_bytes bigint,
  add column camera_count integer,
  add column source_kind text;
update catalog_entries entry set
  title = dataset.title,
  total_seconds = (revision.summary ->> 'total_seconds')::double precision,
  total_episodes = (revision.summary ->> 'total_episodes')::bigint,
  size_bytes = (revision.summary ->> 'size_bytes')::bigint,
  camera_count = jsonb_array_length(revision.summary -> 'camera_keys'),
  source_kind = revision.source_kind
from datasets dataset join dataset_revisions revision on revision.id = dataset.current_revision_id
where dataset.id = entry.dataset_id;
alter table catalog_entries
  alter column title set not null,
  alter column total_seconds set not null,
  alter column total_episodes set not null,
  alter column size_bytes set not null,
  alter column camera_count set not null,
  alter column source_kind set not null;
create index catalog_entries_title on catalog_entries (lower(title) collate "C", dataset_id);
create index catalog_entries_seconds on catalog_entries (total_seconds desc, dataset_id desc);
create index catalog_entries_episodes on catalog_entries (total_episodes desc, dataset_id desc);
create index catalog_entries_bytes on catalog_entries (size_bytes desc, dataset_id desc);
