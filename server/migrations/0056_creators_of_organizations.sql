-- Who made an organization: what all organizations of a person store counts for them. Null: the operator, the program, or somebody whose
-- account is gone.
alter table organizations add column created_by text references users (id) on delete set null;
update organizations set created_by = coalesce(
  (select actor_user_id from audit_events
    where action = 'org.create' and resource_id = organizations.id and actor_kind in ('session', 'token')
      and exists (select 1 from users where users.id = actor_user_id)
    order by audit_events.id limit 1),
  -- A person's own organization leaves no event; it is as old as their account.
  (select user_id from org_members join users on users.id = user_id
    where org_id = organizations.id and role = 'admin' and abs(extract(epoch from users.created_at - organizations.created_at)) < 1
      and not exists (select 1 from audit_events where action = 'org.create' and resource_id = organizations.id)
    order by org_members.created_at, user_id limit 1)
);
create index organizations_by_creator on organizations (created_by);
