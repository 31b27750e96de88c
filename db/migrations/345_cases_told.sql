-- What waits for each of the staff is shown to them alone, in pages that others see as well: it changes as a case is opened, decided
-- or passed on, and as an objection is answered.
create function tell_case_to_staff(matter bigint) returns void language sql as $$
  select tell_own(array(
    select member.person_id from cases join course_members as member on member.course_id = cases.course_id and member.role <> 'learner'
    where cases.id = matter
    union select people.id from people where people.is_admin
    union select notice.person_id from notifications as notice where notice.case_id = matter
    order by 1))
$$;

create function tell_case() returns trigger language plpgsql as $$
begin
  perform tell_case_to_staff(new.id);
  return null;
end $$;
create trigger cases_tell_insert after insert on cases
  for each row when (is_told()) execute function tell_case();
create trigger cases_tell_update after update on cases
  for each row when ((old.state <> new.state or old.is_for_admins <> new.is_for_admins) and is_told()) execute function tell_case();

create function tell_objection() returns trigger language plpgsql as $$
begin
  perform tell_case_to_staff(measures.case_id) from measures where measures.id = new.measure_id;
  return null;
end $$;
create trigger objections_tell after update on objections
  for each row when (is_told()) execute function tell_objection();
