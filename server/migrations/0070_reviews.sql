-- Queues of episodes that people go through one by one, and what they said of each. A queue stays with the revision it was made of.

create table reviews (
  id text primary key,
  project_id text not null references projects on delete cascade,
  revision_id text references dataset_revisions on delete cascade,
  version_id text references versions on delete cascade,
  subject_id text generated always as (coalesce(revision_id, version_id)) stored,
  name text not null check (char_length(name) between 1 and 200),
  episodes integer[] not null check (cardinality(episodes) between 1 and 100000),
  created_by text references users on delete set null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  check (num_nonnulls(revision_id, version_id) = 1)
);
comment on column reviews.episodes is 'In the order in which they are looked at.';
comment on column reviews.updated_at is 'Of the newest change, verdicts too: by it who was away learns of what was missed.';
create index reviews_subject on reviews (subject_id, id);
create index reviews_project on reviews (project_id, updated_at);
create index reviews_revision on reviews (revision_id);
create index reviews_version on reviews (version_id);
create index reviews_creator on reviews (created_by);

create table review_people (
  review_id text not null references reviews on delete cascade,
  user_id text not null references users on delete cascade,
  position integer not null check (position >= 0),
  primary key (review_id, user_id)
);
comment on table review_people is 'Between whom the queue is dealt, in this order; none: whoever comes.';
create index review_people_user on review_people (user_id);

create table review_verdicts (
  review_id text not null references reviews on delete cascade,
  episode_index integer not null check (episode_index >= 0),
  verdict text not null check (verdict in ('keep', 'leave_out', 'flag')),
  decided_by text references users on delete set null,
  decided_at timestamptz not null default now(),
  primary key (review_id, episode_index)
);
create index review_verdicts_person on review_verdicts (decided_by);

create function announce_review() returns trigger language plpgsql as $$
begin
  perform pg_notify('nmp_events', 'review ' || project.org_id || ' ' || new.id) from projects project where project.id = new.project_id;
  return null;
end $$;
create trigger reviews_announce after insert or update on reviews for each row execute function announce_review();
