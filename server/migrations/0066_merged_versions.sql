-- A version of several sources: what each is, by which recipes and how it is mapped, pinned when the version is made. Null where there is one.
alter table versions add column merge jsonb;
alter table versions add column merge_parents text[];
comment on column versions.merge_parents is 'Versions that the sources lead through; they stay while this one does.';
create index versions_by_merge_parent on versions using gin (merge_parents) where merge_parents is not null;
