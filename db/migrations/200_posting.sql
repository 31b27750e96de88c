-- Posting an answer or a reply costs the database less.

-- When something was last written in a question's tree follows from the rows of answers and replies, as counters do (022). What is
-- deleted or restored leaves it alone. Of an answer it changes together with answers_count: each update of a question writes to all
-- its indexes.

-- New answers have triggers of their own; count_answer (050) still counts those that change or go.
create function count_new_answer() returns trigger language plpgsql as $$
begin
  update questions set answers_count = answers_count + 1, active_at = greatest(active_at, new.written_at)
  where id = new.question_id;
  return null;
end $$;

create function count_new_answer_of_person() returns trigger language plpgsql as $$
begin
  update people set answers_count = answers_count + 1 where id = new.author_id;
  return null;
end $$;

drop trigger answers_count on answers;
create trigger answers_count after insert on answers
  for each row when (new.deleted_at is null and is_counted()) execute function count_new_answer();
create trigger answers_count_removed after delete on answers
  for each row when (is_counted()) execute function count_answer('questions');
drop trigger answers_count_of_person on answers;
create constraint trigger answers_count_of_person after insert on answers deferrable initially deferred
  for each row when (new.deleted_at is null and not new.is_anonymous and is_counted())
  execute function count_new_answer_of_person();
create constraint trigger answers_count_of_person_removed after delete on answers deferrable initially deferred
  for each row when (is_counted()) execute function count_answer('people');

create function note_reply_activity() returns trigger language plpgsql as $$
begin
  update questions set active_at = greatest(active_at, new.written_at) where id = new.question_id;
  return null;
end $$;

create trigger replies_note_activity after insert on replies
  for each row when (new.deleted_at is null and is_counted()) execute function note_reply_activity();

-- Asked by the condition of nearly every trigger. PostgreSQL prepares these conditions for each statement, and would parse the text of
-- a function in SQL each time, to put it in the place of its call: a tenth of the time of posting an answer.
create or replace function is_counted() returns boolean language plpgsql stable as $$
begin
  return coalesce(current_setting('handup.bulk', true), '') <> 'on'
    and coalesce(current_setting('handup.recount', true), '') <> 'on';
end $$;

create or replace function is_told() returns boolean language plpgsql stable as $$
begin
  return coalesce(current_setting('handup.bulk', true), '') <> 'on';
end $$;
