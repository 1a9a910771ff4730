-- Deleting a person, an organization, a project or a revision looks for what names it. Without these it read whole tables to find it, and
-- for every deleted job all jobs (retry_of): hours with a million of them. Copies of an episode are looked for by the revisions that
-- datasets show.
create index jobs_org on jobs (org_id);
create index jobs_retry_of on jobs (retry_of) where retry_of is not null;
create index datasets_current_revision on datasets (current_revision_id);
create index imports_creator on imports (created_by);
create index versions_creator on versions (created_by);
create index exports_requester on exports (requested_by);
create index notifications_org on notifications (org_id);
create index notifications_project on notifications (project_id);
create index hub_pushes_org on hub_pushes (org_id);
create index hub_pushes_creator on hub_pushes (created_by);
create index hub_commits_author on hub_commits (author_id);
create index hub_tags_creator on hub_tags (created_by);
create index uploads_of_user on uploads (user_id);
create index uploads_of_org on uploads (org_id);
create index uploads_of_project on uploads (project_id);
create index users_default_project on users (default_project_id);
create index one_time_codes_user on one_time_codes (user_id);
create index project_visits_user on project_visits (user_id);
create index invites_project on invites (project_id);
create index invites_inviter on invites (invited_by);
