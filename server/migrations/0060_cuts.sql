-- Which frames a recipe over time keeps, found once, when the version is made: what a rule finds never changes afterwards.
alter table versions add column cuts jsonb;
alter table version_ancestors add column cuts jsonb;
