-- Tries that are counted, such as wrong passwords of an account, by all processes together. What is counted is a hash, since keys are
-- e-mails and addresses of people who may not even have an account.
create table attempt_counts (
  key_sha256 bytea primary key,
  count integer not null,
  ends_at timestamptz not null
);
create index attempt_counts_end on attempt_counts (ends_at);
