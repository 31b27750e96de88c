-- In steps: is_shown (290) holds for all rows; indexes by it. Those by deleted_at led the desk to the same rows.
alter table questions validate constraint questions_is_shown_kept;
alter table questions validate constraint questions_is_listed_kept;
alter table answers validate constraint answers_is_shown_kept;
alter table answers validate constraint answers_was_accepted_of_not_shown;
alter table replies validate constraint replies_is_shown_kept;

create index concurrently if not exists questions_shown_of_course on questions (course_id, written_at, id) where is_shown;
create index concurrently if not exists questions_shown_private on questions (course_id, written_at, id)
  where is_shown and audience = 'staff';
drop index concurrently if exists questions_of_course;
drop index concurrently if exists questions_private;
