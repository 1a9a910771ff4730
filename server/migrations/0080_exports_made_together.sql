-- Forms that hold pictures and were asked for in one go are written by the job of the first of them, from one decoder.
alter table exports add column made_with text references exports on delete set null;
create index exports_by_made_with on exports (made_with) where made_with is not null;
comment on column exports.made_with is 'The export whose job writes this one too and leaves it for it to publish; null where it is made by itself.';
