-- The change feed (src/web/change-feed): a message on channel `changes` names the rows that a transaction changed and the scopes
-- of pages that may show them: {"question": 12, "course": 3, "scopes": ["question:12", "course:3", "site"]}. It carries no
-- data: a listener reads what it needs. PostgreSQL sends equal messages of one transaction once, as it commits.
-- Triggers compare whole rows less the columns that are known to be of no interest, so that a new column is covered.
-- Scopes: question:N its page; course:N its lists and figures; person:N wherever the name stands; site whatever spans
-- courses; * everything.

-- A load of many rows sets handup.bulk to 'on' and sends {"scopes": ["*"]} itself at its end.
create function is_told() returns boolean language sql stable as $$
  select coalesce(current_setting('handup.bulk', true), '') <> 'on'
$$;

create function tell_change(message json) returns void language sql as $$
  select pg_notify('changes', message::text)
$$;

-- TG_ARGV: the scope; everything where none is given.
create function tell_everything() returns trigger language plpgsql as $$
begin
  perform tell_change(json_build_object('scopes', array[coalesce(tg_argv[0], '*')]));
  return null;
end $$;

create constraint trigger site_settings_tell after insert or update or delete on site_settings deferrable initially deferred
  for each row when (is_told()) execute function tell_everything();

-- A row of questions: its page, and the lists of its course, or of both courses where it moves.
create function tell_question_row() returns trigger language plpgsql as $$
declare
  changed constant questions := case tg_op when 'DELETE' then old else new end;
begin
  perform tell_change(json_build_object('question', changed.id, 'course', changed.course_id, 'scopes',
    array['question:' || changed.id, 'course:' || changed.course_id, 'site']));
  if tg_op = 'UPDATE' and old.course_id <> new.course_id then
    perform tell_change(json_build_object('question', old.id, 'course', old.course_id, 'scopes',
      array['course:' || old.course_id]));
  end if;
  return null;
end $$;

create trigger questions_tell after insert or delete on questions
  for each row when (is_told()) execute function tell_question_row();
-- Pages may show a number of views that is minutes old.
create trigger questions_tell_changed after update on questions
  for each row when (to_jsonb(old) - 'views_count' is distinct from to_jsonb(new) - 'views_count' and is_told())
  execute function tell_question_row();

-- A row that belongs to a question. TG_ARGV: 'page' where only the question's own page shows it, 'lists' where lists do too.
-- For a question that is deleted with its rows, tell_question_row sends the message.
create function tell_row_of_question() returns trigger language plpgsql as $$
declare
  question constant bigint := case tg_op when 'DELETE' then old.question_id else new.question_id end;
begin
  perform tell_change(json_build_object('question', id, 'course', course_id, 'scopes',
    case tg_argv[0] when 'page' then array['question:' || id]
    else array['question:' || id, 'course:' || course_id, 'site'] end))
  from questions where id = question;
  return null;
end $$;

create trigger question_tags_tell after insert or delete on question_tags
  for each row when (is_told()) execute function tell_row_of_question('lists');
-- Lists show whether an instructor answered, profiles what somebody answered, a course how soon answers come.
create trigger answers_tell after insert or delete on answers
  for each row when (is_told()) execute function tell_row_of_question('lists');
create trigger answers_tell_changed after update on answers
  for each row when (to_jsonb(old) - 'votes_count' is distinct from to_jsonb(new) - 'votes_count' and is_told())
  execute function tell_row_of_question('lists');
create trigger answers_tell_votes after update on answers
  for each row when (old.votes_count <> new.votes_count and is_told())
  execute function tell_row_of_question('page');
create trigger replies_tell after insert or delete on replies
  for each row when (is_told()) execute function tell_row_of_question('page');
create trigger replies_tell_changed after update on replies
  for each row when (to_jsonb(old) is distinct from to_jsonb(new) and is_told())
  execute function tell_row_of_question('page');
create trigger question_follows_tell after insert or delete on question_follows
  for each row when (is_told()) execute function tell_row_of_question('page');

-- A person. TG_ARGV: 'person' where pages show it, 'access' where only sessions depend on it; the column that has the id.
-- The head of each course's lists names its staff, too.
create function tell_person_change() returns trigger language plpgsql as $$
declare
  changed constant jsonb := to_jsonb(case tg_op when 'DELETE' then old else new end);
  person constant bigint := (changed ->> tg_argv[1])::bigint;
begin
  perform tell_change(json_build_object('person', person, 'scopes',
    case tg_argv[0] when 'person' then array['person:' || person] else array[]::text[] end));
  if tg_argv[0] = 'person' then
    perform tell_change(json_build_object('scopes', array['course:' || course_id, 'site']))
    from course_members where person_id = person and role <> 'learner';
  end if;
  return null;
end $$;

create trigger people_tell_changed after update on people
  for each row when (to_jsonb(old) - 'answers_count' is distinct from to_jsonb(new) - 'answers_count' and is_told())
  execute function tell_person_change('person', 'id');
create trigger people_tell_deleted after delete on people
  for each row when (is_told()) execute function tell_person_change('person', 'id');
-- Shown in profiles only, which span courses.
create trigger people_tell_answers_count after update on people
  for each row when (old.answers_count <> new.answers_count and is_told()) execute function tell_everything('site');
create trigger course_members_tell_person after insert or update or delete on course_members
  for each row when (is_told()) execute function tell_person_change('person', 'person_id');

create constraint trigger sessions_tell_ended after delete on sessions deferrable initially deferred
  for each row when (is_told()) execute function tell_person_change('access', 'person_id');
create constraint trigger second_factors_tell_person after insert or delete on second_factors deferrable initially deferred
  for each row when (is_told()) execute function tell_person_change('access', 'person_id');
create constraint trigger second_factors_tell_confirmed after update on second_factors deferrable initially deferred
  for each row when (old.confirmed_at is distinct from new.confirmed_at and is_told())
  execute function tell_person_change('access', 'person_id');
create constraint trigger passkeys_tell_person after insert or delete on passkeys deferrable initially deferred
  for each row when (is_told()) execute function tell_person_change('access', 'person_id');

-- A course. TG_ARGV: 'course' for itself, its lectures, categories and staff, which any page may show; 'counts' for its
-- figures; the column that has its id.
create function tell_course_change() returns trigger language plpgsql as $$
declare
  changed constant jsonb := to_jsonb(case tg_op when 'DELETE' then old else new end);
  course constant bigint := (changed ->> tg_argv[1])::bigint;
begin
  if tg_argv[0] = 'counts' then
    perform tell_change(json_build_object('scopes', array['course:' || course, 'site']));
  else
    perform tell_change(json_build_object('course', course, 'scopes', array['*']));
  end if;
  return null;
end $$;

create constraint trigger courses_tell after insert or delete on courses deferrable initially deferred
  for each row when (is_told()) execute function tell_course_change('course', 'id');
create trigger courses_tell_changed after update on courses
  for each row when (
    to_jsonb(old) - array['questions_count', 'resolved_count', 'unanswered_count']
    is distinct from to_jsonb(new) - array['questions_count', 'resolved_count', 'unanswered_count'] and is_told())
  execute function tell_course_change('course', 'id');
create constraint trigger courses_tell_counts after update on courses deferrable initially deferred
  for each row when (
    (old.questions_count, old.resolved_count, old.unanswered_count)
    is distinct from (new.questions_count, new.resolved_count, new.unanswered_count) and is_told())
  execute function tell_course_change('counts', 'id');
create constraint trigger lectures_tell after insert or delete on lectures deferrable initially deferred
  for each row when (is_told()) execute function tell_course_change('course', 'course_id');
create trigger lectures_tell_changed after update on lectures
  for each row when (
    to_jsonb(old) - array['questions_count', 'unresolved_count']
    is distinct from to_jsonb(new) - array['questions_count', 'unresolved_count'] and is_told())
  execute function tell_course_change('course', 'course_id');
create constraint trigger lectures_tell_counts after update on lectures deferrable initially deferred
  for each row when (old.questions_count <> new.questions_count and is_told())
  execute function tell_course_change('counts', 'course_id');
create constraint trigger categories_tell after insert or update or delete on categories deferrable initially deferred
  for each row when (is_told()) execute function tell_course_change('course', 'course_id');
create constraint trigger course_members_tell_joined after insert on course_members deferrable initially deferred
  for each row when (new.role <> 'learner' and is_told())
  execute function tell_course_change('course', 'course_id');
create constraint trigger course_members_tell_changed after update on course_members deferrable initially deferred
  for each row when (is_told()) execute function tell_course_change('course', 'course_id');
create constraint trigger course_members_tell_left after delete on course_members deferrable initially deferred
  for each row when (old.role <> 'learner' and is_told())
  execute function tell_course_change('course', 'course_id');
create trigger course_tags_tell after insert or update or delete on course_tags
  for each row when (is_told()) execute function tell_course_change('counts', 'course_id');
