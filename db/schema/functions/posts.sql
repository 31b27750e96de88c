-- What a post says of itself when it changes, and what is kept beside it.

-- A post that was deleted, that waits to be let through (held_at) or that moderators hid (hidden_at) is not shown: is_shown says so in
-- one column, which readers and indexes ask for, and a CHECK holds it to the three times. is_listed of a question: shown, and not private.
create or replace function keep_shown() returns trigger language plpgsql as $$
begin
  new.is_shown := num_nonnulls(new.deleted_at, new.held_at, new.hidden_at) = 0;
  return new;
end $$;
create trigger answers_keep_shown before insert or update on answers
  for each row when (new.is_shown is distinct from (num_nonnulls(new.deleted_at, new.held_at, new.hidden_at) = 0))
  execute function keep_shown();
create trigger replies_keep_shown before insert or update on replies
  for each row when (new.is_shown is distinct from (num_nonnulls(new.deleted_at, new.held_at, new.hidden_at) = 0))
  execute function keep_shown();

-- Whoever reopens a question, by whatever act, asks for an answer once more. No time is before what is there already, should the
-- server's clock have been put back.
create or replace function note_question() returns trigger language plpgsql as $$
begin
  new.is_shown := num_nonnulls(new.deleted_at, new.held_at, new.hidden_at) = 0;
  new.is_listed := new.is_shown and new.audience = 'course';
  if tg_op = 'UPDATE'
    and (old.status, old.duplicate_of, old.closing_reason) is not distinct from (new.status, new.duplicate_of, new.closing_reason) then
    return new;
  end if;
  if new.status = 'unresolved' and new.duplicate_of is null and new.closing_reason is null then
    new.closed_at := null;
  elsif new.closed_at is null then
    new.closed_at := coalesce(new.resolved_at, greatest(now(), new.active_at));
  end if;
  if tg_op = 'INSERT' or old.status = new.status then return new; end if;
  if new.status = 'resolved' then
    if new.resolved_at is null and is_counted() then new.resolved_at := now(); end if;
  else
    new.reopened_at := greatest(now(), new.active_at + interval '1 millisecond');
    new.resolved_at := null;
  end if;
  return new;
end $$;
create trigger questions_note before insert or update on questions for each row execute function note_question();

create or replace function note_reply_activity() returns trigger language plpgsql as $$
begin
  update questions set active_at = greatest(active_at, new.written_at) where id = new.question_id;
  return null;
end $$;
create trigger replies_note_activity after insert on replies
  for each row when (new.is_shown and is_counted()) execute function note_reply_activity();

-- A question that is gone answers no other.
create or replace function release_duplicates() returns trigger language plpgsql as $$
begin
  update questions set duplicate_of = null, duplicate_by = null where duplicate_of = old.id;
  return old;
end $$;
create trigger questions_release_duplicates_of_deleted before delete on questions
  for each row execute function release_duplicates();

create or replace function give_stand_in() returns trigger language plpgsql as $$
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

-- Without what only its row shows: `state` tells whether there is any answer.
create or replace function as_listed(question questions) returns jsonb language sql stable as $$
  select to_jsonb(question) - array['views_count', 'votes_count', 'imported_votes_count', 'answers_count', 'active_at']
$$;

create or replace function take_over_question() returns trigger language plpgsql as $$
begin
  select course_id, state, written_at, active_at, not is_listed
  into new.course_id, new.state, new.written_at, new.active_at, new.is_deleted
  -- Locked: a change of the question at the same time waits, and then finds the new row to hand over to.
  from questions where id = new.question_id for no key update;
  return new;
end $$;
create trigger question_tags_take_over before insert on question_tags
  for each row execute function take_over_question();

-- What stands beside a question elsewhere: its tags, and questions that it answers, as long as their readers can read it.
create or replace function hand_over_question() returns trigger language plpgsql as $$
begin
  if old.is_listed and not new.is_listed then
    update questions set duplicate_of = null, duplicate_by = null where duplicate_of = old.id;
  end if;
  if (old.course_id, old.status, old.answers_count, old.written_at, old.active_at, old.is_listed)
    is not distinct from (new.course_id, new.status, new.answers_count, new.written_at, new.active_at, new.is_listed)
  then return null; end if;
  update question_tags set course_id = new.course_id, state = new.state, written_at = new.written_at,
    active_at = new.active_at, is_deleted = not new.is_listed
  where question_id = new.id;
  return null;
end $$;
create trigger questions_hand_over after update on questions for each row execute function hand_over_question();

create or replace function follow_imported_questions() returns trigger language plpgsql as $$
begin
  insert into question_follows (question_id, person_id)
  select asked.id, new.id from questions as asked
  where asked.author_id = new.id and asked.is_imported and asked.is_shown
  order by asked.id
  on conflict (question_id, person_id) do nothing;
  return null;
end $$;
create trigger people_follow_imported after update of email on people
  for each row when (old.email is null and new.email is not null) execute function follow_imported_questions();

