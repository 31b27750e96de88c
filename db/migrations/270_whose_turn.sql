-- Whose turn a question is, told apart more finely. desk_facts states the rule, docs/instructor.md lists its cases:
-- - Until staff say something, a question waits since its first word that they have not answered, or since it was reopened.
-- - done_at is a word of staff that answers nothing: no answer is needed.
-- - asker_since: staff have asked the asker back, who has not written since.
-- - replied_since: somebody wrote after the end, which makes nobody wait: after the question was closed, or below an answer of staff.
-- - What was imported is no word of anybody here.
-- - A snooze ends with the asker's next word, also where the question waits since an earlier one.

alter table questions add column closed_at timestamptz(3);
comment on column questions.closed_at is 'when it became resolved or a duplicate; null: it is neither. Kept by a trigger';

create function note_closing() returns trigger language plpgsql as $$
begin
  if new.status = 'unresolved' and new.duplicate_of is null then
    new.closed_at := null;
  elsif new.closed_at is null then
    -- Not before what is there already, should the server's clock have been put back.
    new.closed_at := coalesce(new.resolved_at, greatest(now(), new.active_at));
  end if;
  return new;
end $$;

-- What was closed before this version is closed from now on: what was written until now counts as seen.
select set_config('handup.bulk', 'on', true);
update questions set closed_at = coalesce(resolved_at, greatest(now(), active_at))
where status = 'resolved' or duplicate_of is not null;
select set_config('handup.bulk', '', true);
create trigger questions_note_closing before insert on questions for each row execute function note_closing();
create trigger questions_note_closing_changed before update on questions
  for each row when ((old.status, old.duplicate_of) is distinct from (new.status, new.duplicate_of))
  execute function note_closing();
alter table questions add constraint questions_closed_at_of_closed
  check ((closed_at is null) = (status = 'unresolved' and duplicate_of is null)) not valid;

alter table question_desk
  add column asked_at timestamptz(3),
  add column asker_since timestamptz(3),
  add column replied_since timestamptz(3),
  add column done_at timestamptz(3),
  add column done_by bigint,
  add column reminded_since timestamptz(3),
  add constraint question_desk_done_by_fkey foreign key (done_by) references people (id) on delete restrict,
  add constraint question_desk_done_whole check ((done_at is null) = (done_by is null)),
  drop constraint question_desk_one_turn,
  add constraint question_desk_one_turn check (num_nonnulls(waiting_since, classmates_since, asker_since) <= 1);
comment on column question_desk.waiting_since is 'since when it waits for staff; null: it does not';
comment on column question_desk.classmates_since is 'the same where classmates have answered, but no staff';
comment on column question_desk.first_staff_at is 'the first answer, reply or endorsement of staff here, not in the forum that it was imported from';
comment on column question_desk.asked_at is 'the last word of the asker, or the last @staff of a classmate';
comment on column question_desk.asker_since is 'since when staff wait for the asker, whom they asked back; null: they do not';
comment on column question_desk.replied_since is 'the first word after the end that staff have not answered; null: none';
comment on column question_desk.done_at is 'when staff said that no answer is needed: a word of theirs that answers nothing';
comment on column question_desk.reminded_since is 'the asker_since that the asker was reminded of';

create index question_desk_asker on question_desk (course_id, asker_since, question_id) where asker_since is not null;
create index question_desk_lecture_asker on question_desk (lecture_id, asker_since, question_id) where asker_since is not null;
create index question_desk_replied on question_desk (course_id, replied_since, question_id) where replied_since is not null;
create index question_desk_lecture_replied on question_desk (lecture_id, replied_since, question_id)
  where replied_since is not null;
create index question_desk_done_by on question_desk (done_by) where done_by is not null;

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
  select question.deleted_at is null and question.closed_at is null as is_open,
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
    select question.written_at as at, 'asker' as speaker, 'question' as kind, null as answered_by, question.calls_staff
    where not state.is_imported
    union all
    select question.reopened_at, 'asker', 'reopening', null, false where question.reopened_at is not null
    union all
    select desk.done_at, 'staff', 'done', null, false where desk.done_at is not null
    union all
    select answer.written_at, speaker, 'answer', null, answer.calls_staff
    from answers as answer
    join people as writer on writer.id = answer.author_id
    left join course_members as member on member.course_id = question.course_id and member.person_id = writer.id
    cross join lateral (select case when writer.id = question.author_id then 'asker'
      when writer.is_admin or member.role <> 'learner' then 'staff' else 'classmate' end as speaker) as heard
    where answer.question_id = question.id and answer.deleted_at is null
      and not (state.is_imported and exists (select from imported_posts where imported_posts.answer_id = answer.id))
    union all
    select answer.endorsed_at, 'staff', 'endorsement', null, false
    from answers as answer
    where answer.question_id = question.id and answer.deleted_at is null and answer.endorsed_at is not null
    union all
    select reply.written_at, speaker, 'reply', answered_by, reply.calls_staff
    from replies as reply
    join people as writer on writer.id = reply.author_id
    left join course_members as member on member.course_id = question.course_id and member.person_id = writer.id
    left join answers as under on under.id = reply.answer_id
    left join people as answerer on answerer.id = under.author_id
    left join course_members as answering on answering.course_id = question.course_id and answering.person_id = under.author_id
    cross join lateral (select case when writer.id = question.author_id then 'asker'
        when writer.is_admin or member.role <> 'learner' then 'staff' else 'classmate' end as speaker,
      case when under.id is null then null when answerer.id = question.author_id then 'asker'
        when answerer.is_admin or answering.role <> 'learner' then 'staff' else 'classmate' end as answered_by) as heard
    where reply.question_id = question.id and reply.deleted_at is null and under.deleted_at is null
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
  where question.deleted_at is null and at > coalesce(said.staff_at, '-infinity') and (is_open or at > question.closed_at)
) as after_end;

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

drop trigger questions_await_changed on questions;
create constraint trigger questions_await_changed after update on questions deferrable initially deferred
  for each row when (
    (old.course_id, old.lecture_id, old.author_id, old.closed_at, old.reopened_at, old.written_at,
      old.deleted_at is null, old.calls_staff)
    is distinct from
    (new.course_id, new.lecture_id, new.author_id, new.closed_at, new.reopened_at, new.written_at,
      new.deleted_at is null, new.calls_staff)
    and is_told())
  execute function refresh_desk_of_question();

create function refresh_desk_done() returns trigger language plpgsql as $$
begin
  perform refresh_desks(array[new.question_id]);
  return null;
end $$;
create constraint trigger question_desk_await_done after update on question_desk deferrable initially deferred
  for each row when (old.done_at is distinct from new.done_at and is_told()) execute function refresh_desk_done();

-- An archived course waits for nobody.
create or replace view due_questions as
select desk.question_id, desk.course_id, desk.assignee_id, desk.waiting_since,
  desk.waiting_since + course.promise_hours * interval '1 hour' as due_at
from courses as course
join question_desk as desk on desk.course_id = course.id
where course.archived_at is null
  and desk.waiting_since <= now() - course.promise_hours * interval '1 hour'
  and desk.told_due_since is distinct from desk.waiting_since
  and (desk.snoozed_until is null or desk.snoozed_until <= now());

select set_config('handup.bulk', 'on', true);
update question_desk as kept set
  waiting_since = fact.waiting_since, classmates_since = fact.classmates_since, first_staff_at = fact.first_staff_at,
  asked_at = fact.asked_at, asker_since = fact.asker_since, replied_since = fact.replied_since
from desk_facts as fact where fact.question_id = kept.question_id;
select set_config('handup.bulk', '', true);
