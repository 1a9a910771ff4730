-- What the sources of a merged version began with: those revisions stay while the version does, as the source of any other does.
alter table versions add column merge_roots jsonb
  generated always as (jsonb_path_query_array(merge, '$.sources[*].root_revision_id')) stored;
comment on column versions.merge_roots is 'Ids of the revisions whose files the sources are made of. Null where there is one source.';
create index versions_by_merge_root on versions using gin (merge_roots) where merge_roots is not null;
