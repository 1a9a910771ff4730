-- A link that can make an account goes to the mailbox alone; the one that the sender of an invite is shown works for a person of that
-- e-mail who is signed in and has proven that the mailbox is theirs. The links of open invites were shown to their senders.
alter table invites add column mail_secret_sha256 bytea unique;
comment on column invites.mail_secret_sha256 is 'Of the link that was mailed, with which an account can be made. secret_sha256 is of the link that the sender was shown.';

alter table users add column email_proven_at timestamptz;
comment on column users.email_proven_at is 'When a link from the mailbox was opened, an issuer vouched for the e-mail, or the operator did. Null: takes no invite, and no sign-in of an issuer is joined to it.';

-- The program made accounts for issuers, which vouch, for the first person, and for whoever opened an invite: of those nobody knows.
update users set email_proven_at = created_at
where email = 'admin@localhost'
  or exists (select from identities where identities.user_id = users.id and identities.issuer <> 'local')
  or not exists (
    select from audit_events
    where action = 'user.create' and resource_kind = 'user' and resource_id = users.id and actor_kind = 'program');
