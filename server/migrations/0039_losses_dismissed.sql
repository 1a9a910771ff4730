-- What an import lost is shown on its dataset until somebody says that it was seen; a new revision is marked anew.
alter table datasets add column losses_dismissed_revision_id text;
comment on column datasets.losses_dismissed_revision_id is 'The revision whose losses were dismissed; of another one they are shown.';
