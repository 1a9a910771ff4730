-- What a dataset is called and said to be: by the card and the files of its source, unless a person said otherwise.
alter table datasets
  add column language text[] not null default '{}',
  add column work_name text,
  add column task_name text,
  add column robot_type text,
  add column embodiment text,
  add column robot_description_uri text,
  add column edited_fields text[] not null default '{}',
  add column readme_sha256 text check (readme_sha256 ~ '^[0-9a-f]{64}$');
comment on column datasets.edited_fields is 'What a person set. All else follows the revision that is shown.';
comment on column datasets.readme_sha256 is 'Of dataset_readmes: what the hub door and downloads hold as README.md. Null until something is written beside the dataset.';

-- Nobody wrote down who set what so far: whatever is there counts as a person''s, so that no card replaces it.
update datasets set edited_fields = array_remove(array[
  case when title <> slug then 'title' end,
  case when description <> '' then 'description' end,
  case when tags <> '{}' then 'tags' end,
  case when licence is not null then 'licence' end,
  case when citation is not null then 'citation' end,
  case when card_markdown is not null then 'card_markdown' end], null);
update datasets dataset set
  robot_type = revision.summary ->> 'robot_type',
  embodiment = revision.summary ->> 'robot_type',
  task_name = (
    select task from jsonb_array_elements_text(revision.summary -> 'tasks') with ordinality as listed (task, place)
    where task <> '' order by place limit 1)
from dataset_revisions revision where revision.id = dataset.current_revision_id;

alter table dataset_revisions add column card jsonb;
comment on column dataset_revisions.card is 'What README.md of its source says. Null: there is none, or it cannot be read; then the card of the revision before goes on.';

-- Every README.md that a dataset has had: a commit of the hub door is named by it and always gives the same bytes.
create table dataset_readmes (
  dataset_id text not null references datasets on delete cascade,
  sha256 text not null check (sha256 ~ '^[0-9a-f]{64}$'),
  content text not null,
  created_at timestamptz not null default now(),
  primary key (dataset_id, sha256)
);

-- Null: nobody gave one, so the card's counts.
alter table imports alter column title drop not null;
update imports set title = null where title = dataset_slug;

-- The card of the source at the time the version was made: what its exports hold as README.md.
alter table versions add column card jsonb;

alter table annotation_sets add column keys text[] not null default '{}';
comment on column annotation_sets.keys is 'What the newest version says of any episode: task, success, tags, note, segments.';
update annotation_sets annotations set keys = array_remove(array[
  case when jsonb_path_exists(newest.episodes, '$[*].task ? (@ != null)') then 'task' end,
  case when jsonb_path_exists(newest.episodes, '$[*].success ? (@ != null)') then 'success' end,
  case when jsonb_path_exists(newest.episodes, '$[*].tags[*]') then 'tags' end,
  case when jsonb_path_exists(newest.episodes, '$[*].note ? (@ != null)') then 'note' end,
  case when jsonb_path_exists(newest.episodes, '$[*].segments[*]') then 'segments' end], null)
from annotation_versions newest
where newest.set_id = annotations.id and newest.version = annotations.latest_version;
