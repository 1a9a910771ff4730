-- Which episodes a recipe's `where.checks` keeps, found once, when the version is made, with the results it went by.
alter table versions add column checks jsonb;
alter table version_ancestors add column checks jsonb;
