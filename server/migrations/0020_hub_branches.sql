-- A branch other than main is a dataset of its own: what is pushed there never moves what main shows.
alter table hub_pushes
  add column branch text check (char_length(branch) between 1 and 100),
  add column branch_of text,
  add constraint hub_pushes_branch check ((branch is null) = (branch_of is null));
comment on column hub_pushes.branch_of is 'The slug that the branch belongs to; the push itself goes to its own slug.';
create index hub_pushes_by_branch on hub_pushes (project_id, branch_of, branch) where branch_of is not null;
