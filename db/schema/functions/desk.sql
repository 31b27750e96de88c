-- Whose turn a question is: docs/instructor.md lists the cases.

-- What the posts of a question say of whose turn it is. Who is staff is looked up once rather than joined to each post: each connection
-- plans that for itself, which took longer than the answer that was posted.
create or replace view desk_facts as
select question.id as question_id, question.course_id, question.lecture_id, is_open,
  case when turn.is_for_staff then turn.unanswered_since end as waiting_since,
  case when not turn.is_for_staff then turn.unanswered_since end as classmates_since,
  said.first_staff_at,
  said.asked_at,
  -- Staff have asked back: since the asker's last word they replied below the question and answered nothing.
  case when is_open and turn.unanswered_since is null and said.staff_at = said.staff_asked_at
      and coalesce(said.staff_answered_at, '-infinity') < said.asker_last_at
    then said.staff_at end as asker_since,
  case when turn.unanswered_since is null then after_end.replied_since end as replied_since
from questions as question
left join question_desk as desk on desk.question_id = question.id
cross join lateral (
  select question.is_shown and question.closed_at is null as is_open,
    exists (select from imported_posts where imported_posts.question_id = question.id) as is_imported
) as state
cross join lateral (
  select
    max(at) filter (where speaker = 'asker' or speaker = 'classmate' and calls_staff) as asked_at,
    max(at) filter (where speaker = 'asker') as asker_last_at,
    array_agg(at) filter (where speaker = 'asker') as asker_at,
    max(at) filter (where speaker = 'staff') as staff_at,
    min(at) filter (where speaker = 'staff' and kind <> 'done') as first_staff_at,
    max(at) filter (where speaker = 'staff' and kind in ('answer', 'endorsement')) as staff_answered_at,
    max(at) filter (where speaker = 'staff' and kind = 'reply' and answered_by is null) as staff_asked_at,
    max(at) filter (where speaker = 'classmate' and kind = 'answer') as classmate_at,
    array_agg(at) filter (where speaker <> 'staff' and calls_staff) as called_at,
    array_agg(at) filter (where kind in ('answer', 'reply') and (speaker = 'asker' or speaker = 'classmate' and (kind = 'reply' or calls_staff)))
      as later_at,
    array_agg(at) filter (where speaker = 'classmate' and kind = 'reply' and answered_by = 'staff') as below_staff_at
  from (
    select array(
      select member.person_id from course_members as member where member.course_id = question.course_id and member.role <> 'learner'
      union all select person.id from people as person where person.is_admin) as ids
    -- Looked up once for all posts of the question.
    offset 0
  ) as staff
  cross join lateral (
    select question.written_at as at, 'asker' as speaker, 'question' as kind, null as answered_by, question.calls_staff
    where not state.is_imported
    union all
    select question.reopened_at, 'asker', 'reopening', null, false where question.reopened_at is not null
    union all
    select desk.done_at, 'staff', 'done', null, false where desk.done_at is not null
    union all
    select answer.written_at, speaker, 'answer', null, answer.calls_staff
    from answers as answer
    cross join lateral (select case when answer.author_id = question.author_id then 'asker'
      when answer.author_id = any(staff.ids) then 'staff' else 'classmate' end as speaker) as heard
    where answer.question_id = question.id and answer.is_shown
      and not (state.is_imported and exists (select from imported_posts where imported_posts.answer_id = answer.id))
    union all
    select answer.endorsed_at, 'staff', 'endorsement', null, false
    from answers as answer
    where answer.question_id = question.id and answer.is_shown and answer.endorsed_at is not null
    union all
    select reply.written_at, speaker, 'reply', answered_by, reply.calls_staff
    from replies as reply
    left join answers as under on under.id = reply.answer_id
    cross join lateral (select
      case when reply.author_id = question.author_id then 'asker'
        when reply.author_id = any(staff.ids) then 'staff' else 'classmate' end as speaker,
      case when under.id is null then null when under.author_id = question.author_id then 'asker'
        when under.author_id = any(staff.ids) then 'staff' else 'classmate' end as answered_by) as heard
    where reply.question_id = question.id and reply.is_shown and under.is_shown is not false
      and not (state.is_imported and exists (select from imported_posts where imported_posts.reply_id = reply.id))
  ) as word
) as said
cross join lateral (
  select min(at) as unanswered_since, bool_or(is_call or at > coalesce(said.classmate_at, '-infinity')) as is_for_staff
  from (
    select at, false as is_call from unnest(said.asker_at) as at
    union all
    select at, true from unnest(said.called_at) as at
  ) as turning
  where is_open and at > coalesce(said.staff_at, '-infinity') and at >= coalesce(question.reopened_at, '-infinity')
) as turn
cross join lateral (
  select min(at) as replied_since
  from unnest(case when is_open then said.below_staff_at else said.later_at end) as at
  where question.is_shown and at > coalesce(said.staff_at, '-infinity') and (is_open or at > question.closed_at)
) as after_end;

create or replace view due_questions as
select distinct on (desk.course_id, desk.assignee_id) desk.question_id, desk.course_id, desk.assignee_id, desk.waiting_since,
  desk.waiting_since + course.promise_hours * interval '1 hour' as due_at
from courses as course
join question_desk as desk on desk.course_id = course.id
where course.archived_at is null
  and desk.waiting_since <= now() - course.promise_hours * interval '1 hour'
  and desk.told_due_since is distinct from desk.waiting_since
  and (desk.snoozed_until is null or desk.snoozed_until <= now())
  and not exists (
    select from question_desk as told
    where told.course_id = course.id and told.told_due_on = (now() at time zone course.time_zone)::date
      and (desk.assignee_id is null or told.assignee_id = desk.assignee_id))
order by desk.course_id, desk.assignee_id, desk.waiting_since, desk.question_id;
comment on view due_questions is 'what staff are to be notified of next: it waits for longer than its course promises';

-- Brings the rows of these questions up to date. They are locked before the facts are read: of two transactions that change one
-- question's turn the second sees what the first wrote. A turn that begins anew, and a new word of the asker, is nobody's decision
-- to put off any more, and what is closed is nobody's to answer.
create or replace function refresh_desks(ids bigint[]) returns void language plpgsql set plan_cache_mode = force_generic_plan as $$
begin
  insert into question_desk (question_id, course_id)
  select id, course_id from questions where id = any(ids) order by id
  on conflict do nothing;
  perform from question_desk where question_id = any(ids) order by question_id for update;
  update question_desk as kept set
    course_id = fact.course_id, lecture_id = fact.lecture_id,
    waiting_since = fact.waiting_since, classmates_since = fact.classmates_since,
    first_staff_at = fact.first_staff_at, asked_at = fact.asked_at,
    asker_since = fact.asker_since, replied_since = fact.replied_since,
    assignee_id = case when fact.is_open then kept.assignee_id end,
    assigned_by = case when fact.is_open then kept.assigned_by end,
    assigned_at = case when fact.is_open then kept.assigned_at end,
    snoozed_until = case when fact.is_open and fact.waiting_since is not distinct from kept.waiting_since
        and (fact.asked_at > kept.asked_at) is not true
      then kept.snoozed_until end
  from desk_facts as fact
  where fact.question_id = kept.question_id and kept.question_id = any(ids)
    and ((fact.course_id, fact.lecture_id, fact.waiting_since, fact.classmates_since, fact.first_staff_at,
        fact.asked_at, fact.asker_since, fact.replied_since)
      is distinct from
      (kept.course_id, kept.lecture_id, kept.waiting_since, kept.classmates_since, kept.first_staff_at,
        kept.asked_at, kept.asker_since, kept.replied_since)
      or not fact.is_open and (kept.assignee_id, kept.snoozed_until) is distinct from (null, null));
end $$;

-- Somebody joins the staff or leaves it: what they wrote counts otherwise, and whoever left it takes no questions.
create or replace function refresh_desks_of_person(person bigint) returns void language sql as $$
  select refresh_desks(array(
    select question_id from answers where author_id = person
    union select question_id from replies where author_id = person))
$$;

-- Names sort before those of counters.sql: the rows of people, lectures and courses stay the last that are locked.
create or replace function refresh_desk_of_question() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE'
    and (old.course_id, old.lecture_id, old.author_id, old.closed_at, old.reopened_at, old.written_at, old.is_shown, old.calls_staff)
    is not distinct from
    (new.course_id, new.lecture_id, new.author_id, new.closed_at, new.reopened_at, new.written_at, new.is_shown, new.calls_staff)
  then return null; end if;
  perform refresh_desks(array[new.id]);
  return null;
end $$;
create constraint trigger questions_await after insert or update on questions deferrable initially deferred
  for each row when (is_announced()) execute function refresh_desk_of_question();

-- A post, and an endorsement of it, count by what their author is in the course: the role cannot change before the post is
-- committed, so that whoever changes it finds the post. Members are locked before desks.
create or replace function refresh_desk_of_post() returns trigger language plpgsql as $$
declare
  post constant record := case tg_op when 'DELETE' then old else new end;
begin
  -- A reply is not endorsed.
  if tg_op = 'UPDATE'
    and (old.author_id, old.written_at, old.is_shown, old.calls_staff, to_jsonb(old) -> 'endorsed_at')
    is not distinct from (new.author_id, new.written_at, new.is_shown, new.calls_staff, to_jsonb(new) -> 'endorsed_at')
  then return null; end if;
  perform from course_members as member
  where member.person_id = post.author_id
    and member.course_id = (select course_id from questions where id = post.question_id)
  for share;
  perform refresh_desks(array[post.question_id]);
  return null;
end $$;
create constraint trigger answers_await after insert or update or delete on answers deferrable initially deferred
  for each row when (is_announced()) execute function refresh_desk_of_post();
create constraint trigger replies_await after insert or update or delete on replies deferrable initially deferred
  for each row when (is_announced()) execute function refresh_desk_of_post();

create or replace function refresh_desk_done() returns trigger language plpgsql as $$
begin
  perform refresh_desks(array[new.question_id]);
  return null;
end $$;
create constraint trigger question_desk_await_done after update on question_desk deferrable initially deferred
  for each row when (old.done_at is distinct from new.done_at and is_announced()) execute function refresh_desk_done();

create or replace function refresh_desks_of_member() returns trigger language plpgsql as $$
declare
  changed constant course_members := case tg_op when 'DELETE' then old else new end;
begin
  if (coalesce(old.role, 'learner') = 'learner') = (coalesce(new.role, 'learner') = 'learner') then return null; end if;
  update question_desk set assignee_id = null, assigned_by = null, assigned_at = null
  where assignee_id = changed.person_id and course_id = changed.course_id and not exists (
    select from course_members as member
    where member.course_id = changed.course_id and member.person_id = changed.person_id and member.role <> 'learner'
    union all select from people where id = changed.person_id and is_admin);
  perform refresh_desks_of_person(changed.person_id);
  return null;
end $$;
create constraint trigger course_members_await after insert or update or delete on course_members deferrable initially deferred
  for each row when (is_announced()) execute function refresh_desks_of_member();

create or replace function refresh_desks_of_admin() returns trigger language plpgsql as $$
begin
  update question_desk set assignee_id = null, assigned_by = null, assigned_at = null
  where assignee_id = new.id and not new.is_admin and not exists (
    select from course_members as member
    where member.course_id = question_desk.course_id and member.person_id = new.id and member.role <> 'learner');
  perform refresh_desks_of_person(new.id);
  return null;
end $$;
create constraint trigger people_await_changed after update on people deferrable initially deferred
  for each row when (old.is_admin <> new.is_admin and is_announced()) execute function refresh_desks_of_admin();
