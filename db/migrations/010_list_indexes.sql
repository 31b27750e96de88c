-- Lists: each scope (all, a course, a lecture, an author, a tag) has an index for each sort, led by the question's state.
-- A list reads the first rows of at most four states and merges them (src/forum/questions/list.ts), so that every status of every
-- scope takes as long among a million questions as among a thousand, also where one status is rare or all of it is old.
alter table questions add column state smallint not null generated always as (
  case status when 'resolved' then 2 else 0 end + case answers_count when 0 then 1 else 0 end
) stored;
comment on column questions.state is '0 unresolved, 1 unresolved and unanswered, 2 resolved, 3 resolved and unanswered';

-- questions_written and questions_course_written stay, for what shows the newest of whatever state: feeds, a course's aside.
drop index questions_active, questions_votes, questions_views;
drop index questions_course_active, questions_course_votes, questions_course_views;
drop index questions_unanswered, questions_lecture_written, questions_author_written;

create index questions_state_written on questions (state, written_at, id) where deleted_at is null;
create index questions_state_active on questions (state, active_at, id) where deleted_at is null;
create index questions_state_votes on questions (state, votes_count, id) where deleted_at is null;
create index questions_state_views on questions (state, views_count, id) where deleted_at is null;
create index questions_course_state_written on questions (course_id, state, written_at, id) where deleted_at is null;
create index questions_course_state_active on questions (course_id, state, active_at, id) where deleted_at is null;
create index questions_course_state_votes on questions (course_id, state, votes_count, id) where deleted_at is null;
create index questions_course_state_views on questions (course_id, state, views_count, id) where deleted_at is null;
create index questions_lecture_written on questions (lecture_id, state, written_at, id) where deleted_at is null;
create index questions_lecture_active on questions (lecture_id, state, active_at, id) where deleted_at is null;
create index questions_lecture_votes on questions (lecture_id, state, votes_count, id) where deleted_at is null;
create index questions_lecture_views on questions (lecture_id, state, views_count, id) where deleted_at is null;
create index questions_author_written on questions (author_id, state, written_at, id) where deleted_at is null;
create index questions_author_active on questions (author_id, state, active_at, id) where deleted_at is null;
create index questions_author_votes on questions (author_id, state, votes_count, id) where deleted_at is null;
create index questions_author_views on questions (author_id, state, views_count, id) where deleted_at is null;

-- A tag's list would have to sort all questions of a common tag, or look through all questions for those of a rare one:
-- what lists go by is kept beside the tag as well. Triggers do it, so that no writer can forget.
alter table question_tags
  add column course_id bigint,
  add column state smallint,
  add column written_at timestamptz(3),
  add column active_at timestamptz(3),
  add column votes integer,
  add column views integer,
  add column is_deleted boolean;
comment on column question_tags.state is 'this and the columns after it: as of the question, kept by triggers';

update question_tags set course_id = q.course_id, state = q.state, written_at = q.written_at, active_at = q.active_at,
  votes = q.votes_count, views = q.views_count, is_deleted = q.deleted_at is not null
from questions as q where q.id = question_tags.question_id;

alter table question_tags
  alter column course_id set not null,
  alter column state set not null,
  alter column written_at set not null,
  alter column active_at set not null,
  alter column votes set not null,
  alter column views set not null,
  alter column is_deleted set not null;

create function take_over_question() returns trigger language plpgsql as $$
begin
  select course_id, state, written_at, active_at, votes_count, views_count, deleted_at is not null
  into new.course_id, new.state, new.written_at, new.active_at, new.votes, new.views, new.is_deleted
  -- Locked: a vote at the same time waits, and then finds the new row to hand over to.
  from questions where id = new.question_id for no key update;
  return new;
end $$;

create function hand_over_question() returns trigger language plpgsql as $$
begin
  update question_tags set course_id = new.course_id, state = new.state, written_at = new.written_at,
    active_at = new.active_at, votes = new.votes_count, views = new.views_count,
    is_deleted = new.deleted_at is not null
  where question_id = new.id;
  return null;
end $$;

create trigger question_tags_take_over before insert on question_tags
  for each row execute function take_over_question();
create trigger questions_hand_over after update on questions for each row
  when ((old.course_id, old.status, old.answers_count, old.written_at, old.active_at, old.votes_count, old.views_count,
      old.deleted_at)
    is distinct from (new.course_id, new.status, new.answers_count, new.written_at, new.active_at, new.votes_count,
      new.views_count, new.deleted_at))
  execute function hand_over_question();

drop index question_tags_tag;
create index question_tags_course on question_tags (tag_id, course_id);
create index question_tags_written on question_tags (tag_id, state, written_at, question_id) where not is_deleted;
create index question_tags_active on question_tags (tag_id, state, active_at, question_id) where not is_deleted;
create index question_tags_votes on question_tags (tag_id, state, votes, question_id) where not is_deleted;
create index question_tags_views on question_tags (tag_id, state, views, question_id) where not is_deleted;
