-- An import that lost something is told by the switch for failed ones, and is not one: how bad it is, and the first reason.
alter table notifications
  add column severity text not null default 'info' check (severity in ('info', 'warning', 'error')),
  add column detail text check (char_length(detail) between 1 and 1000);
update notifications n set severity = case
    when n.resource_kind <> 'import' or exists (select from jobs j where j.id = n.resource_id and j.state = 'succeeded')
      then 'warning' else 'error' end
  where n.kind = 'import_fail';
comment on column notifications.detail is 'What is said below the title, in the list and in the mail.';
