-- Exports in other forms than LeRobot v3: keys of the registry of writers, the options they were asked for with, and what the form could not hold.
alter table version_artifacts drop constraint version_artifacts_key_check;
alter table version_artifacts add constraint version_artifacts_key_check check (key ~ '^[a-z0-9][a-z0-9.-]{0,39}$');
alter table exports add column options jsonb not null default '{}';
alter table exports add column report jsonb;
