-- How the arm went through each episode, in few numbers: near-duplicates in other datasets of the project are found by it.
create table episode_paths (
  revision_id text not null references dataset_revisions on delete cascade,
  first_place integer not null check (first_place >= 0),
  role text not null check (role in ('state', 'action')),
  width integer not null check (width > 0),
  dimensions integer[] not null,
  scales double precision[] not null,
  episodes integer[] not null,
  lengths integer[] not null,
  points bytea not null,
  primary key (revision_id, first_place)
);
comment on table episode_paths is 'A thousand episodes a row, counted from first_place; points are 32-bit floats, episode by episode.';
