-- Models of robots, per project: a URDF or a zip of one with its meshes, kept as it came and read by browsers alone.
create table robots (
  id text primary key,
  project_id text not null references projects on delete cascade,
  name text not null check (char_length(name) between 1 and 100),
  file_name text not null check (char_length(file_name) between 1 and 255),
  kind text not null check (kind in ('urdf', 'zip')),
  size_bytes bigint not null,
  sha256 text not null,
  created_by text references users on delete set null,
  created_at timestamptz not null default now(),
  unique (project_id, name)
);
create index robots_person on robots (created_by);

-- Whatever removes a model (a person, its project, its organization), its content is given up with it.
create function drop_robot_content() returns trigger language plpgsql as $$
begin
  update blobs set last_referenced_at = now()
    where sha256 in (select sha256 from blob_references where owner_kind = 'robot' and owner_id = old.id);
  delete from blob_references where owner_kind = 'robot' and owner_id = old.id;
  return null;
end $$;
create trigger robots_drop_content after delete on robots for each row execute function drop_robot_content();

-- Which model acts in a dataset or version, and which number of its state turns which joint.
create table dataset_robots (
  dataset_id text primary key,
  robot_id text not null references robots on delete cascade,
  joints jsonb not null,
  changed_by text references users on delete set null,
  updated_at timestamptz not null default now()
);
comment on column dataset_robots.dataset_id is 'Of a dataset or a version, and goes with it.';
create index dataset_robots_robot on dataset_robots (robot_id);
create index dataset_robots_person on dataset_robots (changed_by);

create function drop_dataset_robot() returns trigger language plpgsql as $$
begin
  delete from dataset_robots where dataset_id = old.id;
  return null;
end $$;
create trigger datasets_drop_robot after delete on datasets for each row execute function drop_dataset_robot();
create trigger versions_drop_robot after delete on versions for each row execute function drop_dataset_robot();
