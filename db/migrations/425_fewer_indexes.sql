-- In steps: a vote was written into the index of each list that may be sorted by votes, and into each tag of its question with six
-- indexes more. Of a lecture and of a tag, what is sorted by votes or views is read and sorted; of the desk, what waits of a lecture
-- is found among what waits of its course.

drop index concurrently if exists questions_lecture_votes;
drop index concurrently if exists questions_lecture_views;
drop index concurrently if exists question_tags_votes;
drop index concurrently if exists question_tags_views;
drop index concurrently if exists question_desk_lecture_asker;
drop index concurrently if exists question_desk_lecture_classmates;
drop index concurrently if exists question_desk_lecture_replied;
drop index concurrently if exists question_desk_lecture_snoozed;
drop index concurrently if exists question_desk_lecture_waiting;

-- The version before this one still sorts by them, for the minutes of an upgrade without downtime.
alter table question_tags alter column votes set default 0, alter column views set default 0;
comment on column question_tags.votes is 'not kept any more: to be dropped by the version after 0.4';
comment on column question_tags.views is 'not kept any more: to be dropped by the version after 0.4';

create or replace function take_over_question() returns trigger language plpgsql as $$
begin
  select course_id, state, written_at, active_at, not is_listed
  into new.course_id, new.state, new.written_at, new.active_at, new.is_deleted
  -- Locked: a change of the question at the same time waits, and then finds the new row to hand over to.
  from questions where id = new.question_id for no key update;
  return new;
end $$;

create or replace function hand_over_question() returns trigger language plpgsql as $$
begin
  update question_tags set course_id = new.course_id, state = new.state, written_at = new.written_at,
    active_at = new.active_at, is_deleted = not new.is_listed
  where question_id = new.id;
  return null;
end $$;

create or replace trigger questions_hand_over after update on questions for each row
  when ((old.course_id, old.status, old.answers_count, old.written_at, old.active_at, old.is_listed)
    is distinct from (new.course_id, new.status, new.answers_count, new.written_at, new.active_at, new.is_listed))
  execute function hand_over_question();
