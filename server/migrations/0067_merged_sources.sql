-- Versions of several sources are few, and are asked for by any of these.
create index versions_merged on versions (id) where merge is not null;
