-- In steps: each of these indexes is written with almost every update of a question. They go where another index leads to the
-- same rows, and where only a command that reads everything anyway used them.

-- Of a person's questions, also deleted ones: under questions_author_fkey, and for what somebody takes along who leaves. Only a
-- person's own list sorts otherwise than by time; their questions are few, read along this and sorted.
create index concurrently if not exists questions_of_author on questions (author_id, state, written_at, id);
drop index concurrently if exists questions_author_written;
drop index concurrently if exists questions_author_active;
drop index concurrently if exists questions_author_votes;
drop index concurrently if exists questions_author_views;

-- Of a lecture's questions, also deleted ones: under questions_lecture_fkey, and for the desk.
create index concurrently if not exists questions_any_of_lecture on questions (lecture_id, written_at, id)
  where lecture_id is not null;
drop index concurrently if exists questions_lecture;
drop index concurrently if exists questions_of_lecture;

-- questions_of_course has those too, and hardly any others: the private ones.
drop index concurrently if exists questions_course_written;

-- "rerender" and "doctor" read every post.
drop index concurrently if exists questions_renderer_version;
drop index concurrently if exists answers_renderer_version;
drop index concurrently if exists replies_renderer_version;
