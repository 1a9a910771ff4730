-- Models that are pushed through the Hub door, as trainers do at their end: plain repositories of a project. Their names are their own,
-- `model:NAME`, so that a policy may be called like the dataset it was trained on.
alter table hub_pushes
  drop constraint hub_pushes_slug_check,
  add constraint hub_pushes_slug_check check (slug ~ '^(model:)?[a-z0-9]+(-[a-z0-9]+)*$' and char_length(slug) <= 106);

-- What a policy was trained on, by the train_config.json that lies beside its weights: it follows the file through commits and branches.
create table hub_model_sources (
  project_id text not null references projects on delete cascade,
  config_sha256 text not null check (config_sha256 ~ '^[0-9a-f]{64}$'),
  repo_id text not null check (char_length(repo_id) <= 300),
  revision text check (char_length(revision) <= 300),
  dataset text,
  commit_id text check (commit_id ~ '^[0-9a-f]{40}$'),
  created_at timestamptz not null default now(),
  primary key (project_id, config_sha256)
);
comment on column hub_model_sources.repo_id is 'As train_config.json has it.';
comment on column hub_model_sources.dataset is 'ORG/PROJECT.SLUG of the dataset or version here that whoever pushed may read under that name; null when there was none.';
comment on column hub_model_sources.commit_id is 'What the revision (without one: v3.0) stood at when the policy was pushed.';
