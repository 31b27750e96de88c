-- @staff in a post of somebody who is no staff: its question waits from then on, whoever answered, until staff say something.

alter table questions add column calls_staff boolean not null default false;
alter table answers add column calls_staff boolean not null default false;
alter table replies add column calls_staff boolean not null default false;
comment on column questions.calls_staff is 'this and the same column of answers and replies: the text says @staff';

create or replace view desk_facts as
select question.id as question_id, question.course_id, question.lecture_id, is_open, turn.waiting_since,
  case when turn.waiting_since is null then turn.unanswered_since end as classmates_since,
  said.first_staff_at
from questions as question
cross join lateral (
  select question.deleted_at is null and question.status = 'unresolved' and question.duplicate_of is null as is_open
) as state
cross join lateral (
  select
    array_agg(at) filter (where speaker = 'asker') as asker_at,
    max(at) filter (where speaker = 'staff') as staff_at,
    min(at) filter (where speaker = 'staff') as first_staff_at,
    max(at) filter (where speaker = 'classmate' and is_answer) as classmate_at,
    array_agg(at) filter (where speaker <> 'staff' and calls_staff) as called_at
  from (
    select question.written_at as at, 'asker' as speaker, false as is_answer, question.calls_staff
    union all
    select question.reopened_at, 'asker', false, false where question.reopened_at is not null
    union all
    select answer.written_at, speaker, true, answer.calls_staff
    from answers as answer
    join people as writer on writer.id = answer.author_id
    left join course_members as member on member.course_id = question.course_id and member.person_id = writer.id
    cross join lateral (select case when writer.id = question.author_id then 'asker'
      when writer.is_admin or member.role <> 'learner' then 'staff' else 'classmate' end as speaker) as heard
    where answer.question_id = question.id and answer.deleted_at is null
    union all
    select answer.endorsed_at, 'staff', false, false
    from answers as answer
    where answer.question_id = question.id and answer.deleted_at is null and answer.endorsed_at is not null
    union all
    select reply.written_at, speaker, false, reply.calls_staff
    from replies as reply
    join people as writer on writer.id = reply.author_id
    left join course_members as member on member.course_id = question.course_id and member.person_id = writer.id
    left join answers as under on under.id = reply.answer_id
    cross join lateral (select case when writer.id = question.author_id then 'asker'
      when writer.is_admin or member.role <> 'learner' then 'staff' else 'classmate' end as speaker) as heard
    where reply.question_id = question.id and reply.deleted_at is null and under.deleted_at is null
  ) as word
) as said
cross join lateral (
  select
    min(at) filter (where at > coalesce(said.staff_at, '-infinity')) as unanswered_since,
    min(at) filter (where is_call or at > coalesce(greatest(said.staff_at, said.classmate_at), '-infinity')) as waiting_since
  from (
    select at, false as is_call from unnest(said.asker_at) as at
    union all
    select at, true from unnest(said.called_at) as at where at > coalesce(said.staff_at, '-infinity')
  ) as turning where is_open
) as turn;

drop trigger questions_await_changed on questions;
create constraint trigger questions_await_changed after update on questions deferrable initially deferred
  for each row when (
    (old.course_id, old.lecture_id, old.author_id, old.status, old.reopened_at, old.duplicate_of, old.written_at,
      old.deleted_at is null, old.calls_staff)
    is distinct from
    (new.course_id, new.lecture_id, new.author_id, new.status, new.reopened_at, new.duplicate_of, new.written_at,
      new.deleted_at is null, new.calls_staff)
    and is_told())
  execute function refresh_desk_of_question();
drop trigger answers_await_changed on answers;
create constraint trigger answers_await_changed after update on answers deferrable initially deferred
  for each row when (
    (old.author_id, old.written_at, old.endorsed_at, old.deleted_at is null, old.calls_staff)
    is distinct from (new.author_id, new.written_at, new.endorsed_at, new.deleted_at is null, new.calls_staff) and is_told())
  execute function refresh_desk_of_post();
drop trigger replies_await_changed on replies;
create constraint trigger replies_await_changed after update on replies deferrable initially deferred
  for each row when (
    (old.author_id, old.written_at, old.deleted_at is null, old.calls_staff)
    is distinct from (new.author_id, new.written_at, new.deleted_at is null, new.calls_staff) and is_told())
  execute function refresh_desk_of_post();
