-- A role that is given back, as when a deleted course is restored, is no appointment: who had unfollowed the course still has.
create or replace function forget_learners_no() returns trigger language plpgsql as $$
begin
  if coalesce(current_setting('handup.restoring', true), '') = 'on' then return null; end if;
  delete from course_follows where course_id = new.course_id and person_id = new.person_id and not is_followed;
  return null;
end $$;
