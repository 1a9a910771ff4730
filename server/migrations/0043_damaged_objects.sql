-- Objects whose bytes are known to be bad. What reads a content finds its row here and gives nothing out; good bytes that come in are
-- stored under a new key, and the row stays behind with the old one, so that links signed for that key lead to the new.
create table damaged_objects (
  store_key text primary key check (octet_length(store_key) between 1 and 1024),
  sha256 text not null check (sha256 ~ '^[0-9a-f]{64}$'),
  fault text not null check (fault in ('missing', 'mismatch', 'unreadable')),
  sentence text not null check (char_length(sentence) <= 1000),
  found_at timestamptz not null default now()
);
comment on table damaged_objects is 'Quarantine: never served nor exported.';
create index damaged_objects_content on damaged_objects (sha256);

alter table blobs add column read_at timestamptz not null default now();
comment on column blobs.read_at is 'When all its bytes were last read and had their hash; writing counts.';
update blobs set read_at = created_at;
create index blobs_read_at on blobs (read_at) where state = 'live';
