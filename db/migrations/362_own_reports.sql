-- What someone reported is shown to them beside the post, in pages that others see as well: it changes with their report, and as its
-- case is decided.
create function tell_report() returns trigger language plpgsql as $$
begin
  perform tell_own(array[new.person_id]);
  return null;
end $$;
create trigger reports_tell after insert on reports
  for each row when (new.person_id is not null and is_told()) execute function tell_report();

create or replace function tell_case_to_staff(matter bigint) returns void language sql as $$
  select tell_own(array(
    select member.person_id from cases join course_members as member on member.course_id = cases.course_id and member.role <> 'learner'
    where cases.id = matter
    union select people.id from people where people.is_admin
    union select notice.person_id from notifications as notice where notice.case_id = matter
    union select reports.person_id from reports where reports.case_id = matter and reports.person_id is not null
    order by 1))
$$;
