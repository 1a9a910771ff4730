-- An organization can ask its members for a second proof; a token counts as the session that made it.
alter table organizations add column require_two_step boolean not null default false;
alter table access_tokens add column second_proof boolean not null default false;
comment on column access_tokens.second_proof is 'Whether the session that made it had proven its person by more than a password.';
