-- What people say about episodes. It stays with the revision it was said of.

create table episode_flags (
  id text primary key,
  revision_id text not null references dataset_revisions on delete cascade,
  episode_index integer not null check (episode_index >= 0),
  reason text not null check (char_length(reason) between 1 and 40),
  note text not null default '' check (char_length(note) <= 2000),
  start_frame integer check (start_frame >= 0),
  end_frame integer,
  created_by text references users on delete set null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  check ((start_frame is null) = (end_frame is null) and end_frame > start_frame),
  unique nulls not distinct (revision_id, episode_index, reason, start_frame, end_frame)
);
comment on column episode_flags.end_frame is 'Exclusive. Both null: the whole episode.';
create index episode_flags_creator on episode_flags (created_by);

create table annotation_sets (
  id text primary key,
  revision_id text not null references dataset_revisions on delete cascade,
  name text not null check (char_length(name) between 1 and 100),
  latest_version integer not null default 1 check (latest_version >= 1),
  deleted_at timestamptz,
  created_by text references users on delete set null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
comment on column annotation_sets.deleted_at is 'Out of every list; recipes that name one of its versions go on.';
create unique index annotation_sets_name on annotation_sets (revision_id, name) where deleted_at is null;
create index annotation_sets_creator on annotation_sets (created_by);

create table annotation_versions (
  set_id text not null references annotation_sets on delete cascade,
  version integer not null check (version >= 1),
  message text not null default '' check (char_length(message) <= 500),
  episodes jsonb not null,
  episode_count integer not null check (episode_count >= 0),
  created_by text references users on delete set null,
  created_at timestamptz not null default now(),
  primary key (set_id, version)
);
comment on table annotation_versions is 'Never changed: an edit is a new version.';
create index annotation_versions_creator on annotation_versions (created_by);
