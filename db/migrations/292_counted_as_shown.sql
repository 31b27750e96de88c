-- In steps: what is counted, whose turn a question is and what people have of their own follow is_shown (290), as they followed
-- deleted_at. Each function and each trigger says the same as before of a post that is neither held nor hidden.

create or replace function count_answer() returns trigger language plpgsql as $$
declare
  is_of_question constant boolean := tg_argv[0] = 'questions';
  change record;
begin
  for change in
    select id, sum(shown)::integer as shown
    from (values
      (case when is_of_question then old.question_id else old.author_id end,
        case when old.is_shown and (is_of_question or not old.is_anonymous) then -1 else 0 end),
      (case when is_of_question then new.question_id else new.author_id end,
        case when new.is_shown and (is_of_question or not new.is_anonymous) then 1 else 0 end)
    ) as counted (id, shown)
    where id is not null group by id having sum(shown) <> 0 order by id
  loop
    if is_of_question then
      update questions set answers_count = answers_count + change.shown where id = change.id;
    else
      update people set answers_count = answers_count + change.shown where id = change.id;
    end if;
  end loop;
  return null;
end $$;

create or replace trigger answers_count after insert on answers
  for each row when (new.is_shown and is_counted()) execute function count_new_answer();
create or replace trigger answers_count_changed after update on answers
  for each row when ((old.question_id, old.is_shown) is distinct from (new.question_id, new.is_shown) and is_counted())
  execute function count_answer('questions');
drop trigger if exists answers_count_of_person on answers; create constraint trigger answers_count_of_person after insert on answers deferrable initially deferred
  for each row when (new.is_shown and not new.is_anonymous and is_counted())
  execute function count_new_answer_of_person();
drop trigger if exists answers_count_of_person_changed on answers; create constraint trigger answers_count_of_person_changed after update on answers deferrable initially deferred
  for each row when (
    (old.author_id, old.is_shown, old.is_anonymous) is distinct from (new.author_id, new.is_shown, new.is_anonymous) and is_counted())
  execute function count_answer('people');
create or replace trigger replies_note_activity after insert on replies
  for each row when (new.is_shown and is_counted()) execute function note_reply_activity();

create or replace function count_author_of_question() returns trigger language plpgsql as $$
begin
  perform change_author_counts(course, author, asked, answered)
  from (
    select course, author, sum(asked)::integer as asked, sum(answered)::integer as answered
    from (
      select old.course_id as course, old.author_id as author, -1 as asked, 0 as answered where old.is_shown
      union all select new.course_id, new.author_id, 1, 0 where new.is_shown
      union all select moved.course, answer.author_id, 0, moved.answers
      from (values (old.id, old.course_id, -1), (new.id, new.course_id, 1)) as moved (question, course, answers)
      join answers as answer on answer.question_id = moved.question and answer.is_shown
      where tg_op <> 'INSERT' and old.course_id is distinct from new.course_id
    ) as post
    where course is not null group by course, author having (sum(asked), sum(answered)) <> (0, 0) order by course, author
  ) as change;
  return old;
end $$;

create or replace function count_author_of_answer() returns trigger language plpgsql as $$
begin
  perform change_author_counts(course, author, 0, answered)
  from (
    select question.course_id as course, author, sum(answered)::integer as answered
    from (
      select old.question_id as question_id, old.author_id as author, -1 as answered where old.is_shown
      union all select new.question_id, new.author_id, 1 where new.is_shown
    ) as post
    join questions as question on question.id = post.question_id
    group by question.course_id, author having sum(answered) <> 0 order by question.course_id, author
  ) as change;
  return null;
end $$;

create or replace trigger questions_count_author_changed after update on questions
  for each row when (
    (old.author_id, old.course_id, old.is_shown) is distinct from (new.author_id, new.course_id, new.is_shown) and is_counted())
  execute function count_author_of_question();
create or replace trigger answers_count_author_changed after update on answers
  for each row when (
    (old.author_id, old.question_id, old.is_shown) is distinct from (new.author_id, new.question_id, new.is_shown) and is_counted())
  execute function count_author_of_answer();
comment on table course_authors is 'what people wrote in courses that is shown; a member who wrote nothing may have no row';

create or replace trigger questions_tell_own_changed after update on questions
  for each row when (
    (old.course_id, old.is_shown, old.audience) is distinct from (new.course_id, new.is_shown, new.audience) and is_told())
  execute function tell_own_of_question();

create or replace function follow_imported_questions() returns trigger language plpgsql as $$
begin
  insert into question_follows (question_id, person_id)
  select asked.id, new.id from questions as asked
  where asked.author_id = new.id and asked.is_imported and asked.is_shown
  order by asked.id
  on conflict (question_id, person_id) do nothing;
  return null;
end $$;

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
    where answer.question_id = question.id and answer.is_shown
      and not (state.is_imported and exists (select from imported_posts where imported_posts.answer_id = answer.id))
    union all
    select answer.endorsed_at, 'staff', 'endorsement', null, false
    from answers as answer
    where answer.question_id = question.id and answer.is_shown and answer.endorsed_at is not null
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

drop trigger if exists questions_await_changed on questions; create constraint trigger questions_await_changed after update on questions deferrable initially deferred
  for each row when (
    (old.course_id, old.lecture_id, old.author_id, old.closed_at, old.reopened_at, old.written_at, old.is_shown, old.calls_staff)
    is distinct from
    (new.course_id, new.lecture_id, new.author_id, new.closed_at, new.reopened_at, new.written_at, new.is_shown, new.calls_staff)
    and is_told())
  execute function refresh_desk_of_question();
drop trigger if exists answers_await_changed on answers; create constraint trigger answers_await_changed after update on answers deferrable initially deferred
  for each row when (
    (old.author_id, old.written_at, old.endorsed_at, old.is_shown, old.calls_staff)
    is distinct from (new.author_id, new.written_at, new.endorsed_at, new.is_shown, new.calls_staff) and is_told())
  execute function refresh_desk_of_post();
drop trigger if exists replies_await_changed on replies; create constraint trigger replies_await_changed after update on replies deferrable initially deferred
  for each row when (
    (old.author_id, old.written_at, old.is_shown, old.calls_staff)
    is distinct from (new.author_id, new.written_at, new.is_shown, new.calls_staff) and is_told())
  execute function refresh_desk_of_post();
