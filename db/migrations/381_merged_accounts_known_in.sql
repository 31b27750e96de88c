-- The courses where a closed account was known under its name when it was merged. Who may read one of them is led from its address to
-- the account that it became; for all others there was nobody, and still is not. What is older than an undo can no longer be told.
create table account_merge_courses (
  merge_id bigint not null,
  course_id bigint not null,
  constraint account_merge_courses_pkey primary key (merge_id, course_id),
  constraint account_merge_courses_merge_fkey foreign key (merge_id) references account_merges (id) on delete cascade,
  constraint account_merge_courses_course_fkey foreign key (course_id) references courses (id) on delete cascade
);
create index account_merge_courses_course on account_merge_courses (course_id);

with moved as (
  select merge_id, table_name, (content ->> 'id')::bigint as id
  from account_merge_rows where column_name = 'author_id' and table_name in ('questions', 'answers', 'replies')
), post as (
  select merge_id, id as question_id from moved join questions using (id)
  where table_name = 'questions' and is_shown and not is_anonymous
  union select merge_id, question_id from moved join answers using (id)
  where table_name = 'answers' and is_shown and not is_anonymous
  union select merge_id, question_id from moved join replies using (id)
  where table_name = 'replies' and is_shown and not is_anonymous
)
insert into account_merge_courses (merge_id, course_id)
select post.merge_id, q.course_id from post join questions as q on q.id = post.question_id
where q.audience = 'course' and q.held_at is null and q.hidden_at is null
union
select merged.id, course.id from account_merges as merged
join account_merge_rows as noted on noted.merge_id = merged.id and noted.table_name = 'course_members'
  and noted.column_name is null and noted.is_before and (noted.content ->> 'person_id')::bigint = merged.from_id
join courses as course on course.id = (noted.content ->> 'course_id')::bigint;
