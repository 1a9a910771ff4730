-- Pushes through the Hub door: trees that clients build by commits, until they are whole and become imports.
create table hub_pushes (
  id text primary key,
  org_id text not null references organizations on delete cascade,
  project_id text not null references projects on delete cascade,
  slug text not null check (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$' and char_length(slug) <= 100),
  state text not null default 'open' check (state in ('open', 'imported', 'expired')),
  head text check (head ~ '^[0-9a-f]{40}$'),
  codebase_tag text,
  import_id text,
  created_by text references users on delete set null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  check (state <> 'imported' or import_id is not null)
);
comment on column hub_pushes.head is 'The name of the tree: equal trees have equal names. Null until the first commit.';
create unique index hub_pushes_open on hub_pushes (project_id, slug) where state = 'open';
create index hub_pushes_by_slug on hub_pushes (project_id, slug, created_at desc);

create table hub_push_files (
  push_id text not null references hub_pushes on delete cascade,
  path text not null check (octet_length(path) between 1 and 1000),
  sha256 text not null check (sha256 ~ '^[0-9a-f]{64}$'),
  size_bytes bigint not null check (size_bytes >= 0),
  primary key (push_id, path)
);
