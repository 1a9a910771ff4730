-- Commits of a push: each state of its tree has a name, a message and its own files. Heads move by commits, imports follow heads.
alter table hub_pushes rename column codebase_tag to codebase_version;
alter table hub_pushes
  drop constraint hub_pushes_state_check,
  add constraint hub_pushes_state_check check (state in ('open', 'imported', 'kept', 'expired')),
  add column base_id text check (base_id ~ '^[0-9a-f]{40}$'),
  add column head_number integer not null default 0,
  add column whole_number integer,
  add column judged_number integer,
  add column lacks text,
  add column transfer_at timestamptz;
comment on column hub_pushes.state is
  'open: commits are added. imported: its head became an import. kept: nobody goes on with it; its head stays. expired: nothing of it is shown.';
comment on column hub_pushes.head is 'The newest commit; null until there is one.';
comment on column hub_pushes.codebase_version is 'As meta/info.json of the head says; null when there is none, or none that can be read.';
comment on column hub_pushes.base_id is 'The commit whose tree the push starts from; that tree is number 0.';
comment on column hub_pushes.whole_number is 'The newest commit that has every file: tagged, or looked at after it was quiet.';
comment on column hub_pushes.judged_number is 'The newest commit whose tree was looked at; `lacks` is the file it did not have.';
comment on column hub_pushes.transfer_at is 'When large files were last announced or came that no commit has named so far.';
comment on column hub_pushes.updated_at is 'When the client last sent something.';
create index hub_pushes_import on hub_pushes (import_id) where import_id is not null;
create index hub_pushes_open_by_org on hub_pushes (org_id, updated_at) where state = 'open';

create table hub_commits (
  push_id text not null references hub_pushes on delete cascade,
  number integer not null check (number >= 1),
  id text not null check (id ~ '^[0-9a-f]{40}$'),
  parent_id text check (parent_id ~ '^[0-9a-f]{40}$'),
  title text not null,
  message text not null,
  author_id text references users on delete set null,
  created_at timestamptz not null default now(),
  primary key (push_id, number)
);
create index hub_commits_by_id on hub_commits (id);
comment on column hub_commits.id is 'From the parent, what is changed, the words and the time.';

-- A row is a file from one commit of its push (`added`) up to, and not with, another (`removed`).
alter table hub_push_files
  drop constraint hub_push_files_pkey,
  add column added integer not null default 0,
  add column removed integer check (removed > added),
  add primary key (push_id, path, added);

-- What was pushed before had one tree and no words.
insert into hub_commits (push_id, number, id, title, message, author_id, created_at)
  select id, 1, head, 'Push', '', created_by, updated_at from hub_pushes where head is not null;
update hub_pushes set head_number = 1, whole_number = case when state = 'imported' then 1 end where head is not null;

-- Names that people give to commits, beside those that follow from the content.
create table hub_tags (
  project_id text not null references projects on delete cascade,
  slug text not null,
  name text not null check (char_length(name) between 1 and 100),
  commit_id text not null check (commit_id ~ '^[0-9a-f]{40}$'),
  message text not null default '',
  created_by text references users on delete set null,
  created_at timestamptz not null default now(),
  primary key (project_id, slug, name)
);
