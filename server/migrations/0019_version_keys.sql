-- A client that lost the answer sends the same request again: the key finds the version that the first one made.
alter table versions
  add column idempotency_key text check (char_length(idempotency_key) between 1 and 200),
  add column idempotency_fingerprint text check (idempotency_fingerprint ~ '^[0-9a-f]{64}$'),
  add check ((idempotency_key is null) = (idempotency_fingerprint is null)),
  add unique (project_id, idempotency_key);
