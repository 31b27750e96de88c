-- How many questions of each lecture are unresolved, for the contents beside a course's list. 047 keeps it.
alter table lectures
  add column unresolved_count integer not null default 0,
  add constraint lectures_unresolved_count_positive check (unresolved_count >= 0);

update lectures set unresolved_count = counted.number
from (
  select lecture_id, count(*) as number from questions
  where status = 'unresolved' and deleted_at is null and lecture_id is not null group by lecture_id
) as counted
where lectures.id = counted.lecture_id;

-- A counter that changes is no change of the lecture itself.
drop trigger lectures_tell_changed on lectures;
create trigger lectures_tell_changed after update on lectures
  for each row when (
    to_jsonb(old) - array['questions_count', 'unresolved_count']
    is distinct from to_jsonb(new) - array['questions_count', 'unresolved_count'] and is_told())
  execute function tell_course_change('course', 'course_id');
