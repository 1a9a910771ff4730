-- Drafts of recipes go with the dataset or version that they are of, however that goes: purged, deleted, or with its project.
delete from recipe_drafts draft
  where not exists (select from datasets where id = draft.dataset_id) and not exists (select from versions where id = draft.dataset_id);
create index recipe_drafts_dataset on recipe_drafts (dataset_id);
create function drop_recipe_drafts() returns trigger language plpgsql as $$
begin
  delete from recipe_drafts where dataset_id = old.id;
  return null;
end $$;
create trigger datasets_drop_drafts after delete on datasets for each row execute function drop_recipe_drafts();
create trigger versions_drop_drafts after delete on versions for each row execute function drop_recipe_drafts();
comment on column recipe_drafts.dataset_id is 'Of a dataset or a version, and goes with it.';
