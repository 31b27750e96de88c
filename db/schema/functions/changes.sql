-- Announces what changed, as a transaction commits, to each process that keeps pages: src/web/page-cache/README.md has the scopes.

create or replace function is_told() returns boolean language plpgsql stable as $$
begin
  return coalesce(current_setting('handup.bulk', true), '') <> 'on';
end $$;

create or replace function tell_change(message json) returns void language sql as $$
  select pg_notify('changes', message::text)
$$;

-- What one person alone has in pages that many see (src/web/own-parts.ts): which courses, lectures and tags they follow.
-- One message for up to 300 people: the payload of a notification is 8,000 bytes at most.
create or replace function tell_own(people bigint[]) returns void language sql as $$
  select tell_change(json_build_object('scopes', scopes)) from (
    select array_agg('own:' || person order by place) as scopes
    from unnest(people) with ordinality as given (person, place) group by (place - 1) / 300
  ) as told
$$;

-- row:N is what lists show of a question, list:N and `lists`, of a course and of all, are which questions
-- are in lists of the newest ones and what stands beside them. An answer, a vote or the desk changes one row there at the most.
create or replace function scopes_of_row(question bigint, course bigint) returns text[] language sql stable as $$
  select array['question:' || question, 'row:' || question, 'course:' || course, 'site']
$$;

create or replace function scopes_of_lists(course bigint) returns text[] language sql stable as $$
  select array['list:' || course, 'lists', 'course:' || course, 'site']
$$;

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
create trigger question_tags_tell after insert or delete on question_tags
  for each row when (is_told()) execute function tell_row_of_question('lists');
create trigger answers_tell after insert or delete on answers
  for each row when (is_told()) execute function tell_row_of_question('row');
create trigger answers_tell_changed after update on answers
  for each row when (to_jsonb(old) - 'votes_count' is distinct from to_jsonb(new) - 'votes_count' and is_told())
  execute function tell_row_of_question('row');
create trigger replies_tell after insert or delete on replies
  for each row when (is_told()) execute function tell_row_of_question('page');
create trigger replies_tell_changed after update on replies
  for each row when (to_jsonb(old) is distinct from to_jsonb(new) and is_told())
  execute function tell_row_of_question('page');
create trigger question_follows_tell after insert or delete on question_follows
  for each row when (is_told()) execute function tell_row_of_question('page');
create trigger question_desk_tell after insert or delete on question_desk
  for each row when (is_told()) execute function tell_row_of_question('row');
create trigger question_desk_tell_changed after update on question_desk
  for each row when (to_jsonb(old) is distinct from to_jsonb(new) and is_told())
  execute function tell_row_of_question('row');
create trigger pins_tell after insert or update or delete on pins
  for each row when (is_told()) execute function tell_row_of_question('lists');
create trigger question_follows_tell_changed after update on question_follows
  for each row when (old.level <> new.level and is_told()) execute function tell_row_of_question('page');

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
create trigger questions_tell after insert or delete on questions
  for each row when (is_told()) execute function tell_question_row();
-- Pages may show a number of views that is minutes old.
create trigger questions_tell_changed after update on questions
  for each row when (to_jsonb(old) - 'views_count' is distinct from to_jsonb(new) - 'views_count' and is_told())
  execute function tell_question_row();

-- A profile says how many votes somebody's answers have: an answer's votes touch `profile:N` beside its question's page. Nobody's
-- profile counts what they wrote anonymously.
create or replace function tell_answer_votes() returns trigger language plpgsql as $$
begin
  perform tell_change(json_build_object('question', id, 'course', course_id, 'scopes',
    case when new.is_anonymous then array['question:' || id]
    else array['question:' || id, 'profile:' || new.author_id] end))
  from questions where id = new.question_id;
  return null;
end $$;
create trigger answers_tell_votes after update on answers
  for each row when (old.votes_count <> new.votes_count and is_told())
  execute function tell_answer_votes();

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
create trigger announcements_tell after insert or update or delete on announcements
  for each row when (is_told()) execute function tell_course_change('counts', 'course_id');
create trigger faq_entries_tell after insert or update or delete on faq_entries
  for each row when (is_told()) execute function tell_course_change('counts', 'course_id');

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
create trigger people_tell_changed after update on people
  for each row when (to_jsonb(old) - 'answers_count' is distinct from to_jsonb(new) - 'answers_count' and is_told())
  execute function tell_person_change('person', 'id');
create trigger people_tell_deleted after delete on people
  for each row when (is_told()) execute function tell_person_change('person', 'id');
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

-- TG_ARGV: the scope; everything where none is given.
create or replace function tell_everything() returns trigger language plpgsql as $$
begin
  perform tell_change(json_build_object('scopes', array[coalesce(tg_argv[0], '*')]));
  return null;
end $$;
create constraint trigger site_settings_tell after insert or update or delete on site_settings deferrable initially deferred
  for each row when (is_told()) execute function tell_everything();
-- Shown in profiles only, which span courses.
create trigger people_tell_answers_count after update on people
  for each row when (old.answers_count <> new.answers_count and is_told()) execute function tell_everything('site');
-- The footer of every page links to those that are not empty.
create constraint trigger policies_tell after insert or update or delete on policies deferrable initially deferred
  for each row when (is_told()) execute function tell_everything();
create trigger identity_providers_tell after insert or update or delete on identity_providers
  for each row when (is_told()) execute function tell_everything('sign-in');

create or replace function tell_case_to_staff(matter bigint) returns void language sql as $$
  select tell_own(array(
    select member.person_id from cases join course_members as member on member.course_id = cases.course_id and member.role <> 'learner'
    where cases.id = matter
    union select people.id from people where people.is_admin
    union select notice.person_id from notifications as notice where notice.case_id = matter
    union select reports.person_id from reports where reports.case_id = matter and reports.person_id is not null
    order by 1))
$$;

create or replace function tell_case() returns trigger language plpgsql as $$
begin
  perform tell_case_to_staff(new.id);
  return null;
end $$;
create trigger cases_tell_insert after insert on cases
  for each row when (is_told()) execute function tell_case();
create trigger cases_tell_update after update on cases
  for each row when ((old.state <> new.state or old.is_for_admins <> new.is_for_admins) and is_told()) execute function tell_case();

create or replace function tell_objection() returns trigger language plpgsql as $$
begin
  perform tell_case_to_staff(measures.case_id) from measures where measures.id = new.measure_id;
  return null;
end $$;
create trigger objections_tell after update on objections
  for each row when (is_told()) execute function tell_objection();

-- What someone reported is shown to them beside the post, in pages that others see as well: it changes with their report, and as its
-- case is decided.
create or replace function tell_report() returns trigger language plpgsql as $$
begin
  perform tell_own(array[new.person_id]);
  return null;
end $$;
create trigger reports_tell after insert on reports
  for each row when (new.person_id is not null and is_told()) execute function tell_report();

-- Tells open desks of the course. No page that others see shows it: it touches no scope.
create or replace function tell_desk_claim() returns trigger language plpgsql as $$
declare
  question constant bigint := case tg_op when 'DELETE' then old.question_id else new.question_id end;
begin
  perform tell_change(json_build_object('question', id, 'course', course_id, 'scopes', array[]::text[]))
  from questions where id = question;
  return null;
end $$;
create trigger desk_claims_tell after insert or delete on desk_claims
  for each row when (is_told()) execute function tell_desk_claim();
-- One that is only renewed is no news.
create trigger desk_claims_tell_changed after update on desk_claims
  for each row when ((old.person_id <> new.person_id or old.claimed_until <= now()) and is_told())
  execute function tell_desk_claim();

-- Each process keeps for a minute whose a token is: one that has ended is looked up again at once.
create or replace function tell_ended_token() returns trigger language plpgsql as $$
begin
  if old.person_id is null then
    perform tell_change(json_build_object('scopes', array['course:' || old.course_id]));
  else
    perform tell_change(json_build_object('person', old.person_id, 'scopes', array[]::text[]));
  end if;
  return null;
end $$;
create constraint trigger api_tokens_tell_ended after delete on api_tokens deferrable initially deferred
  for each row when (is_told()) execute function tell_ended_token();

create or replace function tell_own_rows() returns trigger language plpgsql as $$
begin
  perform tell_own(array(select distinct person_id from changed_rows order by person_id));
  return null;
end $$;
create trigger course_follows_tell_insert after insert on course_follows referencing new table as changed_rows
  for each statement when (is_told()) execute function tell_own_rows();
create trigger course_follows_tell_update after update on course_follows referencing new table as changed_rows
  for each statement when (is_told()) execute function tell_own_rows();
create trigger course_follows_tell_delete after delete on course_follows referencing old table as changed_rows
  for each statement when (is_told()) execute function tell_own_rows();
create trigger lecture_follows_tell_insert after insert on lecture_follows referencing new table as changed_rows
  for each statement when (is_told()) execute function tell_own_rows();
create trigger lecture_follows_tell_delete after delete on lecture_follows referencing old table as changed_rows
  for each statement when (is_told()) execute function tell_own_rows();
create trigger tag_follows_tell_insert after insert on tag_follows referencing new table as changed_rows
  for each statement when (is_told()) execute function tell_own_rows();
create trigger tag_follows_tell_delete after delete on tag_follows referencing old table as changed_rows
  for each statement when (is_told()) execute function tell_own_rows();
create trigger notifications_tell_insert after insert on notifications referencing new table as changed_rows
  for each statement when (is_told()) execute function tell_own_rows();
create trigger notifications_tell_delete after delete on notifications referencing old table as changed_rows
  for each statement when (is_told()) execute function tell_own_rows();
create trigger question_reads_tell_insert after insert on question_reads referencing new table as changed_rows
  for each statement when (is_told()) execute function tell_own_rows();
create trigger question_reads_tell_update after update on question_reads referencing new table as changed_rows
  for each statement when (is_told()) execute function tell_own_rows();
-- Lists say how many questions somebody asked and follows: parts of pages that are one person's own (src/web/own-parts.ts).
create trigger question_follows_tell_own_insert after insert on question_follows referencing new table as changed_rows
  for each statement when (is_told()) execute function tell_own_rows();
create trigger question_follows_tell_own_update after update on question_follows referencing new table as changed_rows
  for each statement when (is_told()) execute function tell_own_rows();
create trigger question_follows_tell_own_delete after delete on question_follows referencing old table as changed_rows
  for each statement when (is_told()) execute function tell_own_rows();
create trigger course_reads_tell_insert after insert on course_reads referencing new table as changed_rows
  for each statement when (is_told()) execute function tell_own_rows();
create trigger course_reads_tell_update after update on course_reads referencing new table as changed_rows
  for each statement when (is_told()) execute function tell_own_rows();

-- A question that comes, goes, moves or becomes private is counted anew by its author and by all who follow it.
create or replace function tell_own_of_question() returns trigger language plpgsql as $$
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
    (old.course_id, old.is_shown, old.audience) is distinct from (new.course_id, new.is_shown, new.audience) and is_told())
  execute function tell_own_of_question();

-- Bells and marks in pages are each person's own. What only the sender of mail changes is not seen.
create or replace function tell_own_of_notifications() returns trigger language plpgsql as $$
begin
  perform tell_own(array(
    select distinct person_id from (
      select person_id, id, reason, count, since_at, happened_at, seen_at from new_rows
      except select person_id, id, reason, count, since_at, happened_at, seen_at from old_rows
    ) as changed
    order by person_id));
  return null;
end $$;
create trigger notifications_tell_update after update on notifications referencing old table as old_rows new table as new_rows
  for each statement when (is_told()) execute function tell_own_of_notifications();

-- Forms say to a suspended person that they can only read (src/web/own-parts.ts): their own parts change with their suspensions.
-- Those that end by themselves need no message, as the text has their time. TG_ARGV: none.
create or replace function tell_own_of_measures() returns trigger language plpgsql as $$
begin
  perform tell_own(array(select distinct person_id from changed_rows
    where kind = 'suspend' and person_id is not null order by person_id));
  return null;
end $$;
create trigger measures_tell_insert after insert on measures referencing new table as changed_rows
  for each statement when (is_told()) execute function tell_own_of_measures();
create trigger measures_tell_update after update on measures referencing new table as changed_rows
  for each statement when (is_told()) execute function tell_own_of_measures();
create trigger measures_tell_delete after delete on measures referencing old table as changed_rows
  for each statement when (is_told()) execute function tell_own_of_measures();

-- Pages say to whom a role waits for their address (src/web/own-parts.ts): their own parts change with these roles. That the address is
-- confirmed is told with its person.
create or replace function tell_own_of_pending_roles() returns trigger language plpgsql as $$
begin
  perform tell_own(array(select distinct person.id from changed_rows as waiting join people as person on person.email = waiting.email
    where person.email_confirmed_at is null order by person.id));
  return null;
end $$;
create trigger pending_roles_tell_insert after insert on pending_roles referencing new table as changed_rows
  for each statement when (is_told()) execute function tell_own_of_pending_roles();
create trigger pending_roles_tell_delete after delete on pending_roles referencing old table as changed_rows
  for each statement when (is_told()) execute function tell_own_of_pending_roles();
