-- Tables that grow by episodes, files and jobs. By PostgreSQL's defaults a fifth of their rows may be dead before a vacuum looks, which is
-- twenty million of a hundred million.
alter table episode_identities set (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_insert_scale_factor = 0.02);
alter table blob_references set (autovacuum_vacuum_scale_factor = 0.02);
alter table blobs set (autovacuum_vacuum_scale_factor = 0.02);
alter table jobs set (autovacuum_vacuum_scale_factor = 0.02);
