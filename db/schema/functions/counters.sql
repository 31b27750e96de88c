-- Triggers keep every counter that follows from the rows of questions, answers and question_tags, from the old and the new
-- state of the row, so that no writer can forget one: deleting, restoring, moving and leaving count by themselves.
--
-- Rows that many writers share are locked in one order, so that no two writers wait for each other: question, tags, person,
-- lecture, course. A writer locks the question itself; its answers_count and the counts of tags change with the statement
-- that changes them; people, lectures and courses are updated as the transaction commits, the busiest row last and not for
-- longer than the commit takes. A transaction therefore does not see its own effect on those three tables.

-- Bulk loads (handup.bulk) count everything at their end, and a recount (handup.recount) sets each counter by itself.
-- Asked by the condition of nearly every trigger. PostgreSQL prepares these conditions for each statement, and would parse the text of
-- a function in SQL each time, to put it in the place of its call: a tenth of the time of posting an answer.
create or replace function is_counted() returns boolean language plpgsql stable as $$
begin
  return coalesce(current_setting('handup.bulk', true), '') <> 'on'
    and coalesce(current_setting('handup.recount', true), '') <> 'on';
end $$;

create or replace function counts_of_question(
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
  if tg_op = 'UPDATE'
    and (old.author_id, old.lecture_id, old.course_id, old.status, old.answers_count = 0, old.is_listed, old.is_anonymous)
    is not distinct from
    (new.author_id, new.lecture_id, new.course_id, new.status, new.answers_count = 0, new.is_listed, new.is_anonymous)
  then return null; end if;
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
create constraint trigger questions_count after insert or update or delete on questions deferrable initially deferred
  for each row when (is_counted()) execute function count_question();

-- Counted with the statement, not as the transaction commits: only the author's own posts wait for the row.
create or replace function change_author_counts(course bigint, author bigint, asked integer, answered integer) returns void
language plpgsql as $$
begin
  update course_authors set questions_count = questions_count + asked, answers_count = answers_count + answered
  where course_id = course and person_id = author;
  if not found and (asked > 0 or answered > 0) then
    insert into course_authors as kept (course_id, person_id, questions_count, answers_count)
    values (course, author, greatest(asked, 0), greatest(answered, 0))
    on conflict (course_id, person_id) do update
      set questions_count = kept.questions_count + asked, answers_count = kept.answers_count + answered;
  end if;
end $$;

create or replace function count_author_of_question() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE'
    and (old.author_id, old.course_id, old.is_shown) is not distinct from (new.author_id, new.course_id, new.is_shown)
  then return null; end if;
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
create trigger questions_count_author after insert or update on questions
  for each row when (is_counted()) execute function count_author_of_question();
create trigger questions_count_author_deleted before delete on questions
  for each row when (is_counted()) execute function count_author_of_question();

create or replace function count_author_of_answer() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE'
    and (old.author_id, old.question_id, old.is_shown) is not distinct from (new.author_id, new.question_id, new.is_shown)
  then return null; end if;
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
create trigger answers_count_author after insert or update or delete on answers
  for each row when (is_counted()) execute function count_author_of_answer();

-- Most answers are new ones, which cost the least.
create or replace function count_answer() returns trigger language plpgsql as $$
declare
  change record;
begin
  if tg_op = 'INSERT' then
    update questions set answers_count = answers_count + 1, active_at = greatest(active_at, new.written_at)
    where id = new.question_id and new.is_shown;
    return null;
  end if;
  if (old.question_id, old.is_shown) is not distinct from (new.question_id, new.is_shown) then return null; end if;
  for change in
    select id, sum(shown)::integer as shown
    from (values (old.question_id, -old.is_shown::integer), (new.question_id, new.is_shown::integer)) as counted (id, shown)
    where id is not null group by id having sum(shown) <> 0 order by id
  loop
    update questions set answers_count = answers_count + change.shown where id = change.id;
  end loop;
  return null;
end $$;
create trigger answers_count after insert or update or delete on answers
  for each row when (is_counted()) execute function count_answer();

-- Of a person those that they wrote under their name.
create or replace function count_answer_of_person() returns trigger language plpgsql as $$
declare
  change record;
begin
  if tg_op = 'INSERT' then
    update people set answers_count = answers_count + 1
    where id = new.author_id and new.is_shown and not new.is_anonymous;
    return null;
  end if;
  if (old.author_id, old.is_shown, old.is_anonymous) is not distinct from (new.author_id, new.is_shown, new.is_anonymous)
  then return null; end if;
  for change in
    select id, sum(named)::integer as named
    from (values
      (old.author_id, -(old.is_shown and not old.is_anonymous)::integer),
      (new.author_id, (new.is_shown and not new.is_anonymous)::integer)
    ) as counted (id, named)
    where id is not null group by id having sum(named) <> 0 order by id
  loop
    update people set answers_count = answers_count + change.named where id = change.id;
  end loop;
  return null;
end $$;
create constraint trigger answers_count_of_person after insert or update or delete on answers deferrable initially deferred
  for each row when (is_counted()) execute function count_answer_of_person();

-- course_tags.questions_count, from what a row of question_tags knows of its question. Once per statement, in the order of
-- tags: rows of a statement come in any order.
create or replace function change_tag_count(course bigint, tag bigint, delta integer) returns void language sql as $$
  insert into course_tags as kept (course_id, tag_id, questions_count) values (course, tag, greatest(delta, 0))
  on conflict (course_id, tag_id) do update set questions_count = kept.questions_count + delta
$$;

create or replace function count_tags() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    perform change_tag_count(course_id, tag_id, 1)
    from (select * from added where not is_deleted order by course_id, tag_id) as counted;
  elsif tg_op = 'DELETE' then
    perform change_tag_count(course_id, tag_id, -1)
    from (select * from removed where not is_deleted order by course_id, tag_id) as counted;
  else
    perform change_tag_count(course_id, tag_id, delta)
    from (
      select course_id, tag_id, sum(shown)::integer as delta
      from (select course_id, tag_id, 1 as shown from added where not is_deleted
        union all select course_id, tag_id, -1 from removed where not is_deleted) as row_state
      group by course_id, tag_id having sum(shown) <> 0 order by course_id, tag_id
    ) as counted;
  end if;
  return null;
end $$;
create trigger question_tags_count_added after insert on question_tags referencing new table as added
  for each statement when (is_counted()) execute function count_tags();
create trigger question_tags_count_removed after delete on question_tags referencing old table as removed
  for each statement when (is_counted()) execute function count_tags();
create trigger question_tags_count_changed after update on question_tags referencing old table as removed new table as added
  for each statement when (is_counted()) execute function count_tags();
