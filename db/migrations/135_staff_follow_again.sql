-- Staff follow their courses unless they say otherwise: that somebody did not want to hear of each question before they were staff is
-- no word of staff. The row goes, as without one staff follow.
create function forget_learners_no() returns trigger language plpgsql as $$
begin
  delete from course_follows where course_id = new.course_id and person_id = new.person_id and not is_followed;
  return null;
end $$;
create trigger course_members_follow_appointed after insert on course_members
  for each row when (new.role <> 'learner') execute function forget_learners_no();
create trigger course_members_follow_promoted after update on course_members
  for each row when (old.role = 'learner' and new.role <> 'learner') execute function forget_learners_no();
