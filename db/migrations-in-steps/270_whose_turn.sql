-- In steps: 270_whose_turn for a database in which people post, with the version before. On two cores it kept them all waiting for
-- half a minute at 51,000 questions. What each statement is for is said there.

alter table questions add column if not exists closed_at timestamptz(3);
comment on column questions.closed_at is 'when it became resolved or a duplicate; null: it is neither. Kept by a trigger';

create or replace function note_closing() returns trigger language plpgsql as $$
begin
  if new.status = 'unresolved' and new.duplicate_of is null then
    new.closed_at := null;
  elsif new.closed_at is null then
    -- Not before what is there already, should the server's clock have been put back.
    new.closed_at := coalesce(new.resolved_at, greatest(now(), new.active_at));
  end if;
  return new;
end $$;

-- Before rows are filled, so that what is closed meanwhile has it, too.
create or replace trigger questions_note_closing before insert on questions for each row execute function note_closing();
create or replace trigger questions_note_closing_changed before update on questions
  for each row when ((old.status, old.duplicate_of) is distinct from (new.status, new.duplicate_of))
  execute function note_closing();

-- over questions
select set_config('handup.bulk', 'on', true); update questions
set closed_at = coalesce(resolved_at, greatest(now(), active_at))
where id > $1 and id <= $2 and closed_at is null and (status = 'resolved' or duplicate_of is not null);

alter table questions drop constraint if exists questions_closed_at_of_closed, add constraint questions_closed_at_of_closed
  check ((closed_at is null) = (status = 'unresolved' and duplicate_of is null)) not valid;

alter table question_desk
  add column if not exists asked_at timestamptz(3),
  add column if not exists asker_since timestamptz(3),
  add column if not exists replied_since timestamptz(3),
  add column if not exists done_at timestamptz(3),
  add column if not exists done_by bigint,
  add column if not exists reminded_since timestamptz(3),
  drop constraint if exists question_desk_done_whole,
  add constraint question_desk_done_whole check ((done_at is null) = (done_by is null)) not valid,
  drop constraint if exists question_desk_one_turn,
  add constraint question_desk_one_turn check (num_nonnulls(waiting_since, classmates_since, asker_since) <= 1) not valid;
-- Locks people, too.
alter table question_desk drop constraint if exists question_desk_done_by_fkey,
  add constraint question_desk_done_by_fkey foreign key (done_by) references people (id) on delete restrict not valid;
alter table question_desk validate constraint question_desk_done_by_fkey;
alter table question_desk validate constraint question_desk_done_whole;
alter table question_desk validate constraint question_desk_one_turn;
-- as there: comment on column question_desk.waiting_since
-- as there: comment on column question_desk.classmates_since
-- as there: comment on column question_desk.first_staff_at
-- as there: comment on column question_desk.asked_at
-- as there: comment on column question_desk.asker_since
-- as there: comment on column question_desk.replied_since
-- as there: comment on column question_desk.done_at
-- as there: comment on column question_desk.reminded_since

create index concurrently if not exists question_desk_asker on question_desk (course_id, asker_since, question_id) where asker_since is not null;
create index concurrently if not exists question_desk_lecture_asker on question_desk (lecture_id, asker_since, question_id) where asker_since is not null;
create index concurrently if not exists question_desk_replied on question_desk (course_id, replied_since, question_id) where replied_since is not null;
create index concurrently if not exists question_desk_lecture_replied on question_desk (lecture_id, replied_since, question_id)
  where replied_since is not null;
create index concurrently if not exists question_desk_done_by on question_desk (done_by) where done_by is not null;

-- as there: create or replace view desk_facts
-- as there: create or replace function refresh_desks

-- Until its next one is there, desks are not brought up to date: the last statement does that.
drop trigger if exists questions_await_changed on questions;
-- as there: create constraint trigger questions_await_changed

create or replace function refresh_desk_done() returns trigger language plpgsql as $$
begin
  perform refresh_desks(array[new.question_id]);
  return null;
end $$;
drop trigger if exists question_desk_await_done on question_desk;
-- as there: create constraint trigger question_desk_await_done

-- as there: create or replace view due_questions

-- over questions
select set_config('handup.bulk', 'on', true); select refresh_desks(
  array(select question_id from question_desk where question_id > $1 and question_id <= $2));
