-- Posting an answer or a reply costs the database less.

-- When something was last written in a question's tree follows from the rows of answers and replies, as counters do (022). What is
-- deleted or restored leaves it alone. Of an answer it changes together with answers_count: each update of a question writes to all
-- its indexes.

create or replace function count_answer() returns trigger language plpgsql as $$
declare
  is_of_question constant boolean := tg_argv[0] = 'questions';
  change record;
begin
  if tg_op = 'INSERT' then
    if new.deleted_at is not null then
      return null;
    elsif is_of_question then
      update questions set answers_count = answers_count + 1, active_at = greatest(active_at, new.written_at)
      where id = new.question_id;
    elsif not new.is_anonymous then
      update people set answers_count = answers_count + 1 where id = new.author_id;
    end if;
    return null;
  end if;
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
