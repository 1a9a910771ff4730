-- A recipe in the making: one per person and dataset, so that every browser of the person shows it, and others by its link.
create table recipe_drafts (
  id text primary key,
  user_id text not null references users on delete cascade,
  dataset_id text not null,
  revision integer not null default 1 check (revision >= 1),
  slug text not null default '' check (char_length(slug) <= 100),
  name text not null default '' check (char_length(name) <= 200),
  recipe jsonb not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  unique (user_id, dataset_id)
);
comment on column recipe_drafts.dataset_id is 'Of a dataset or a version. What is gone cannot be read, and its drafts go with their people.';
comment on column recipe_drafts.revision is 'Counts the changes: who changes an older one is told, and overwrites nothing.';
