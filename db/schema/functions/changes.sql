-- Announces what changed, as a transaction commits, to each process that keeps pages: src/web/page-cache/README.md has the scopes.

create or replace function is_announced() returns boolean language plpgsql stable as $$
begin
  return coalesce(current_setting('handup.bulk', true), '') <> 'on';
end $$;

create or replace function invalidate(message json) returns void language sql as $$
  select pg_notify('changes', message::text)
$$;

-- What one person alone has in pages that many see (src/web/own-parts.ts): which courses, lectures and tags they follow.
-- One message for up to 300 people: the payload of a notification is 8,000 bytes at most.
create or replace function invalidate_own(people bigint[]) returns void language sql as $$
  select invalidate(json_build_object('scopes', scopes)) from (
    select array_agg('own:' || person order by place) as scopes
    from unnest(people) with ordinality as given (person, place) group by (place - 1) / 300
  ) as batched
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
create or replace function invalidate_row_of_question() returns trigger language plpgsql as $$
declare
  question constant bigint := case tg_op when 'DELETE' then old.question_id else new.question_id end;
begin
  if tg_op = 'UPDATE' and to_jsonb(old) = to_jsonb(new) then return null; end if;
  perform invalidate(json_build_object('question', id, 'course', course_id, 'scopes', case
    when tg_argv[0] = 'page' or audience = 'staff' then array['question:' || id]
    when tg_argv[0] = 'row' then scopes_of_row(id, course_id)
    else scopes_of_row(id, course_id) || scopes_of_lists(course_id) end))
  from questions where id = question;
  return null;
end $$;
create trigger question_tags_invalidate after insert or delete on question_tags
  for each row when (is_announced()) execute function invalidate_row_of_question('lists');
create trigger replies_invalidate after insert or update or delete on replies
  for each row when (is_announced()) execute function invalidate_row_of_question('page');
create trigger question_desk_invalidate after insert or update or delete on question_desk
  for each row when (is_announced()) execute function invalidate_row_of_question('row');
create trigger pins_invalidate after insert or update or delete on pins
  for each row when (is_announced()) execute function invalidate_row_of_question('lists');

-- Pages may show a number of views that is minutes old. A question that comes, goes, moves or becomes private is counted anew by its
-- author and by all who follow it.
create or replace function invalidate_question() returns trigger language plpgsql as $$
declare
  changed constant questions := case tg_op when 'DELETE' then old else new end;
  row_scopes constant text[] := scopes_of_row(changed.id, changed.course_id);
begin
  if tg_op = 'UPDATE' and to_jsonb(old) - 'views_count' = to_jsonb(new) - 'views_count' then return null; end if;
  perform invalidate(json_build_object('question', changed.id, 'course', changed.course_id, 'scopes', case
    when changed.audience <> 'course' and (tg_op <> 'UPDATE' or old.audience <> 'course') then row_scopes[:1]
    when tg_op = 'UPDATE' and as_listed(old) = as_listed(new) then row_scopes
    else row_scopes || scopes_of_lists(changed.course_id) end));
  if tg_op = 'UPDATE' and old.course_id <> new.course_id then
    perform invalidate(json_build_object('question', old.id, 'course', old.course_id, 'scopes',
      scopes_of_lists(old.course_id)));
  end if;
  if tg_op <> 'UPDATE' or (old.course_id, old.is_shown, old.audience) is distinct from (new.course_id, new.is_shown, new.audience) then
    perform invalidate_own(array(
      select changed.author_id union select person_id from question_follows where question_id = changed.id order by 1));
  end if;
  return null;
end $$;
create trigger questions_invalidate after insert or update or delete on questions
  for each row when (is_announced()) execute function invalidate_question();

-- A profile says how many votes somebody's answers have: an answer's votes touch `profile:N` beside its question's page. Nobody's
-- profile counts what they wrote anonymously.
create or replace function invalidate_answer() returns trigger language plpgsql as $$
declare
  changed constant answers := case tg_op when 'DELETE' then old else new end;
  is_voted constant boolean := tg_op = 'UPDATE' and old.votes_count <> new.votes_count;
  is_other constant boolean := tg_op <> 'UPDATE' or to_jsonb(old) - 'votes_count' <> to_jsonb(new) - 'votes_count';
begin
  if not is_voted and not is_other then return null; end if;
  perform invalidate(json_build_object('question', id, 'course', course_id, 'scopes',
    case when is_other and audience <> 'staff' then scopes_of_row(id, course_id) else array['question:' || id] end
    || case when is_voted and not changed.is_anonymous then array['profile:' || changed.author_id] else array[]::text[] end))
  from questions where id = changed.question_id;
  return null;
end $$;
create trigger answers_invalidate after insert or update or delete on answers
  for each row when (is_announced()) execute function invalidate_answer();

-- The bar of a course counts for its staff what waits to be let through.
create or replace function invalidate_held() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' and new.held_at is null or tg_op = 'UPDATE' and (coalesce(old.held_at, new.held_at) is null
    or (old.held_at, old.deleted_at, old.hidden_at) is not distinct from (new.held_at, new.deleted_at, new.hidden_at)) then
    return null;
  end if;
  perform invalidate_own(array(
    select member.person_id from course_members as member join questions as question on question.course_id = member.course_id
    where question.id = coalesce((to_jsonb(new) ->> 'question_id')::bigint, new.id) and member.role <> 'learner'
    union select id from people where is_admin order by 1));
  return null;
end $$;
create trigger questions_invalidate_held after insert or update of held_at, deleted_at, hidden_at on questions
  for each row when (is_announced()) execute function invalidate_held();
create trigger answers_invalidate_held after insert or update of held_at, deleted_at, hidden_at on answers
  for each row when (is_announced()) execute function invalidate_held();
create trigger replies_invalidate_held after insert or update of held_at, deleted_at, hidden_at on replies
  for each row when (is_announced()) execute function invalidate_held();

-- TG_ARGV: 'course' where all pages of the course may show the row, 'counts' where only lists and what stands beside them do; the
-- column with the course; the counters of the row, which are shown there alone.
create or replace function invalidate_course() returns trigger language plpgsql as $$
declare
  before constant jsonb := to_jsonb(old);
  after constant jsonb := to_jsonb(new);
  course constant bigint := (coalesce(after, before) ->> tg_argv[1])::bigint;
  counters constant text[] := tg_argv[2:];
begin
  if tg_op = 'UPDATE' and before = after then return null; end if;
  if tg_argv[0] = 'counts' or before - counters = after - counters then
    perform invalidate(json_build_object('scopes', scopes_of_lists(course)));
  else
    perform invalidate(json_build_object('course', course, 'scopes', array['*']));
  end if;
  return null;
end $$;
create trigger courses_invalidate after insert or update or delete on courses
  for each row when (is_announced())
  execute function invalidate_course('course', 'id', 'questions_count', 'resolved_count', 'unanswered_count', 'held_told_at');
create trigger lectures_invalidate after insert or update or delete on lectures
  for each row when (is_announced())
  execute function invalidate_course('course', 'course_id', 'questions_count', 'unresolved_count');
create constraint trigger categories_invalidate after insert or update or delete on categories deferrable initially deferred
  for each row when (is_announced()) execute function invalidate_course('course', 'course_id');
create trigger course_tags_invalidate after insert or update or delete on course_tags
  for each row when (is_announced()) execute function invalidate_course('counts', 'course_id');
create trigger announcements_invalidate after insert or update or delete on announcements
  for each row when (is_announced()) execute function invalidate_course('counts', 'course_id');
create trigger faq_entries_invalidate after insert or update or delete on faq_entries
  for each row when (is_announced()) execute function invalidate_course('counts', 'course_id');

create or replace function invalidate_person(person bigint) returns void language sql as $$
  select invalidate(json_build_object('person', person, 'scopes', array['person:' || person]));
  select invalidate(json_build_object('scopes', scopes_of_lists(course_id)))
  from course_members where person_id = person and role <> 'learner'
$$;

create or replace function invalidate_person_row() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' or to_jsonb(old) - 'answers_count' <> to_jsonb(new) - 'answers_count' then
    perform invalidate_person(old.id);
  end if;
  -- Shown in profiles only, which span courses.
  if old.answers_count <> new.answers_count then
    perform invalidate(json_build_object('scopes', array['site']));
  end if;
  return null;
end $$;
create trigger people_invalidate after update or delete on people
  for each row when (is_announced()) execute function invalidate_person_row();

-- All pages of a course name its staff.
create or replace function invalidate_member() returns trigger language plpgsql as $$
declare
  member constant course_members := case tg_op when 'DELETE' then old else new end;
begin
  if tg_op = 'UPDATE' or member.role <> 'learner' then
    perform invalidate(json_build_object('course', member.course_id, 'scopes', array['*']));
  end if;
  perform invalidate_person(member.person_id);
  return null;
end $$;
create trigger course_members_invalidate after insert or update or delete on course_members
  for each row when (is_announced()) execute function invalidate_member();

-- Who somebody is to sessions that are kept, and what they may.
create or replace function invalidate_access() returns trigger language plpgsql as $$
declare
  changed constant record := case tg_op when 'DELETE' then old else new end;
begin
  if tg_op = 'UPDATE' and to_jsonb(old) -> 'confirmed_at' = to_jsonb(new) -> 'confirmed_at' then return null; end if;
  perform invalidate(json_build_object('person', changed.person_id, 'scopes', array[]::text[]));
  return null;
end $$;
create trigger second_factors_invalidate after insert or update or delete on second_factors
  for each row when (is_announced()) execute function invalidate_access();
create trigger passkeys_invalidate after insert or delete on passkeys
  for each row when (is_announced()) execute function invalidate_access();

-- TG_ARGV: the scope; everything where none is given.
create or replace function invalidate_everything() returns trigger language plpgsql as $$
begin
  perform invalidate(json_build_object('scopes', array[coalesce(tg_argv[0], '*')]));
  return null;
end $$;
create constraint trigger site_settings_invalidate after insert or update or delete on site_settings deferrable initially deferred
  for each row when (is_announced()) execute function invalidate_everything();
-- The footer of every page links to those that are not empty.
create constraint trigger policies_invalidate after insert or update or delete on policies deferrable initially deferred
  for each row when (is_announced()) execute function invalidate_everything();
create trigger identity_providers_invalidate after insert or update or delete on identity_providers
  for each row when (is_announced()) execute function invalidate_everything('sign-in');

create or replace function invalidate_own_of_case(matter bigint) returns void language sql as $$
  select invalidate_own(array(
    select member.person_id from cases join course_members as member on member.course_id = cases.course_id and member.role <> 'learner'
    where cases.id = matter
    union select people.id from people where people.is_admin
    union select notice.person_id from notifications as notice where notice.case_id = matter
    union select reports.person_id from reports where reports.case_id = matter and reports.person_id is not null
    order by 1))
$$;

create or replace function invalidate_case() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' or (old.state, old.is_for_admins) <> (new.state, new.is_for_admins) then
    perform invalidate_own_of_case(new.id);
  end if;
  return null;
end $$;
create trigger cases_invalidate after insert or update on cases
  for each row when (is_announced()) execute function invalidate_case();

create or replace function invalidate_objection() returns trigger language plpgsql as $$
begin
  perform invalidate_own_of_case(measures.case_id) from measures where measures.id = new.measure_id;
  return null;
end $$;
create trigger objections_invalidate after update on objections
  for each row when (is_announced()) execute function invalidate_objection();

-- What someone reported is shown to them beside the post, in pages that others see as well: it changes with their report, and as its
-- case is decided.
create or replace function invalidate_report() returns trigger language plpgsql as $$
begin
  perform invalidate_own(array[new.person_id]);
  return null;
end $$;
create trigger reports_invalidate after insert on reports
  for each row when (new.person_id is not null and is_announced()) execute function invalidate_report();

-- Tells open desks of the course. No page that others see shows it: it touches no scope.
create or replace function invalidate_desk_claim() returns trigger language plpgsql as $$
declare
  question constant bigint := case tg_op when 'DELETE' then old.question_id else new.question_id end;
begin
  -- One that is only renewed is no news.
  if tg_op = 'UPDATE' and old.person_id = new.person_id and old.claimed_until > now() then return null; end if;
  perform invalidate(json_build_object('question', id, 'course', course_id, 'scopes', array[]::text[]))
  from questions where id = question;
  return null;
end $$;
create trigger desk_claims_invalidate after insert or update or delete on desk_claims
  for each row when (is_announced()) execute function invalidate_desk_claim();

-- Each process keeps for a minute whose a token is: one that has ended is looked up again at once.
create or replace function invalidate_ended_token() returns trigger language plpgsql as $$
begin
  if old.person_id is null then
    perform invalidate(json_build_object('scopes', array['course:' || old.course_id]));
  else
    perform invalidate(json_build_object('person', old.person_id, 'scopes', array[]::text[]));
  end if;
  return null;
end $$;
create constraint trigger api_tokens_invalidate_ended after delete on api_tokens deferrable initially deferred
  for each row when (is_announced()) execute function invalidate_ended_token();
-- What a person let an app do, which ends with all its tokens.
create constraint trigger app_grants_invalidate_ended after delete on app_grants deferrable initially deferred
  for each row when (is_announced()) execute function invalidate_ended_token();

create or replace function invalidate_own_row() returns trigger language plpgsql as $$
begin
  perform invalidate_own(array[case tg_op when 'DELETE' then old.person_id else new.person_id end]);
  return null;
end $$;
create trigger course_follows_invalidate after insert or update or delete on course_follows
  for each row when (is_announced()) execute function invalidate_own_row();
create trigger lecture_follows_invalidate after insert or delete on lecture_follows
  for each row when (is_announced()) execute function invalidate_own_row();
create trigger tag_follows_invalidate after insert or delete on tag_follows
  for each row when (is_announced()) execute function invalidate_own_row();
create trigger course_reads_invalidate after insert or update on course_reads
  for each row when (is_announced()) execute function invalidate_own_row();
-- A draft that an agent left is offered to its owner on the question's page; what is typed there shows to nobody.
create trigger drafts_invalidate after insert or update on drafts
  for each row when (is_announced() and new.place like '%#agent') execute function invalidate_own_row();
create trigger drafts_invalidate_ended after delete on drafts
  for each row when (is_announced() and old.place like '%#agent') execute function invalidate_own_row();
create trigger question_reads_invalidate after insert or update on question_reads
  for each row when (is_announced()) execute function invalidate_own_row();

-- Lists say how many questions somebody asked and follows: parts of pages that are one person's own (src/web/own-parts.ts).
create or replace function invalidate_question_follow() returns trigger language plpgsql as $$
declare
  follow constant question_follows := case tg_op when 'DELETE' then old else new end;
begin
  perform invalidate_own(array[follow.person_id]);
  if tg_op <> 'UPDATE' or old.level <> new.level then
    perform invalidate(json_build_object('question', id, 'course', course_id, 'scopes', array['question:' || id]))
    from questions where id = follow.question_id;
  end if;
  return null;
end $$;
create trigger question_follows_invalidate after insert or update or delete on question_follows
  for each row when (is_announced()) execute function invalidate_question_follow();

-- Notifications change by thousands at once.
create or replace function invalidate_own_rows() returns trigger language plpgsql as $$
begin
  perform invalidate_own(array(select distinct person_id from changed_rows order by person_id));
  return null;
end $$;
create trigger notifications_invalidate_insert after insert on notifications referencing new table as changed_rows
  for each statement when (is_announced()) execute function invalidate_own_rows();
create trigger notifications_invalidate_delete after delete on notifications referencing old table as changed_rows
  for each statement when (is_announced()) execute function invalidate_own_rows();

-- Bells and marks in pages are each person's own. What only the sender of mail changes is not seen.
create or replace function invalidate_own_of_notifications() returns trigger language plpgsql as $$
begin
  perform invalidate_own(array(
    select distinct person_id from (
      select person_id, id, reason, count, since_at, happened_at, seen_at from new_rows
      except select person_id, id, reason, count, since_at, happened_at, seen_at from old_rows
    ) as changed
    order by person_id));
  return null;
end $$;
create trigger notifications_invalidate_update after update on notifications referencing old table as old_rows new table as new_rows
  for each statement when (is_announced()) execute function invalidate_own_of_notifications();

-- Forms say to a suspended person that they can only read (src/web/own-parts.ts): their own parts change with their suspensions.
-- Those that end by themselves need no message, as the text has their time.
create or replace function invalidate_own_of_measure() returns trigger language plpgsql as $$
declare
  measure constant measures := case tg_op when 'DELETE' then old else new end;
begin
  if measure.kind = 'suspend' and measure.person_id is not null then
    perform invalidate_own(array[measure.person_id]);
  end if;
  return null;
end $$;
create trigger measures_invalidate after insert or update or delete on measures
  for each row when (is_announced()) execute function invalidate_own_of_measure();

-- Pages say to whom a role waits for their address (src/web/own-parts.ts): their own parts change with these roles. That the address is
-- confirmed is announced with its person.
create or replace function invalidate_own_of_pending_role() returns trigger language plpgsql as $$
declare
  waiting constant pending_roles := case tg_op when 'DELETE' then old else new end;
begin
  perform invalidate_own(array(select id from people where email = waiting.email and email_confirmed_at is null));
  return null;
end $$;
create trigger pending_roles_invalidate after insert or delete on pending_roles
  for each row when (is_announced()) execute function invalidate_own_of_pending_role();
