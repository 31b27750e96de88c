-- Private questions and anonymous posts.
--
-- audience 'staff': the asker and the staff of the course alone read the question and everything under it. is_listed is what
-- anything shared may know of: lists, counts, tags, search, feeds, sitemap. To all of them a private question looks deleted.
-- is_anonymous: classmates see a stand-in name, staff the name. author_id stays.

alter table courses
  add column allows_private boolean not null default true,
  add column allows_anonymous boolean not null default false;
comment on column courses.allows_private is 'learners may ask privately; what is private already stays so';
comment on column courses.allows_anonymous is 'learners may post anonymously; what is anonymous already stays so';

alter table questions
  add column audience text not null default 'course',
  add column is_anonymous boolean not null default false,
  add constraint questions_audience_known check (audience in ('course', 'staff'));
alter table questions
  add column is_listed boolean not null generated always as (deleted_at is null and audience = 'course') stored;
alter table answers add column is_anonymous boolean not null default false;
alter table replies add column is_anonymous boolean not null default false;

-- The stand-in names of a question's page: "Anonymous 1" is whoever posted anonymously there first. A number is given for good:
-- others do not change when somebody names their only anonymous post.
create table stand_ins (
  question_id bigint not null,
  person_id bigint not null,
  number integer not null,
  constraint stand_ins_pkey primary key (question_id, person_id),
  constraint stand_ins_number_key unique (question_id, number),
  constraint stand_ins_question_fkey foreign key (question_id) references questions (id) on delete cascade,
  constraint stand_ins_person_fkey foreign key (person_id) references people (id) on delete restrict,
  constraint stand_ins_number_positive check (number > 0)
);
create index stand_ins_person on stand_ins (person_id);

create function give_stand_in() returns trigger language plpgsql as $$
declare
  question bigint;
begin
  if tg_table_name = 'questions' then question := new.id; else question := new.question_id; end if;
  -- Numbers of one question are given one after another.
  perform from questions where id = question for no key update;
  insert into stand_ins (question_id, person_id, number)
  select question, new.author_id, coalesce(max(number), 0) + 1 from stand_ins where question_id = question
  on conflict (question_id, person_id) do nothing;
  return null;
end $$;

create trigger questions_give_stand_in after insert or update of is_anonymous on questions
  for each row when (new.is_anonymous) execute function give_stand_in();
create trigger answers_give_stand_in after insert or update of is_anonymous on answers
  for each row when (new.is_anonymous) execute function give_stand_in();
create trigger replies_give_stand_in after insert or update of is_anonymous on replies
  for each row when (new.is_anonymous) execute function give_stand_in();

-- Lists. Those of one author stay as they are: they are one's own, where nothing is left out, or a profile, which leaves out a few.
drop index questions_written, questions_course_written;
drop index questions_state_written, questions_state_active, questions_state_votes, questions_state_views;
drop index questions_course_state_written, questions_course_state_active, questions_course_state_votes,
  questions_course_state_views;
drop index questions_lecture_written, questions_lecture_active, questions_lecture_votes, questions_lecture_views;
create index questions_written on questions (written_at, id) where is_listed;
create index questions_course_written on questions (course_id, written_at, id) where is_listed;
create index questions_state_written on questions (state, written_at, id) where is_listed;
create index questions_state_active on questions (state, active_at, id) where is_listed;
create index questions_state_votes on questions (state, votes_count, id) where is_listed;
create index questions_state_views on questions (state, views_count, id) where is_listed;
create index questions_course_state_written on questions (course_id, state, written_at, id) where is_listed;
create index questions_course_state_active on questions (course_id, state, active_at, id) where is_listed;
create index questions_course_state_votes on questions (course_id, state, votes_count, id) where is_listed;
create index questions_course_state_views on questions (course_id, state, views_count, id) where is_listed;
create index questions_lecture_written on questions (lecture_id, state, written_at, id) where is_listed;
create index questions_lecture_active on questions (lecture_id, state, active_at, id) where is_listed;
create index questions_lecture_votes on questions (lecture_id, state, votes_count, id) where is_listed;
create index questions_lecture_views on questions (lecture_id, state, views_count, id) where is_listed;

-- What stands beside a tag. The name of the column is that of the code before this migration, which reads it as well.
comment on column question_tags.is_deleted is 'the question is not listed: deleted, or private';

create or replace function take_over_question() returns trigger language plpgsql as $$
begin
  select course_id, state, written_at, active_at, votes_count, views_count, not is_listed
  into new.course_id, new.state, new.written_at, new.active_at, new.votes, new.views, new.is_deleted
  -- Locked: a vote at the same time waits, and then finds the new row to hand over to.
  from questions where id = new.question_id for no key update;
  return new;
end $$;

create or replace function hand_over_question() returns trigger language plpgsql as $$
begin
  update question_tags set course_id = new.course_id, state = new.state, written_at = new.written_at,
    active_at = new.active_at, votes = new.votes_count, views = new.views_count, is_deleted = not new.is_listed
  where question_id = new.id;
  return null;
end $$;

drop trigger questions_hand_over on questions;
create trigger questions_hand_over after update on questions for each row
  when ((old.course_id, old.status, old.answers_count, old.written_at, old.active_at, old.votes_count, old.views_count,
      old.is_listed)
    is distinct from (new.course_id, new.status, new.answers_count, new.written_at, new.active_at, new.votes_count,
      new.views_count, new.is_listed))
  execute function hand_over_question();

-- Counters (022): listed questions, and of a person those asked under their name.
drop function counts_of_question(questions);
create function counts_of_question(
  question questions, out listed integer, out named integer, out unresolved integer, out resolved integer,
  out unanswered integer)
language sql immutable as $$
  select is_listed::integer, (is_listed and not question.is_anonymous)::integer,
    (is_listed and question.status = 'unresolved')::integer,
    (is_listed and question.status = 'resolved')::integer,
    (is_listed and question.answers_count = 0)::integer
  from (select coalesce(question.is_listed, false) as is_listed) as of_question
$$;

create or replace function count_question() returns trigger language plpgsql as $$
declare
  before constant record := counts_of_question(old);
  after constant record := counts_of_question(new);
  change record;
begin
  for change in
    select id, sum(named)::integer as named
    from (values (old.author_id, -before.named), (new.author_id, after.named)) as counted (id, named)
    group by id having sum(named) <> 0 order by id
  loop
    update people set questions_count = questions_count + change.named where id = change.id;
  end loop;
  for change in
    select id, sum(listed)::integer as listed, sum(unresolved)::integer as unresolved
    from (values (old.lecture_id, -before.listed, -before.unresolved), (new.lecture_id, after.listed, after.unresolved))
      as counted (id, listed, unresolved)
    group by id having (sum(listed), sum(unresolved)) <> (0, 0) order by id
  loop
    update lectures set questions_count = questions_count + change.listed,
      unresolved_count = unresolved_count + change.unresolved
    where id = change.id;
  end loop;
  for change in
    select id, sum(listed)::integer as listed, sum(resolved)::integer as resolved, sum(unanswered)::integer as unanswered
    from (values (old.course_id, -before.listed, -before.resolved, -before.unanswered),
      (new.course_id, after.listed, after.resolved, after.unanswered)) as counted (id, listed, resolved, unanswered)
    group by id having (sum(listed), sum(resolved), sum(unanswered)) <> (0, 0, 0) order by id
  loop
    update courses set questions_count = questions_count + change.listed,
      resolved_count = resolved_count + change.resolved, unanswered_count = unanswered_count + change.unanswered
    where id = change.id;
  end loop;
  return null;
end $$;

drop trigger questions_count_changed on questions;
create constraint trigger questions_count_changed after update on questions deferrable initially deferred
  for each row when (
    (old.author_id, old.lecture_id, old.course_id, old.status, old.answers_count = 0, old.is_listed, old.is_anonymous)
    is distinct from
    (new.author_id, new.lecture_id, new.course_id, new.status, new.answers_count = 0, new.is_listed, new.is_anonymous)
    and is_counted())
  execute function count_question();

-- people.answers_count leaves out what is anonymous; questions.answers_count does not.
create or replace function count_answer() returns trigger language plpgsql as $$
declare
  is_of_question constant boolean := tg_argv[0] = 'questions';
  change record;
begin
  for change in
    select id, sum(shown)::integer as shown
    from (values
      (case when is_of_question then old.question_id else old.author_id end,
        case when old.deleted_at is null and (is_of_question or not old.is_anonymous) then -1 else 0 end),
      (case when is_of_question then new.question_id else new.author_id end,
        case when new.deleted_at is null and (is_of_question or not new.is_anonymous) then 1 else 0 end)
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

drop trigger answers_count_of_person_changed on answers;
create constraint trigger answers_count_of_person_changed after update on answers deferrable initially deferred
  for each row when (
    (old.author_id, old.deleted_at is null, old.is_anonymous)
    is distinct from (new.author_id, new.deleted_at is null, new.is_anonymous) and is_counted())
  execute function count_answer('people');

-- The change feed (023): of a private question only its own page is told. One that becomes private, or public, is told to lists.
create or replace function tell_question_row() returns trigger language plpgsql as $$
declare
  changed constant questions := case tg_op when 'DELETE' then old else new end;
begin
  perform tell_change(json_build_object('question', changed.id, 'course', changed.course_id, 'scopes',
    case when changed.audience = 'course' or old.audience = 'course'
    then array['question:' || changed.id, 'course:' || changed.course_id, 'site']
    else array['question:' || changed.id] end));
  if tg_op = 'UPDATE' and old.course_id <> new.course_id then
    perform tell_change(json_build_object('question', old.id, 'course', old.course_id, 'scopes',
      array['course:' || old.course_id]));
  end if;
  return null;
end $$;

create or replace function tell_row_of_question() returns trigger language plpgsql as $$
declare
  question constant bigint := case tg_op when 'DELETE' then old.question_id else new.question_id end;
begin
  perform tell_change(json_build_object('question', id, 'course', course_id, 'scopes',
    case when tg_argv[0] = 'page' or audience = 'staff' then array['question:' || id]
    else array['question:' || id, 'course:' || course_id, 'site'] end))
  from questions where id = question;
  return null;
end $$;
