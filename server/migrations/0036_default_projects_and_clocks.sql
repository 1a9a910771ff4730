-- Whoever signed up before this gets the project that sign-up made: `default` of the organization that is older than any other of theirs.
update users set default_project_id = made.id
from (
  select distinct on (member.user_id) member.user_id, project.id
  from org_members member join projects project on project.org_id = member.org_id and project.slug = 'default'
  where member.role = 'admin'
  order by member.user_id, project.created_at, project.id) made
where made.user_id = users.id and users.default_project_id is null;

-- A row is changed in a transaction that may have begun before the row was made: its clock stands still at its beginning.
create function keep_updated_after_created() returns trigger language plpgsql as $$
begin
  new.updated_at := new.created_at;
  return new;
end $$;

do $$
declare name text;
begin
  foreach name in array array['users', 'organizations', 'projects', 'jobs', 'datasets', 'episode_flags', 'annotation_sets', 'versions'] loop
    execute format('update %I set updated_at = created_at where updated_at < created_at', name);
    execute format('create trigger updated_after_created before insert or update on %I for each row
      when (new.updated_at < new.created_at) execute function keep_updated_after_created()', name);
  end loop;
end $$;
