-- When the data of a version was made and verified for the first time: people are told once, whatever is packed of it later.
alter table versions add column made_at timestamptz;
update versions set made_at = updated_at where status = 'materialized';
