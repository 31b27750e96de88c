-- The desk's lists, and the answers that staff of a course save for each other.

-- With milliseconds, as a page's cursor carries them exactly.
drop view due_questions;
alter table question_desk
  alter column assigned_at type timestamptz(3),
  alter column snoozed_until type timestamptz(3);
create view due_questions as
select desk.question_id, desk.course_id, desk.assignee_id, desk.waiting_since,
  desk.waiting_since + course.promise_hours * interval '1 hour' as due_at
from courses as course
join question_desk as desk on desk.course_id = course.id
where desk.waiting_since <= now() - course.promise_hours * interval '1 hour'
  and desk.told_due_since is distinct from desk.waiting_since
  and (desk.snoozed_until is null or desk.snoozed_until <= now());

drop index question_desk_assignee;
create index question_desk_assignee on question_desk (assignee_id, course_id, assigned_at, question_id)
  where assignee_id is not null;

-- All questions, private ones among them, which no shared list holds.
create index questions_of_course on questions (course_id, written_at, id) where deleted_at is null;
create index questions_of_lecture on questions (lecture_id, written_at, id) where deleted_at is null;
create index questions_private on questions (course_id, written_at, id) where deleted_at is null and audience = 'staff';

create table saved_answers (
  id bigint generated always as identity primary key,
  course_id bigint not null,
  title text not null,
  body text not null,
  version integer not null default 1,
  saved_at timestamptz not null default now(),
  constraint saved_answers_course_fkey foreign key (course_id) references courses (id) on delete cascade,
  constraint saved_answers_title_length check (char_length(title) between 1 and 100),
  constraint saved_answers_title_key unique (course_id, title),
  constraint saved_answers_body_length check (char_length(body) between 1 and 30000),
  constraint saved_answers_version_positive check (version > 0)
);
comment on table saved_answers is 'of a course: its staff share them, and they are nobody''s own';
