-- People are notified, pages are invalidated: functions and triggers that "told" pages what changed are renamed. Triggers go on calling
-- what they called. What functions call by its old name, and what the version before this one calls, is a wrapper
-- (db/schema/functions/old_names.sql) from the same moment on.

do $$
declare
  old record;
begin
  for old in select * from (values
    ('is_told()', 'is_announced'),
    ('tell_change(json)', 'invalidate'),
    ('tell_own(bigint[])', 'invalidate_own'),
    ('tell_row_of_question()', 'invalidate_row_of_question'),
    ('tell_question_row()', 'invalidate_question'),
    ('tell_answer()', 'invalidate_answer'),
    ('tell_course_change()', 'invalidate_course'),
    ('tell_person(bigint)', 'invalidate_person'),
    ('tell_person_row()', 'invalidate_person_row'),
    ('tell_member()', 'invalidate_member'),
    ('tell_access()', 'invalidate_access'),
    ('tell_everything()', 'invalidate_everything'),
    ('tell_case_to_staff(bigint)', 'invalidate_own_of_case'),
    ('tell_case()', 'invalidate_case'),
    ('tell_objection()', 'invalidate_objection'),
    ('tell_report()', 'invalidate_report'),
    ('tell_desk_claim()', 'invalidate_desk_claim'),
    ('tell_ended_token()', 'invalidate_ended_token'),
    ('tell_own_row()', 'invalidate_own_row'),
    ('tell_question_follow()', 'invalidate_question_follow'),
    ('tell_own_rows()', 'invalidate_own_rows'),
    ('tell_own_of_notifications()', 'invalidate_own_of_notifications'),
    ('tell_own_of_measure()', 'invalidate_own_of_measure'),
    ('tell_own_of_pending_role()', 'invalidate_own_of_pending_role'),
    ('tell_jobs()', 'wake_runners')
  ) as renamed (signature, name) loop
    if to_regprocedure(old.signature) is not null and to_regproc(old.name) is null then
      execute format('alter function %s rename to %I', old.signature, old.name);
    end if;
  end loop;
  -- Some came after 0.3.0, with their files of functions.
  set local check_function_bodies = off;
  create or replace function is_told() returns boolean language sql stable as 'select is_announced()';
  create or replace function tell_change(message json) returns void language sql as 'select invalidate(message)';
  create or replace function tell_own(people bigint[]) returns void language sql as 'select invalidate_own(people)';
  create or replace function tell_person(person bigint) returns void language sql as 'select invalidate_person(person)';
  create or replace function tell_case_to_staff(matter bigint) returns void language sql as 'select invalidate_own_of_case(matter)';
  for old in
    select tgname as name, tgrelid::regclass as holder from pg_trigger
    where tgname = tgrelid::regclass || '_tell' or tgname ~ '^notifications_tell_' or tgname = 'api_tokens_tell_ended'
  loop
    execute format('alter trigger %I on %s rename to %I', old.name, old.holder,
      case old.name when 'jobs_tell' then 'jobs_wake' else replace(old.name, '_tell', '_invalidate') end);
  end loop;
end $$;
