-- How much somebody wrote in a course. A list of members would have to count all that staff ever answered at each view.
-- Staff alone see these numbers, so that private questions and anonymous posts count too: they see both under their authors' names.
create table course_authors (
  course_id bigint not null,
  person_id bigint not null,
  questions_count integer not null default 0,
  answers_count integer not null default 0,
  constraint course_authors_pkey primary key (course_id, person_id),
  constraint course_authors_course_fkey foreign key (course_id) references courses (id) on delete cascade,
  constraint course_authors_person_fkey foreign key (person_id) references people (id) on delete cascade,
  constraint course_authors_questions_count_positive check (questions_count >= 0),
  constraint course_authors_answers_count_positive check (answers_count >= 0)
);
create index course_authors_person on course_authors (person_id);
comment on table course_authors is 'what people wrote in courses and was not deleted; a member who wrote nothing may have no row';

-- Counted with the statement, not as the transaction commits (022_counters.sql): only the author's own posts wait for the row.
create function change_author_counts(course bigint, author bigint, asked integer, answered integer) returns void
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

-- A question that moves takes its answers along, whoever wrote them; one that is deleted for good takes them away, which must be
-- counted before they go.
create function count_author_of_question() returns trigger language plpgsql as $$
begin
  perform change_author_counts(course, author, asked, answered)
  from (
    select course, author, sum(asked)::integer as asked, sum(answered)::integer as answered
    from (
      select old.course_id as course, old.author_id as author, -1 as asked, 0 as answered where old.deleted_at is null
      union all select new.course_id, new.author_id, 1, 0 where new.deleted_at is null
      union all select moved.course, answer.author_id, 0, moved.answers
      from (values (old.id, old.course_id, -1), (new.id, new.course_id, 1)) as moved (question, course, answers)
      join answers as answer on answer.question_id = moved.question and answer.deleted_at is null
      where tg_op <> 'INSERT' and old.course_id is distinct from new.course_id
    ) as post
    where course is not null group by course, author having (sum(asked), sum(answered)) <> (0, 0) order by course, author
  ) as change;
  return old;
end $$;

create trigger questions_count_author after insert on questions
  for each row when (is_counted()) execute function count_author_of_question();
create trigger questions_count_author_changed after update on questions
  for each row when (
    (old.author_id, old.course_id, old.deleted_at is null) is distinct from (new.author_id, new.course_id, new.deleted_at is null)
    and is_counted())
  execute function count_author_of_question();
create trigger questions_count_author_deleted before delete on questions
  for each row when (is_counted()) execute function count_author_of_question();

create function count_author_of_answer() returns trigger language plpgsql as $$
begin
  perform change_author_counts(course, author, 0, answered)
  from (
    select question.course_id as course, author, sum(answered)::integer as answered
    from (
      select old.question_id as question_id, old.author_id as author, -1 as answered where old.deleted_at is null
      union all select new.question_id, new.author_id, 1 where new.deleted_at is null
    ) as post
    join questions as question on question.id = post.question_id
    group by question.course_id, author having sum(answered) <> 0 order by question.course_id, author
  ) as change;
  return null;
end $$;

create trigger answers_count_author after insert or delete on answers
  for each row when (is_counted()) execute function count_author_of_answer();
create trigger answers_count_author_changed after update on answers
  for each row when (
    (old.author_id, old.question_id, old.deleted_at is null)
    is distinct from (new.author_id, new.question_id, new.deleted_at is null) and is_counted())
  execute function count_author_of_answer();

insert into course_authors (course_id, person_id, questions_count, answers_count)
select course_id, author_id, sum(asked), sum(answered)
from (
  select course_id, author_id, 1 as asked, 0 as answered from questions where deleted_at is null
  union all
  select question.course_id, answer.author_id, 0, 1
  from answers as answer join questions as question on question.id = answer.question_id
  where answer.deleted_at is null
) as post
group by course_id, author_id;
