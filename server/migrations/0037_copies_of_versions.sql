-- A copy of a version is an import whose files the version's export makes; it waits for them where they are not made yet.
alter table imports add column copied_from jsonb;
comment on column imports.version_id is 'What was copied. It may be gone since; copied_from says what it was.';
comment on column imports.copied_from is 'The version, its source and its recipes as they were when the copy was asked for.';
create index imports_by_version on imports (version_id) where version_id is not null;
