-- In steps
create index concurrently if not exists imported_posts_run on imported_posts (run_id) where run_id is not null;
create index concurrently if not exists imported_people_run on imported_people (run_id) where run_id is not null;
alter table imported_posts validate constraint imported_posts_run_fkey;
alter table imported_people validate constraint imported_people_run_fkey;
alter table questions validate constraint questions_held_for_known;
alter table answers validate constraint answers_held_for_known;
alter table replies validate constraint replies_held_for_known;
