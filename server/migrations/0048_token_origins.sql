-- Where a personal access token came from: the program that was signed in, the address, and what it said it is.
alter table access_tokens
  add column client_id text,
  add column made_at_address text,
  add column made_by_agent text;
