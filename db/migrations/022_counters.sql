-- Triggers keep every counter that follows from the rows of questions, answers and question_tags, from the old and the new
-- state of the row, so that no writer can forget one: deleting, restoring, moving and leaving count by themselves.
--
-- Rows that many writers share are locked in one order, so that no two writers wait for each other: question, tags, person,
-- lecture, course. A writer locks the question itself; its answers_count and the counts of tags change with the statement
-- that changes them; people, lectures and courses are updated as the transaction commits, the busiest row last and not for
-- longer than the commit takes. A transaction therefore does not see its own effect on those three tables.

-- Bulk loads (handup.bulk) count everything at their end, and a recount (handup.recount) sets each counter by itself.
create function is_counted() returns boolean language sql stable as $$
  select coalesce(current_setting('handup.bulk', true), '') <> 'on'
    and coalesce(current_setting('handup.recount', true), '') <> 'on'
$$;

-- What one row of questions adds to the counters: 1 or 0 each. The row of a question that is not there (OLD of an insert, NEW
-- of a delete) is null and adds nothing.
create function counts_of_question(
  question questions, out listed integer, out unresolved integer, out resolved integer, out unanswered integer)
language sql immutable as $$
  select is_listed::integer, (is_listed and question.status = 'unresolved')::integer,
    (is_listed and question.status = 'resolved')::integer,
    (is_listed and question.answers_count = 0)::integer
  from (select question.id is not null and question.deleted_at is null as is_listed) as of_question
$$;

-- people.questions_count, the two counters of lectures and the three of courses. A question that moves changes two rows of
-- a table, the lower id first.
create function count_question() returns trigger language plpgsql as $$
declare
  before constant record := counts_of_question(old);
  after constant record := counts_of_question(new);
  change record;
begin
  for change in
    select id, sum(listed)::integer as listed
    from (values (old.author_id, -before.listed), (new.author_id, after.listed)) as counted (id, listed)
    group by id having sum(listed) <> 0 order by id
  loop
    update people set questions_count = questions_count + change.listed where id = change.id;
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

create constraint trigger questions_count after insert or delete on questions deferrable initially deferred
  for each row when (is_counted()) execute function count_question();
create constraint trigger questions_count_changed after update on questions deferrable initially deferred
  for each row when (
    (old.author_id, old.lecture_id, old.course_id, old.status, old.answers_count = 0, old.deleted_at is null)
    is distinct from
    (new.author_id, new.lecture_id, new.course_id, new.status, new.answers_count = 0, new.deleted_at is null)
    and is_counted())
  execute function count_question();

-- questions.answers_count and people.answers_count; TG_ARGV: which of the two tables. An answer counts unless it is deleted itself,
-- whatever becomes of its question.
create function count_answer() returns trigger language plpgsql as $$
declare
  is_of_question constant boolean := tg_argv[0] = 'questions';
  change record;
begin
  for change in
    select id, sum(shown)::integer as shown
    from (values
      (case when is_of_question then old.question_id else old.author_id end, case when old.deleted_at is null then -1 else 0 end),
      (case when is_of_question then new.question_id else new.author_id end, case when new.deleted_at is null then 1 else 0 end)
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

create trigger answers_count after insert or delete on answers
  for each row when (is_counted()) execute function count_answer('questions');
create trigger answers_count_changed after update on answers
  for each row when (
    (old.question_id, old.deleted_at is null) is distinct from (new.question_id, new.deleted_at is null) and is_counted())
  execute function count_answer('questions');
create constraint trigger answers_count_of_person after insert or delete on answers deferrable initially deferred
  for each row when (is_counted()) execute function count_answer('people');
create constraint trigger answers_count_of_person_changed after update on answers deferrable initially deferred
  for each row when (
    (old.author_id, old.deleted_at is null) is distinct from (new.author_id, new.deleted_at is null) and is_counted())
  execute function count_answer('people');

-- course_tags.questions_count, from what a row of question_tags knows of its question. Once per statement, in the order of
-- tags: rows of a statement come in any order.
create function change_tag_count(course bigint, tag bigint, delta integer) returns void language sql as $$
  insert into course_tags as kept (course_id, tag_id, questions_count) values (course, tag, greatest(delta, 0))
  on conflict (course_id, tag_id) do update set questions_count = kept.questions_count + delta
$$;

create function count_tags() returns trigger language plpgsql as $$
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
