-- Holds for all rows that were there before 221, too.
alter table questions validate constraint questions_purged_is_empty;
alter table answers validate constraint answers_purged_is_empty;
alter table replies validate constraint replies_purged_is_empty;
