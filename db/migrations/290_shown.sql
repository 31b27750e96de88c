-- In steps: whether a question, an answer or a reply is shown. One that was deleted, that waits to be let through (held_at) or that
-- moderators hid (hidden_at) is not: is_shown says so in one column, which readers and indexes ask for. A trigger keeps it, and a CHECK
-- holds it to the three times. A stored generated column would do the same, but adding one rewrites the table while nobody can read it.
-- is_listed of a question, which was such a column, goes the same way: shown, and not private.

create or replace function keep_shown() returns trigger language plpgsql as $$
begin
  new.is_shown := num_nonnulls(new.deleted_at, new.held_at, new.hidden_at) = 0;
  if tg_table_name = 'questions' then
    new.is_listed := new.is_shown and new.audience = 'course';
  end if;
  return new;
end $$;

-- The column comes with its trigger: what the version before writes meanwhile has it right, and so has what it changes.
alter table questions add column if not exists held_at timestamptz, add column if not exists hidden_at timestamptz, add column if not exists is_shown boolean not null default true, alter column is_listed drop expression if exists, alter column is_listed set default true; create or replace trigger questions_keep_shown before insert or update on questions
  for each row when (new.is_shown is distinct from (num_nonnulls(new.deleted_at, new.held_at, new.hidden_at) = 0)
    or new.is_listed is distinct from (new.is_shown and new.audience = 'course'))
  execute function keep_shown();
alter table answers add column if not exists held_at timestamptz, add column if not exists hidden_at timestamptz, add column if not exists is_shown boolean not null default true; create or replace trigger answers_keep_shown before insert or update on answers
  for each row when (new.is_shown is distinct from (num_nonnulls(new.deleted_at, new.held_at, new.hidden_at) = 0))
  execute function keep_shown();
alter table replies add column if not exists held_at timestamptz, add column if not exists hidden_at timestamptz, add column if not exists is_shown boolean not null default true; create or replace trigger replies_keep_shown before insert or update on replies
  for each row when (new.is_shown is distinct from (num_nonnulls(new.deleted_at, new.held_at, new.hidden_at) = 0))
  execute function keep_shown();

alter table questions
  drop constraint if exists questions_is_shown_kept,
  add constraint questions_is_shown_kept
    check (is_shown = (num_nonnulls(deleted_at, held_at, hidden_at) = 0)) not valid,
  drop constraint if exists questions_is_listed_kept,
  add constraint questions_is_listed_kept check (is_listed = (is_shown and audience = 'course')) not valid;
alter table answers
  drop constraint if exists answers_is_shown_kept,
  add constraint answers_is_shown_kept
    check (is_shown = (num_nonnulls(deleted_at, held_at, hidden_at) = 0)) not valid,
  -- Holds for the version before, too, which sets it as it deletes.
  drop constraint if exists answers_was_accepted_of_deleted,
  drop constraint if exists answers_was_accepted_of_not_shown,
  add constraint answers_was_accepted_of_not_shown check (not was_accepted or not is_shown) not valid;
alter table replies
  drop constraint if exists replies_is_shown_kept,
  add constraint replies_is_shown_kept
    check (is_shown = (num_nonnulls(deleted_at, held_at, hidden_at) = 0)) not valid;

comment on column questions.held_at is 'this and the same column of answers and replies: since when it waits to be let through; null: it does not';
comment on column questions.hidden_at is 'this and the same column of answers and replies: since when moderators hide it; null: they do not';
comment on column questions.is_shown is 'this and the same column of answers and replies: neither deleted nor held nor hidden; kept by a trigger';
comment on column questions.is_listed is 'shown, and not private: what lists, counts, tags and search may know of; kept by a trigger';
comment on column answers.was_accepted is 'was the accepted answer until it was deleted or hidden: showing it again accepts it again';

-- Only what was deleted before says otherwise than the default.
-- over questions
select set_config('handup.bulk', 'on', true); update questions set is_shown = false
where id > $1 and id <= $2 and deleted_at is not null and is_shown;
-- over answers
select set_config('handup.bulk', 'on', true); update answers set is_shown = false
where id > $1 and id <= $2 and deleted_at is not null and is_shown;
-- over replies
select set_config('handup.bulk', 'on', true); update replies set is_shown = false
where id > $1 and id <= $2 and deleted_at is not null and is_shown;
