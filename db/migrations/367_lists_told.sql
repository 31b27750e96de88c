-- The change feed (023, 050): row:N is what lists show of a question, list:N and `lists`, of a course and of all, are which questions
-- are in lists of the newest ones and what stands beside them. An answer, a vote or the desk changes one row there at the most.

create function scopes_of_row(question bigint, course bigint) returns text[] language sql stable as $$
  select array['question:' || question, 'row:' || question, 'course:' || course, 'site']
$$;

create function scopes_of_lists(course bigint) returns text[] language sql stable as $$
  select array['list:' || course, 'lists', 'course:' || course, 'site']
$$;

-- Without what only its row shows: `state` tells whether there is any answer.
create function as_listed(question questions) returns jsonb language sql stable as $$
  select to_jsonb(question) - array['views_count', 'votes_count', 'imported_votes_count', 'answers_count', 'active_at']
$$;

create or replace function tell_question_row() returns trigger language plpgsql as $$
declare
  changed constant questions := case tg_op when 'DELETE' then old else new end;
  row_scopes constant text[] := scopes_of_row(changed.id, changed.course_id);
begin
  perform tell_change(json_build_object('question', changed.id, 'course', changed.course_id, 'scopes', case
    when changed.audience <> 'course' and (tg_op <> 'UPDATE' or old.audience <> 'course') then row_scopes[:1]
    when tg_op = 'UPDATE' and as_listed(old) = as_listed(new) then row_scopes
    else row_scopes || scopes_of_lists(changed.course_id) end));
  if tg_op = 'UPDATE' and old.course_id <> new.course_id then
    perform tell_change(json_build_object('question', old.id, 'course', old.course_id, 'scopes',
      scopes_of_lists(old.course_id)));
  end if;
  return null;
end $$;

-- TG_ARGV: 'page' where only the question's own page shows it, 'row' where its row in lists does too, 'lists' where lists have more.
create or replace function tell_row_of_question() returns trigger language plpgsql as $$
declare
  question constant bigint := case tg_op when 'DELETE' then old.question_id else new.question_id end;
begin
  perform tell_change(json_build_object('question', id, 'course', course_id, 'scopes', case
    when tg_argv[0] = 'page' or audience = 'staff' then array['question:' || id]
    when tg_argv[0] = 'row' then scopes_of_row(id, course_id)
    else scopes_of_row(id, course_id) || scopes_of_lists(course_id) end))
  from questions where id = question;
  return null;
end $$;

create or replace trigger answers_tell after insert or delete on answers
  for each row when (is_told()) execute function tell_row_of_question('row');
create or replace trigger answers_tell_changed after update on answers
  for each row when (to_jsonb(old) - 'votes_count' is distinct from to_jsonb(new) - 'votes_count' and is_told())
  execute function tell_row_of_question('row');
create or replace trigger question_desk_tell after insert or delete on question_desk
  for each row when (is_told()) execute function tell_row_of_question('row');
create or replace trigger question_desk_tell_changed after update on question_desk
  for each row when (to_jsonb(old) is distinct from to_jsonb(new) and is_told())
  execute function tell_row_of_question('row');

create or replace function tell_person_change() returns trigger language plpgsql as $$
declare
  changed constant jsonb := to_jsonb(case tg_op when 'DELETE' then old else new end);
  person constant bigint := (changed ->> tg_argv[1])::bigint;
begin
  perform tell_change(json_build_object('person', person, 'scopes',
    case tg_argv[0] when 'person' then array['person:' || person] else array[]::text[] end));
  if tg_argv[0] = 'person' then
    perform tell_change(json_build_object('scopes', scopes_of_lists(course_id)))
    from course_members where person_id = person and role <> 'learner';
  end if;
  return null;
end $$;

create or replace function tell_course_change() returns trigger language plpgsql as $$
declare
  changed constant jsonb := to_jsonb(case tg_op when 'DELETE' then old else new end);
  course constant bigint := (changed ->> tg_argv[1])::bigint;
begin
  if tg_argv[0] = 'counts' then
    perform tell_change(json_build_object('scopes', scopes_of_lists(course)));
  else
    perform tell_change(json_build_object('course', course, 'scopes', array['*']));
  end if;
  return null;
end $$;
