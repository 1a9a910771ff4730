-- What objects exist and who needs them. An object is content (a sha256) under a key that is used once; rows decide, not listings.

create table object_store (
  is_only boolean primary key default true check (is_only),
  store_id text not null
);
comment on table object_store is 'The id that the object .store-id must hold: proof that the store is ours and is there.';

create table blobs (
  sha256 text primary key check (sha256 ~ '^[0-9a-f]{64}$'),
  size_bytes bigint not null check (size_bytes >= 0),
  store_key text not null unique check (octet_length(store_key) between 1 and 1024),
  state text not null default 'live' check (state in ('live', 'deleting')),
  created_at timestamptz not null default now(),
  last_referenced_at timestamptz not null default now()
);
comment on column blobs.state is 'deleting: the object is being removed; a publisher brings a copy of its own.';
create index blobs_deleting on blobs (sha256) where state = 'deleting';

create table blob_references (
  owner_kind text not null check (char_length(owner_kind) between 1 and 60),
  owner_id text not null check (char_length(owner_id) between 1 and 200),
  logical_path text not null check (octet_length(logical_path) between 1 and 1024),
  sha256 text not null references blobs,
  org_id text references organizations on delete cascade,
  primary key (owner_kind, owner_id, logical_path)
);
create index blob_references_blob on blob_references (sha256);
create index blob_references_org on blob_references (org_id, sha256) where org_id is not null;

-- Second line behind the program: nobody comes to depend on an object that is being removed. By statement, not by row: a result has
-- thousands of files.
create function refuse_dying_blobs() returns trigger language plpgsql as $$
declare
  dying text;
begin
  select added.sha256 into dying from added join blobs using (sha256) where blobs.state <> 'live' limit 1;
  if found then
    raise exception 'blob % is not live', dying using errcode = 'check_violation', constraint = 'blob_is_live';
  end if;
  return null;
end $$;

create trigger blob_is_live_on_insert after insert on blob_references
  referencing new table as added for each statement execute function refuse_dying_blobs();
create trigger blob_is_live_on_update after update on blob_references
  referencing new table as added for each statement execute function refuse_dying_blobs();
