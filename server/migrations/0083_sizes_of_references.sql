-- What an organization stores is read from one stretch of an index; it was read from all contents of the platform. Programs that are
-- older, which run on while APIs are replaced one by one, leave the size out: it is then looked up.
alter table blob_references add column size_bytes bigint check (size_bytes >= 0);
update blob_references set size_bytes = blobs.size_bytes from blobs where blobs.sha256 = blob_references.sha256;
drop index blob_references_org;
create index blob_references_org on blob_references (org_id, sha256) include (size_bytes) where org_id is not null;
