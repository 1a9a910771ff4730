-- Files that people send, piece by piece. Bytes lie in object storage; a row says how far they have come.

create table uploads (
  id text primary key,
  user_id text not null references users on delete cascade,
  org_id text references organizations on delete cascade,
  project_id text references projects on delete set null,
  path text not null check (octet_length(path) between 1 and 1024),
  metadata jsonb not null,
  size_bytes bigint not null check (size_bytes >= 0),
  offset_bytes bigint not null default 0 check (offset_bytes between 0 and size_bytes),
  expected_sha256 text check (expected_sha256 ~ '^[0-9a-f]{64}$'),
  sha256 text check (sha256 ~ '^[0-9a-f]{64}$'),
  store_key text not null,
  multipart_id text,
  part_size_bytes integer not null,
  tail_key text,
  lock_token text,
  lock_expires_at timestamptz,
  lock_is_wanted boolean not null default false,
  created_at timestamptz not null default now(),
  last_byte_at timestamptz not null default now(),
  finished_at timestamptz,
  check ((finished_at is null) = (sha256 is null)),
  check (finished_at is null or offset_bytes = size_bytes)
);
comment on column uploads.offset_bytes is 'What was acknowledged: whole parts, and a tail that is an object of its own.';
comment on column uploads.lock_token is 'Who writes: every write names it, so that a request that was overtaken changes nothing.';
create index uploads_age on uploads (last_byte_at);
create index uploads_user on uploads (user_id) where finished_at is null;
create index uploads_org on uploads (org_id) where finished_at is null;

create table upload_parts (
  upload_id text not null references uploads on delete cascade,
  part_number integer not null,
  size_bytes integer not null,
  etag text not null,
  primary key (upload_id, part_number)
);

-- Which imports need which uploads, in the order they were named.
create table upload_claims (
  import_id text not null,
  position integer not null,
  upload_id text not null references uploads on delete cascade,
  primary key (import_id, position)
);
create index upload_claims_upload on upload_claims (upload_id);

-- Whatever removes an upload (its expiry, its person, its organization), its content is given up with it.
create function drop_upload_content() returns trigger language plpgsql as $$
begin
  update blobs set last_referenced_at = now()
    where sha256 in (select sha256 from blob_references where owner_kind = 'upload' and owner_id = old.id);
  delete from blob_references where owner_kind = 'upload' and owner_id = old.id;
  return old;
end $$;
create trigger uploads_drop_content after delete on uploads for each row execute function drop_upload_content();
