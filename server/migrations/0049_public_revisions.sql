-- What of a public dataset everybody may read: the revisions and cards that were shown while it was public, and older ones only where
-- somebody chose so. Before, every revision could be read, private ones of before the publication among them.
alter table dataset_revisions add column is_public boolean not null default false;
comment on column dataset_revisions.is_public is 'Everybody may read it, while its dataset is public.';
alter table dataset_readmes add column is_public boolean not null default false;

update dataset_revisions revision set is_public = true
from datasets dataset
where dataset.id = revision.dataset_id and dataset.visibility = 'public'
  and (revision.id = dataset.current_revision_id or revision.number >= (
    select coalesce(max(shown.number), 0) from dataset_revisions shown
    where shown.dataset_id = dataset.id and shown.created_at <= dataset.published_at));

update dataset_readmes readme set is_public = true
from datasets dataset
where dataset.id = readme.dataset_id and dataset.visibility = 'public'
  and (readme.sha256 = dataset.readme_sha256 or readme.created_at >= dataset.published_at);
