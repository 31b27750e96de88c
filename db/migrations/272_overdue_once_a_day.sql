-- Staff are told of questions past the response time goal once a course and day, of the one that waits longest; whoever has taken
-- others, once a day of theirs.
alter table question_desk add column told_due_on date;
comment on column question_desk.told_due_on is 'the day of told_due_since, in the course''s time zone';
create index question_desk_told on question_desk (course_id, told_due_on) where told_due_on is not null;

create or replace view due_questions as
select distinct on (desk.course_id, desk.assignee_id) desk.question_id, desk.course_id, desk.assignee_id, desk.waiting_since,
  desk.waiting_since + course.promise_hours * interval '1 hour' as due_at
from courses as course
join question_desk as desk on desk.course_id = course.id
where course.archived_at is null
  and desk.waiting_since <= now() - course.promise_hours * interval '1 hour'
  and desk.told_due_since is distinct from desk.waiting_since
  and (desk.snoozed_until is null or desk.snoozed_until <= now())
  and not exists (
    select from question_desk as told
    where told.course_id = course.id and told.told_due_on = (now() at time zone course.time_zone)::date
      and (desk.assignee_id is null or told.assignee_id = desk.assignee_id))
order by desk.course_id, desk.assignee_id, desk.waiting_since, desk.question_id;
