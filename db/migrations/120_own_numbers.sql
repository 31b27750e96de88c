-- Lists say how many questions somebody asked and follows: parts of pages that are one person's own (070, src/web/own-parts.ts).
create trigger question_follows_tell_own_insert after insert on question_follows referencing new table as changed_rows
  for each statement when (is_told()) execute function tell_own_rows();
create trigger question_follows_tell_own_update after update on question_follows referencing new table as changed_rows
  for each statement when (is_told()) execute function tell_own_rows();
create trigger question_follows_tell_own_delete after delete on question_follows referencing old table as changed_rows
  for each statement when (is_told()) execute function tell_own_rows();

-- A question that comes, goes, moves or becomes private is counted anew by its author and by all who follow it.
create function tell_own_of_question() returns trigger language plpgsql as $$
declare
  changed constant questions := case tg_op when 'DELETE' then old else new end;
begin
  perform tell_own(array(
    select changed.author_id union select person_id from question_follows where question_id = changed.id order by 1));
  return null;
end $$;
create trigger questions_tell_own after insert or delete on questions
  for each row when (is_told()) execute function tell_own_of_question();
create trigger questions_tell_own_changed after update on questions
  for each row when (
    (old.course_id, old.deleted_at is null, old.audience)
    is distinct from (new.course_id, new.deleted_at is null, new.audience) and is_told())
  execute function tell_own_of_question();

-- A profile says how many votes somebody's answers have: an answer's votes touch `profile:N` beside its question's page. Nobody's
-- profile counts what they wrote anonymously.
create function tell_answer_votes() returns trigger language plpgsql as $$
begin
  perform tell_change(json_build_object('question', id, 'course', course_id, 'scopes',
    case when new.is_anonymous then array['question:' || id]
    else array['question:' || id, 'profile:' || new.author_id] end))
  from questions where id = new.question_id;
  return null;
end $$;
drop trigger answers_tell_votes on answers;
create trigger answers_tell_votes after update on answers
  for each row when (old.votes_count <> new.votes_count and is_told())
  execute function tell_answer_votes();
