-- Names that datasets and repositories had before they were renamed: links, scripts and pushes that use them go on, until something else
-- takes the name.
create table former_names (
  project_id text not null references projects on delete cascade,
  slug text not null,
  present text not null check (present <> slug),
  created_at timestamptz not null default now(),
  primary key (project_id, slug)
);
create index former_names_by_present on former_names (project_id, present);
comment on column former_names.present is 'The slug by which it goes now.';
