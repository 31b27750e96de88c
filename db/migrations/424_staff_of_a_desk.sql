-- In steps: who is staff is looked up once for a question, where it was joined to each of its posts: each connection plans that for
-- itself, which took longer than the answer that was posted.

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
    exists (select from imported_posts where imported_posts.question_id = question.id) as is_imported,
    array(
      select member.person_id from course_members as member where member.course_id = question.course_id and member.role <> 'learner'
      union all select person.id from people as person where person.is_admin) as staff_ids
  -- Looked up once for all posts of the question.
  offset 0
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
    cross join lateral (select case when answer.author_id = question.author_id then 'asker'
      when answer.author_id = any(state.staff_ids) then 'staff' else 'classmate' end as speaker) as heard
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
        when reply.author_id = any(state.staff_ids) then 'staff' else 'classmate' end as speaker,
      case when under.id is null then null when under.author_id = question.author_id then 'asker'
        when under.author_id = any(state.staff_ids) then 'staff' else 'classmate' end as answered_by) as heard
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
