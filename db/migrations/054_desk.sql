-- Whose turn a question is. A question waits for staff while it is shown, unresolved and no duplicate, and the asker's last word
-- (the question, a reply, an answer of their own, reopening) is later than the last word of staff (an answer, a reply, an
-- endorsement). A classmate's answer after the asker's last word moves it to those answered by classmates.
-- desk_facts states this rule, once; question_desk keeps what it says, with what staff decide themselves: who takes a question,
-- and until when it is put off. Triggers refresh the rows as a transaction commits; a recount compares all of them.

alter table questions
  add column reopened_at timestamptz(3),
  add column duplicate_of bigint,
  add constraint questions_duplicate_of_fkey foreign key (duplicate_of) references questions (id) on delete set null,
  add constraint questions_duplicate_of_another check (duplicate_of <> id);
create index questions_duplicate_of on questions (duplicate_of) where duplicate_of is not null;
comment on column questions.reopened_at is 'when it last became unresolved after having been resolved; kept by a trigger';
comment on column questions.duplicate_of is 'the question whose answers answer this one, which is no duplicate itself';

alter table answers
  add column endorsed_by bigint,
  add column endorsed_at timestamptz(3),
  add constraint answers_endorsed_by_fkey foreign key (endorsed_by) references people (id) on delete restrict,
  add constraint answers_endorsed_whole check ((endorsed_by is null) = (endorsed_at is null));
create index answers_endorsed_by on answers (endorsed_by) where endorsed_by is not null;
comment on column answers.endorsed_by is 'who of the staff says that it is correct';

alter table courses
  add column promise_hours integer,
  add constraint courses_promise_hours_bounds check (promise_hours between 1 and 8760);
comment on column courses.promise_hours is 'within how many hours staff mean to answer; null: nothing is promised';

create table question_desk (
  question_id bigint not null,
  course_id bigint not null,
  lecture_id bigint,
  waiting_since timestamptz(3),
  classmates_since timestamptz(3),
  first_staff_at timestamptz(3),
  told_due_since timestamptz(3),
  assignee_id bigint,
  assigned_by bigint,
  assigned_at timestamptz,
  snoozed_until timestamptz,
  constraint question_desk_pkey primary key (question_id),
  constraint question_desk_question_fkey foreign key (question_id) references questions (id) on delete cascade,
  constraint question_desk_assignee_fkey foreign key (assignee_id) references people (id) on delete restrict,
  constraint question_desk_assigned_by_fkey foreign key (assigned_by) references people (id) on delete restrict,
  constraint question_desk_assigned_whole check (
    (assignee_id is null) = (assigned_at is null) and (assignee_id is null) = (assigned_by is null)),
  constraint question_desk_one_turn check (waiting_since is null or classmates_since is null)
);
comment on column question_desk.course_id is 'this and lecture_id: as of the question';
comment on column question_desk.waiting_since is 'the asker''s first word that nobody has answered; null: it does not wait';
comment on column question_desk.classmates_since is 'the same where classmates have answered, but no staff';
comment on column question_desk.first_staff_at is 'the first answer, reply or endorsement of staff';
comment on column question_desk.told_due_since is 'the waiting_since that staff were told is past the course''s promise: due_questions';

-- A list per view, longest first: of a course, and of a lecture.
create index question_desk_waiting on question_desk (course_id, waiting_since, question_id) where waiting_since is not null;
create index question_desk_lecture_waiting on question_desk (lecture_id, waiting_since, question_id)
  where waiting_since is not null;
create index question_desk_classmates on question_desk (course_id, classmates_since, question_id)
  where classmates_since is not null;
create index question_desk_assignee on question_desk (assignee_id, course_id, question_id) where assignee_id is not null;
create index question_desk_assigned_by on question_desk (assigned_by) where assigned_by is not null;
create index question_desk_snoozed on question_desk (course_id, snoozed_until, question_id) where snoozed_until is not null;

create view desk_facts as
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
    max(at) filter (where speaker = 'classmate' and is_answer) as classmate_at
  from (
    select question.written_at as at, 'asker' as speaker, false as is_answer
    union all
    select question.reopened_at, 'asker', false where question.reopened_at is not null
    union all
    select answer.written_at, speaker, true
    from answers as answer
    join people as writer on writer.id = answer.author_id
    left join course_members as member on member.course_id = question.course_id and member.person_id = writer.id
    cross join lateral (select case when writer.id = question.author_id then 'asker'
      when writer.is_admin or member.role <> 'learner' then 'staff' else 'classmate' end as speaker) as heard
    where answer.question_id = question.id and answer.deleted_at is null
    union all
    select answer.endorsed_at, 'staff', false
    from answers as answer
    where answer.question_id = question.id and answer.deleted_at is null and answer.endorsed_at is not null
    union all
    select reply.written_at, speaker, false
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
    min(at) filter (where at > coalesce(greatest(said.staff_at, said.classmate_at), '-infinity')) as waiting_since
  from unnest(said.asker_at) as at where is_open
) as turn;

-- Brings the rows of these questions up to date. They are locked before the facts are read: of two transactions that change one
-- question's turn the second sees what the first wrote. A turn that begins anew is nobody's decision to put off any more, and
-- what is closed is nobody's to answer.
create function refresh_desks(ids bigint[]) returns void language plpgsql as $$
begin
  insert into question_desk (question_id, course_id)
  select id, course_id from questions where id = any(ids) order by id
  on conflict do nothing;
  perform from question_desk where question_id = any(ids) order by question_id for update;
  update question_desk as kept set
    course_id = fact.course_id, lecture_id = fact.lecture_id,
    waiting_since = fact.waiting_since, classmates_since = fact.classmates_since,
    first_staff_at = fact.first_staff_at,
    assignee_id = case when fact.is_open then kept.assignee_id end,
    assigned_by = case when fact.is_open then kept.assigned_by end,
    assigned_at = case when fact.is_open then kept.assigned_at end,
    snoozed_until = case when fact.is_open and fact.waiting_since is not distinct from kept.waiting_since
      then kept.snoozed_until end
  from desk_facts as fact
  where fact.question_id = kept.question_id and kept.question_id = any(ids)
    and ((fact.course_id, fact.lecture_id, fact.waiting_since, fact.classmates_since, fact.first_staff_at)
      is distinct from
      (kept.course_id, kept.lecture_id, kept.waiting_since, kept.classmates_since, kept.first_staff_at)
      or not fact.is_open and (kept.assignee_id, kept.snoozed_until) is distinct from (null, null));
end $$;

-- Names sort before those of 022_counters.sql: the rows of people, lectures and courses stay the last that are locked.
create function refresh_desk_of_question() returns trigger language plpgsql as $$
begin
  perform refresh_desks(array[new.id]);
  return null;
end $$;

create constraint trigger questions_await after insert on questions deferrable initially deferred
  for each row when (is_told()) execute function refresh_desk_of_question();
create constraint trigger questions_await_changed after update on questions deferrable initially deferred
  for each row when (
    (old.course_id, old.lecture_id, old.author_id, old.status, old.reopened_at, old.duplicate_of, old.written_at,
      old.deleted_at is null)
    is distinct from
    (new.course_id, new.lecture_id, new.author_id, new.status, new.reopened_at, new.duplicate_of, new.written_at,
      new.deleted_at is null)
    and is_told())
  execute function refresh_desk_of_question();

-- A post, and an endorsement of it, count by what their author is in the course: the role cannot change before the post is
-- committed, so that whoever changes it finds the post. Members are locked before desks.
create function refresh_desk_of_post() returns trigger language plpgsql as $$
declare
  post constant record := case tg_op when 'DELETE' then old else new end;
begin
  perform from course_members as member
  where member.person_id = post.author_id
    and member.course_id = (select course_id from questions where id = post.question_id)
  for share;
  perform refresh_desks(array[post.question_id]);
  return null;
end $$;

create constraint trigger answers_await after insert or delete on answers deferrable initially deferred
  for each row when (is_told()) execute function refresh_desk_of_post();
create constraint trigger answers_await_changed after update on answers deferrable initially deferred
  for each row when (
    (old.author_id, old.written_at, old.endorsed_at, old.deleted_at is null)
    is distinct from (new.author_id, new.written_at, new.endorsed_at, new.deleted_at is null) and is_told())
  execute function refresh_desk_of_post();
create constraint trigger replies_await after insert or delete on replies deferrable initially deferred
  for each row when (is_told()) execute function refresh_desk_of_post();
create constraint trigger replies_await_changed after update on replies deferrable initially deferred
  for each row when (
    (old.author_id, old.written_at, old.deleted_at is null)
    is distinct from (new.author_id, new.written_at, new.deleted_at is null) and is_told())
  execute function refresh_desk_of_post();

-- Somebody joins the staff or leaves it: what they wrote counts otherwise, and whoever left it takes no questions.
create function refresh_desks_of_person(person bigint) returns void language sql as $$
  select refresh_desks(array(
    select question_id from answers where author_id = person
    union select question_id from replies where author_id = person))
$$;

create function refresh_desks_of_member() returns trigger language plpgsql as $$
declare
  changed constant course_members := case tg_op when 'DELETE' then old else new end;
begin
  update question_desk set assignee_id = null, assigned_by = null, assigned_at = null
  where assignee_id = changed.person_id and course_id = changed.course_id and not exists (
    select from course_members as member
    where member.course_id = changed.course_id and member.person_id = changed.person_id and member.role <> 'learner'
    union all select from people where id = changed.person_id and is_admin);
  perform refresh_desks_of_person(changed.person_id);
  return null;
end $$;

create constraint trigger course_members_await after insert on course_members deferrable initially deferred
  for each row when (new.role <> 'learner' and is_told()) execute function refresh_desks_of_member();
create constraint trigger course_members_await_changed after update on course_members deferrable initially deferred
  for each row when ((old.role = 'learner') <> (new.role = 'learner') and is_told())
  execute function refresh_desks_of_member();
create constraint trigger course_members_await_left after delete on course_members deferrable initially deferred
  for each row when (old.role <> 'learner' and is_told()) execute function refresh_desks_of_member();

create function refresh_desks_of_admin() returns trigger language plpgsql as $$
begin
  update question_desk set assignee_id = null, assigned_by = null, assigned_at = null
  where assignee_id = new.id and not new.is_admin and not exists (
    select from course_members as member
    where member.course_id = question_desk.course_id and member.person_id = new.id and member.role <> 'learner');
  perform refresh_desks_of_person(new.id);
  return null;
end $$;

create constraint trigger people_await_changed after update on people deferrable initially deferred
  for each row when (old.is_admin <> new.is_admin and is_told()) execute function refresh_desks_of_admin();

-- Questions that have waited for longer than their course promises, of which nobody has been told since. Whoever tells somebody
-- sets told_due_since to waiting_since. Index: question_desk_waiting, of the courses that promise something.
create view due_questions as
select desk.question_id, desk.course_id, desk.assignee_id, desk.waiting_since,
  desk.waiting_since + course.promise_hours * interval '1 hour' as due_at
from courses as course
join question_desk as desk on desk.course_id = course.id
where desk.waiting_since <= now() - course.promise_hours * interval '1 hour'
  and desk.told_due_since is distinct from desk.waiting_since
  and (desk.snoozed_until is null or desk.snoozed_until <= now());

-- Whoever reopens a question, by whatever act, asks for an answer once more. Not before what is there already, should the
-- server's clock have been put back.
create function note_reopening() returns trigger language plpgsql as $$
begin
  new.reopened_at := greatest(now(), new.active_at + interval '1 millisecond');
  return new;
end $$;

create trigger questions_note_reopening before update on questions
  for each row when (old.status = 'resolved' and new.status = 'unresolved') execute function note_reopening();

-- Lists tell what waits, and a question's page who has taken it.
create trigger question_desk_tell after insert or delete on question_desk
  for each row when (is_told()) execute function tell_row_of_question('lists');
create trigger question_desk_tell_changed after update on question_desk
  for each row when (to_jsonb(old) is distinct from to_jsonb(new) and is_told())
  execute function tell_row_of_question('lists');

insert into question_desk (question_id, course_id, lecture_id, waiting_since, classmates_since, first_staff_at)
select question_id, course_id, lecture_id, waiting_since, classmates_since, first_staff_at from desk_facts;
