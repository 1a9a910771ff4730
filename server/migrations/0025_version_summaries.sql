-- What lists show of a version, as of a revision; null in those made before it was kept.
alter table versions add column summary jsonb;
