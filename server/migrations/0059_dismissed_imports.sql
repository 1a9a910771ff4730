-- A failed import that somebody has seen to: it stays, and no longer counts among those that want attention.
alter table imports add column dismissed_at timestamptz;
